// The sidecar's file tools, through the whole pipeline.
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openTempCell, type TempCell } from "../../../test/kit/worlds/temp-cell.ts";
import type { JsonObject } from "../../core/json.ts";

const openSidecar = (
  options: Parameters<typeof openTempCell>[0] = {},
  files: Readonly<Record<string, string>> = {},
) => openTempCell({ toolsets: ["sidecar"], ...options }, files);

const sha256 = (text: string | Buffer) => createHash("sha256").update(text).digest("hex");

const call = async ({ cell }: TempCell, name: string, args: JsonObject) => {
  const { output, error } = await cell.call({ name, arguments: args });
  return error ?? output;
};

describe("the sandbox", () => {
  test("AC-3 pitfall 1 a path that climbs out is refused, whatever its separators, and the same whether it exists or not", async () => {
    const world = await openSidecar();
    const code = async (at: string) => ((await call(world, "read_file", { path: at })) as JsonObject).code;
    expect(await code("../../etc/passwd")).toBe("PATH_OUTSIDE_WORKSPACE");
    expect(await code("../../etc/no-such-file")).toBe("PATH_OUTSIDE_WORKSPACE");
    expect(await code("/etc/passwd")).toBe("PATH_OUTSIDE_WORKSPACE");
    expect(await code("..\\..\\etc\\passwd")).toBe("NOT_FOUND");
    fs.writeFileSync(path.join(world.root, "a\\b"), "a backslash is a letter like any other");
    expect(await call(world, "read_file", { path: "a\\b" })).toMatchObject({ path: "a\\b", lines: 1 });
  });

  test("AC-4 pitfall 2 a symlink that leads out is refused for reading, writing and listing", async () => {
    const world = await openSidecar({ trust: "autonomous" });
    const outside = path.join(path.dirname(world.root), "outside");
    fs.mkdirSync(outside);
    fs.writeFileSync(path.join(outside, "secret"), "CANARY");
    fs.symlinkSync(outside, path.join(world.root, "out"));
    // The attack works without the shield.
    expect(fs.readFileSync(path.join(world.root, "out/secret"), "utf8")).toBe("CANARY");
    for (const [name, args] of [
      ["read_file", { path: "out/secret" }],
      ["write_file", { path: "out/new", content: "x" }],
      ["list_directory", { path: "out" }],
    ] as const) {
      expect(await call(world, name, args)).toEqual({
        code: "SYMLINK_OUTSIDE_WORKSPACE",
        message: expect.stringContaining("a symbolic link on it leads out of the workspace"),
      });
    }
    expect(fs.readdirSync(outside)).toEqual(["secret"]);
  });

  test("AC-5 a path inside is used, also when it is written absolutely", async () => {
    const world = await openSidecar({ trust: "autonomous" });
    expect(
      await call(world, "write_file", { path: path.join(world.root, "a.txt"), content: "x" }),
    ).toMatchObject({ path: "a.txt" });
    expect(await call(world, "read_file", { path: "a.txt" })).toMatchObject({ content: "1\tx" });
  });

  test("AC-6 .env is refused for reading and writing, also by another spelling or through a link", async () => {
    const world = await openSidecar(
      { trust: "autonomous", rules: ["allow write_file", "allow read_file"] },
      { ".env": "KEY=1", "s/a": "" },
    );
    fs.symlinkSync("../.env", path.join(world.root, "s/innocent"));
    for (const at of [".env", "./.env", "s/../.env", ".ENV", "s/innocent"]) {
      expect(await call(world, "read_file", { path: at })).toMatchObject({ code: "PROTECTED_PATH" });
      expect(await call(world, "write_file", { path: at, content: "x" })).toMatchObject({
        code: "PROTECTED_PATH",
      });
    }
    expect(fs.readFileSync(path.join(world.root, ".env"), "utf8")).toBe("KEY=1");
  });

  test("what speaks of secrets in source asks before it is written, even when nothing else does", async () => {
    const world = await openSidecar({ trust: "autonomous" });
    expect(await call(world, "write_file", { path: "src/secrets.ts", content: "" })).toMatchObject({
      code: "DENIED",
    });
    expect(await call(world, "write_file", { path: "src/plain.ts", content: "" })).toMatchObject({
      created: true,
    });
  });
});

describe("read_file", () => {
  test("AC-12 gives the file's lines with their numbers, the count and the hash", async () => {
    const world = await openSidecar({}, { "test.txt": "hello\n\nworld" });
    expect(await call(world, "read_file", { path: "test.txt" })).toEqual({
      path: "test.txt",
      content: "1\thello\n2\t\n3\tworld",
      lines: 3,
      sha256: sha256("hello\n\nworld"),
      truncated: false,
    });
  });

  test.each([
    ["", 0, ""],
    ["\n", 1, "1\t"],
    ["a", 1, "1\ta"],
    ["a\n", 1, "1\ta"],
    ["a\r\nb\r\n", 2, "1\ta\r\n2\tb\r"],
  ])("counts the lines of %j as %i", async (text, lines, content) => {
    const world = await openSidecar({}, { f: text });
    expect(await call(world, "read_file", { path: "f" })).toMatchObject({ lines, content });
  });

  test("AC-13 says that nothing is there", async () => {
    const world = await openSidecar();
    expect(await call(world, "read_file", { path: "no.txt" })).toEqual({
      code: "NOT_FOUND",
      message: 'Could not find "no.txt": nothing is there.',
    });
  });

  test.each([
    [{ start_line: 2, end_line: 3 }, "2\tb\n3\tc", undefined],
    [{ start_line: 3 }, "3\tc\n4\td", undefined],
    [{ end_line: 1 }, "1\ta", undefined],
    [{ start_line: 4, end_line: 99 }, "4\td", undefined],
    [{ start_line: 9 }, "", "There is no line 9: the file has 4."],
  ])("reads the range %j", async (range, content, note) => {
    const world = await openSidecar({}, { f: "a\nb\nc\nd\n" });
    const output = { path: "f", content, lines: 4, sha256: sha256("a\nb\nc\nd\n"), truncated: false };
    expect(await call(world, "read_file", { path: "f", ...range })).toEqual(
      note === undefined ? output : { ...output, note },
    );
  });

  test("refuses a range that ends before it begins", async () => {
    const world = await openSidecar({}, { f: "a" });
    expect(await call(world, "read_file", { path: "f", start_line: 3, end_line: 2 })).toEqual({
      code: "INVALID_ARGUMENTS",
      message: "The range is refused: end_line 2 is before start_line 3.",
    });
  });

  test("pitfall 4 above 1 MiB asks for a range, and gives it", async () => {
    const line = `${"x".repeat(99)}\n`;
    const world = await openSidecar({}, { big: line.repeat(20_000) });
    expect(await call(world, "read_file", { path: "big" })).toEqual({
      code: "FILE_TOO_LARGE",
      message:
        'Could not read "big" whole: it has 2000000 bytes, the limit is 1048576. Give start_line and end_line.',
    });
    const output = (await call(world, "read_file", { path: "big", start_line: 19_999 })) as JsonObject;
    expect(output).toMatchObject({
      lines: 20_000,
      content: `19999\t${line}20000\t${line.trimEnd()}`,
      truncated: false,
    });
  });

  test("cuts a range that is too long at a line's end, and names the next line", async () => {
    const line = `${"x".repeat(99)}\n`;
    const world = await openSidecar({}, { big: line.repeat(20_000) });
    const { content, truncated, note } = (await call(world, "read_file", {
      path: "big",
      start_line: 1,
    })) as Record<string, string>;
    const shown = content!.split("\n").length;
    expect([truncated, note]).toEqual([true, `The result was cut. Continue with start_line ${shown + 1}.`]);
    expect(content!.endsWith(`\n${shown}\t${line.trimEnd()}`)).toBe(true);
  });

  test("cuts what takes too much room as JSON at a line's end, and names the next line", async () => {
    const line = `${"\x01".repeat(99)}\n`;
    const world = await openSidecar({}, { f: line.repeat(9000) });
    const { content, truncated, note } = (await call(world, "read_file", { path: "f" })) as Record<
      string,
      string
    >;
    const shown = content!.split("\n").length;
    expect([truncated, note]).toEqual([true, `The result was cut. Continue with start_line ${shown + 1}.`]);
    expect(content!.endsWith(`\n${shown}\t${line.trimEnd()}`)).toBe(true);
  });

  test("cuts a line that is too long by itself, and names the next one", async () => {
    const world = await openSidecar({}, { one: `${"x".repeat(2_000_000)}\nnext\n` });
    const { content, truncated, note } = (await call(world, "read_file", {
      path: "one",
      start_line: 1,
    })) as Record<string, string>;
    expect(content!.length).toBe(1_048_576 + 2);
    expect([truncated, note]).toEqual([
      true,
      "Line 1 is longer than the limit of one result, and was cut. Continue with start_line 2.",
    ]);
    expect(await call(world, "read_file", { path: "one", start_line: 2 })).toMatchObject({
      content: "2\tnext",
      truncated: false,
    });
  });

  test("gives metadata in place of a binary file's content", async () => {
    const world = await openSidecar();
    const bytes = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(2_000_000)]);
    fs.writeFileSync(path.join(world.root, "a.png"), bytes);
    expect(await call(world, "read_file", { path: "a.png" })).toEqual({
      path: "a.png",
      content: null,
      binary: true,
      size: bytes.length,
      mime: "image/png",
      lines: null,
      sha256: sha256(bytes),
      truncated: false,
      note: "This is a binary file, so its content is not shown.",
    });
  });

  test("says when bytes are not UTF-8", async () => {
    const world = await openSidecar();
    fs.writeFileSync(path.join(world.root, "latin1"), Buffer.from("caf\xe9\n", "latin1"));
    expect(await call(world, "read_file", { path: "latin1" })).toMatchObject({
      content: "1\tcaf\uFFFD",
      note: "The file is not UTF-8. Invalid bytes are shown as U+FFFD.",
    });
  });

  test("refuses a directory", async () => {
    const world = await openSidecar({}, { "d/f": "" });
    expect(await call(world, "read_file", { path: "d" })).toMatchObject({ code: "NOT_A_FILE" });
  });

  test("names the workspace itself as it is named in a call", async () => {
    const world = await openSidecar({ trust: "autonomous" });
    const state = "it is a directory, not a regular file.";
    expect(await call(world, "read_file", { path: "." })).toMatchObject({
      message: `Could not read ".": ${state}`,
    });
    expect(await call(world, "write_file", { path: ".", content: "" })).toMatchObject({
      message: `Could not write ".": ${state}`,
    });
  });
});

describe("write_file", () => {
  test("AC-14 writes the file and makes its directories", async () => {
    const world = await openSidecar({ trust: "autonomous" });
    const output = { path: "new/dir/file.txt", bytes_written: 5, sha256: sha256("d\u00e4ta"), created: true };
    expect(await call(world, "write_file", { path: "new/dir/file.txt", content: "d\u00e4ta" })).toEqual(
      output,
    );
    expect(await call(world, "write_file", { path: "new/dir/file.txt", content: "d\u00e4ta" })).toEqual({
      ...output,
      created: false,
    });
    expect(fs.readFileSync(path.join(world.root, "new/dir/file.txt"), "utf8")).toBe("d\u00e4ta");
    expect(fs.readdirSync(path.join(world.root, "new/dir"))).toEqual(["file.txt"]);
  });

  test("keeps the mode of what it replaces, and refuses a read-only file where the system would", async () => {
    const world = await openSidecar({ trust: "autonomous" }, { run: "old" });
    fs.chmodSync(path.join(world.root, "run"), 0o750);
    await call(world, "write_file", { path: "run", content: "new" });
    expect(fs.statSync(path.join(world.root, "run")).mode & 0o777).toBe(0o750);
  });
});

describe("list_directory", () => {
  const FILES = {
    "b.ts": "12345",
    "a.md": "",
    "src/c.ts": "",
    "src/deep/d.ts": "",
    ".git/config": "",
    "node_modules/x/i.js": "",
  };
  const names = (output: unknown) =>
    (output as { entries: { name: string }[] }).entries.map(({ name }) => name);

  test("gives name, type, size and time, sorted; the workspace when no path is given", async () => {
    const world = await openSidecar({}, FILES);
    const { entries, path: at, truncated } = (await call(world, "list_directory", {})) as JsonObject;
    const entry = (name: string, type: string) => ({
      name,
      type,
      size: expect.any(Number),
      modified: expect.stringMatching(/Z$/),
    });
    expect([at, truncated]).toEqual([".", false]);
    expect(entries).toEqual([
      entry(".git", "directory"),
      entry("a.md", "file"),
      { ...entry("b.ts", "file"), size: 5 },
      entry("node_modules", "directory"),
      entry("src", "directory"),
    ]);
  });

  test.each([
    [{ pattern: "*.ts" }, ["b.ts"]],
    [{ pattern: "*.ts", recursive: true }, ["b.ts", "src/c.ts", "src/deep/d.ts"]],
    [{ pattern: "src/**/*.ts", recursive: true }, ["src/c.ts", "src/deep/d.ts"]],
    [{ pattern: "*.{md,js}", recursive: true }, ["a.md"]],
    [{ path: "src" }, ["c.ts", "deep"]],
    [{ path: "src", recursive: true }, ["c.ts", "deep", "deep/d.ts"]],
    [{ path: "node_modules", recursive: true }, ["x", "x/i.js"]],
  ])("with %j finds %j", async (args, found) => {
    const world = await openSidecar({}, FILES);
    expect(names(await call(world, "list_directory", args))).toEqual(found);
  });

  test("says what it did not enter", async () => {
    const world = await openSidecar({}, FILES);
    expect(((await call(world, "list_directory", { recursive: true })) as JsonObject).note).toBe(
      "Not listed: .git, node_modules. List each by its own path.",
    );
  });

  test("shows links as links and does not follow them", async () => {
    const world = await openSidecar({}, FILES);
    fs.symlinkSync("/etc", path.join(world.root, "z-out"));
    fs.symlinkSync("src", path.join(world.root, "z-in"));
    const found = (await call(world, "list_directory", { pattern: "z-*", recursive: true })) as JsonObject;
    expect(found.entries).toEqual([
      expect.objectContaining({ name: "z-in", type: "symlink" }),
      expect.objectContaining({ name: "z-out", type: "symlink" }),
    ]);
  });

  test("cuts a long list and says how to see the rest", async () => {
    const many = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`f${index}`, ""]));
    const world = await openSidecar({}, many);
    const { entries, truncated, note } = (await call(world, "list_directory", {})) as JsonObject;
    expect([(entries as unknown[]).length, truncated]).toEqual([1000, true]);
    expect(note).toBe("Only the first 1000 entries are shown. Give a narrower path or a pattern.");
  });

  test("shows a name that is not UTF-8, and the shown name can be read", async () => {
    const world = await openSidecar();
    fs.writeFileSync(Buffer.concat([Buffer.from(`${world.root}/caf`), Buffer.from([0xe9])]), "in");
    expect(names(await call(world, "list_directory", {}))).toEqual(["caf\\xe9"]);
    expect(await call(world, "read_file", { path: "caf\\xe9" })).toMatchObject({
      content: "1\tin",
      path: "caf\\xe9",
    });
  });

  test("no pattern can hang it", async () => {
    const world = await openSidecar({}, { ["a".repeat(250)]: "" });
    const pattern = `${"*a".repeat(100)}b`;
    expect(names(await call(world, "list_directory", { pattern }))).toEqual([]);
  });

  test("keeps to its time limit, however long its work takes", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 500 }, (_, index) => [`${"a".repeat(200)}${index}`, ""]),
    );
    const world = await openSidecar({ timeoutMs: 30 }, files);
    const pattern = `{a,b}{a,c}{a,d}*${"a".repeat(120)}b`;
    expect(await call(world, "list_directory", { pattern })).toMatchObject({ code: "TIMEOUT" });
  });

  test("refuses a file", async () => {
    const world = await openSidecar({}, FILES);
    expect(await call(world, "list_directory", { path: "a.md" })).toMatchObject({ code: "NOT_A_DIRECTORY" });
  });
});
