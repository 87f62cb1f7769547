// The toolset `coding`, through the whole pipeline.
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openTempCell } from "../../../test/kit/worlds/temp-cell.ts";
import type { JsonObject } from "../../core/json.ts";

type Files = Readonly<Record<string, string>>;

async function open(files: Files = {}, limits = {}) {
  const world = await openTempCell({ trust: "autonomous", limits }, files);
  const call = async (name: string, args: JsonObject): Promise<JsonObject> => {
    const { output, error } = await world.cell.call({ name, arguments: args });
    return error === null ? output! : { ...error };
  };
  const text = (name: string) => fs.readFileSync(path.join(world.root, name), "latin1");
  return { ...world, call, text };
}

const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`);

describe("read_file", () => {
  test("cuts a long file between lines, and names the next line to read", async () => {
    const { call } = await open({ "long.txt": lines(1000).join("\n") }, { observationBytes: 1024 });
    const first = await call("read_file", { path: "long.txt" });
    const shown = String(first.content).split("\n");
    expect(first).toMatchObject({ lines: 1000, truncated: true });
    expect(first.note).toBe(`The result was cut. Continue with start_line ${shown.length + 1}.`);
    expect(shown.at(-1)).toBe(`${shown.length}\tline ${shown.length}`);
    expect(Buffer.byteLength(String(first.content))).toBeLessThanOrEqual(1024);
    const next = await call("read_file", { path: "long.txt", start_line: shown.length + 1 });
    expect(String(next.content)).toMatch(new RegExp(`^${shown.length + 1}\tline`));
  });

  test("shows 32 KiB at once, also of a file of which sidecar shows nothing", async () => {
    const { call } = await open({ "big.txt": "x".repeat(99).concat("\n").repeat(20_000) });
    const { content, truncated } = await call("read_file", { path: "big.txt" });
    expect(truncated).toBe(true);
    expect(Buffer.byteLength(String(content))).toBeGreaterThan(30_000);
    expect(Buffer.byteLength(String(content))).toBeLessThanOrEqual(32 * 1024);
  });

  test("tells CRLF once, and leaves carriage returns of a mixed file where they are", async () => {
    const { call } = await open({ "crlf.txt": "a\r\nb\r\n", "mixed.txt": "a\r\nb\n" });
    expect(await call("read_file", { path: "crlf.txt" })).toMatchObject({
      content: "1\ta\n2\tb",
      note: "The lines end with CRLF; edit_file keeps that.",
    });
    expect(await call("read_file", { path: "mixed.txt" })).toMatchObject({ content: "1\ta\r\n2\tb" });
  });

  test.each([
    ["png", "89504e470d0a1a0a00", "image/png"],
    ["jpg", "ffd8ffe000", "image/jpeg"],
    ["gif", "47494638396100", "image/gif"],
    ["webp", "524946460100000057454250", "image/webp"],
  ])("gives an image with its bytes: %s", async (ending, hex, mime) => {
    const { call, root } = await open();
    fs.writeFileSync(path.join(root, `a.${ending}`), Buffer.from(hex, "hex"));
    expect(await call("read_file", { path: `a.${ending}` })).toMatchObject({
      content: null,
      binary: true,
      mime,
      image: Buffer.from(hex, "hex").toString("base64"),
    });
  });

  test("says how large an image is that is not shown, and shows no other binary file", async () => {
    const { call, root } = await open();
    const png = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(1024 * 1024)]);
    fs.writeFileSync(path.join(root, "a.png"), png);
    fs.writeFileSync(path.join(root, "a.o"), Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0]));
    const image = await call("read_file", { path: "a.png" });
    expect(image.note).toBe(
      "This is an image of 1048584 bytes. Images up to 1048576 bytes are shown: make a smaller copy with a command.",
    );
    expect(image).not.toHaveProperty("image");
    expect(await call("read_file", { path: "a.o" })).not.toHaveProperty("image");
  });
});

describe("edit_file", () => {
  const edit = (old_text: string, new_text: string, more: JsonObject = {}) => ({
    old_text,
    new_text,
    ...more,
  });

  test("replaces text that is there once, several edits one after the other", async () => {
    const { call, text } = await open({ "a.js": "let a = 1;\nlet b = 2;\n" });
    const edits = [edit("let a", "const a"), edit("const a = 1", "const a = 10"), edit("2;", "3;")];
    expect(await call("edit_file", { path: "a.js", edits })).toEqual({
      path: "a.js",
      replacements: 3,
      bytes_written: 25,
      sha256: expect.any(String),
      created: false,
    });
    expect(text("a.js")).toBe("const a = 10;\nlet b = 3;\n");
  });

  test("makes no edit if one does not fit", async () => {
    const { call, text } = await open({ "a.js": "one\ntwo\n" });
    const edits = [edit("one", "1"), edit("three", "3")];
    expect(await call("edit_file", { path: "a.js", edits })).toEqual({
      code: "PATCH_FAILED",
      message:
        'Could not edit "a.js": no edit was made, for in edit 2 of 2 the file does not have old_text, nor lines like it. Read the file again.',
    });
    expect(text("a.js")).toBe("one\ntwo\n");
  });

  test("replaces every place with replace_all, and otherwise says where they are", async () => {
    const { call, text } = await open({ "a.js": "x\ny\nx\nxx\n" });
    expect(await call("edit_file", { path: "a.js", edits: [edit("x", "z")] })).toMatchObject({
      message:
        'Could not edit "a.js": the file has old_text 4 times, at lines 1, 3, 4, 4. Give more of the text around it, or set replace_all.',
    });
    const all = [edit("x", "z", { replace_all: true })];
    expect(await call("edit_file", { path: "a.js", edits: all })).toMatchObject({ replacements: 4 });
    expect(text("a.js")).toBe("z\ny\nz\nzz\n");
  });

  test("finds text anywhere in a file of several MiB", async () => {
    const filler = "0123456789abcdef".repeat(150_000);
    const { call, text } = await open({ "a.js": `first ${filler} middle ${filler} last` });
    const edits = [edit("first", "1"), edit("middle", "2"), edit("last", "3")];
    expect(await call("edit_file", { path: "a.js", edits })).toMatchObject({ replacements: 3 });
    expect(text("a.js")).toBe(`1 ${filler} 2 ${filler} 3`);
  });

  test("refuses edits whose result would be too large, before it is made", async () => {
    const { call, text } = await open({ "a.js": "a" });
    const edits = Array(9).fill(edit("a", "aaaaaaaaaa", { replace_all: true }));
    expect(await call("edit_file", { path: "a.js", edits })).toMatchObject({
      code: "PATCH_FAILED",
      message: expect.stringContaining("more than 100000 times"),
    });
    const grown = [edit("a", "a".repeat(20_000)), edit("a", "x".repeat(1000), { replace_all: true })];
    expect(await call("edit_file", { path: "a.js", edits: grown })).toEqual({
      code: "FILE_TOO_LARGE",
      message:
        'Could not edit "a.js": no edit was made, for in edit 2 of 2 the file would have 20000000 bytes, and the limit is 16777216. Use a command.',
    });
    expect(text("a.js")).toBe("a");
  });

  test("refuses more edits than a text of its length can have in bounded time", async () => {
    const { call, text } = await open({ "a.js": `X${"x".repeat(1_000_000)}` });
    const edits = Array.from({ length: 2000 }, (_, at) => (at % 2 === 0 ? edit("X", "Y") : edit("Y", "X")));
    expect(await call("edit_file", { path: "a.js", edits })).toMatchObject({
      code: "PATCH_FAILED",
      message: expect.stringContaining("in edit 269 of 2000 there are too many edits for so long a text"),
    });
    expect(text("a.js")?.slice(0, 2)).toBe("Xx");
  });

  test("creates a file with an empty old_text, and does not replace one by it", async () => {
    const { call, text } = await open({ "a.js": "x" });
    expect(await call("edit_file", { path: "new/b.js", edits: [edit("", "b\n")] })).toMatchObject({
      created: true,
    });
    expect(text("new/b.js")).toBe("b\n");
    expect(await call("edit_file", { path: "a.js", edits: [edit("", "b")] })).toMatchObject({
      code: "PATCH_FAILED",
      message: expect.stringContaining("the file is there and has text"),
    });
    expect(await call("edit_file", { path: "none.js", edits: [edit("a", "b")] })).toMatchObject({
      code: "NOT_FOUND",
    });
  });

  test.each<[string, string, string, string]>([
    [
      "white space",
      "function f() {\n\treturn 1;\n}\n",
      "function f() {\n  return 1;\n}",
      "what the file has differs from old_text in white space at line 2. The file has:\n1\tfunction f() {\n2\t\treturn 1;\n3\t}",
    ],
    [
      "a letter",
      "const a = 1;\nconst count = items.length;\nreturn count;\n",
      "const count = item.length;\nreturn count;",
      "the file does not have old_text. The nearest lines are:\n2\tconst count = items.length;\n3\treturn count;",
    ],
    ["an edit that was made already", "const a = 2;\n", "const a = 1;", "but it has new_text already."],
    [
      "a line ending",
      "a\r\nb\nc\n",
      "a\nb",
      "what the file has differs from old_text in the line ending at line 1. The file has:\n1\ta\n2\tb",
    ],
  ])("says what differs when old_text does not match: %s", async (_, content, oldText, message) => {
    const { call } = await open({ "a.js": content });
    const { message: said } = await call("edit_file", {
      path: "a.js",
      edits: [edit(oldText, "const a = 2;")],
    });
    expect(said).toContain(message);
  });

  test("a short new_text that the file has by chance does not count as made already", async () => {
    const { call } = await open({ "a.js": "const max = 1;\n" });
    const { message } = await call("edit_file", { path: "a.js", edits: [edit("nothing like it", "x")] });
    expect(message).toContain("the file does not have old_text, nor lines like it. Read the file again.");
  });

  test("keeps CRLF, whichever line ending the model writes", async () => {
    const { call, text } = await open({ "a.txt": "one\r\ntwo\r\nthree\r\n" });
    const edits = [edit("one\ntwo", "1\n2"), edit("three\r\n", "3\r\n4\r\n")];
    expect(await call("edit_file", { path: "a.txt", edits })).toMatchObject({ replacements: 2 });
    expect(text("a.txt")).toBe("1\r\n2\r\n3\r\n4\r\n");
  });

  test("leaves bytes that are not UTF-8 as they are, and adds none of another encoding", async () => {
    const { call, text, root } = await open();
    fs.writeFileSync(path.join(root, "latin.txt"), Buffer.from("caf\xe9 = 1\n", "latin1"));
    expect(await call("edit_file", { path: "latin.txt", edits: [edit("= 1", "= 2")] })).toMatchObject({
      replacements: 1,
    });
    expect(text("latin.txt")).toBe("caf\xe9 = 2\n");
    const added = await call("edit_file", { path: "latin.txt", edits: [edit("2", "é")] });
    expect(added.message).toContain("new_text can have ASCII characters only");
    const unknown = await call("edit_file", { path: "latin.txt", edits: [edit("caf\uFFFD", "cafe")] });
    expect(unknown.message).toContain("U+FFFD in old_text stands for bytes");
  });

  test("finds text outside ASCII in a file of UTF-8", async () => {
    const { call, root } = await open({ "a.txt": "naïve café\n" });
    await call("edit_file", { path: "a.txt", edits: [edit("ïve ca", "if ça")] });
    expect(fs.readFileSync(path.join(root, "a.txt"), "utf8")).toBe("naif çafé\n");
  });

  test("refuses a binary file and a secret", async () => {
    const { call } = await open({ "a.bin": "a\0b", ".env": "KEY=1" });
    expect(await call("edit_file", { path: "a.bin", edits: [edit("a", "b")] })).toMatchObject({
      message: 'Could not edit "a.bin": it is a binary file. Use a command.',
    });
    expect(await call("edit_file", { path: ".env", edits: [edit("1", "2")] })).toMatchObject({
      code: "PROTECTED_PATH",
    });
  });

  test("is bound by the rules for write_file", async () => {
    const rules = ["deny write_file(gen/**)", "allow write_file(src/**)", "deny edit_file(src/no.js)"];
    const files = { "gen/a.js": "a", "src/a.js": "a", "src/no.js": "a" };
    const { cell } = await openTempCell({ trust: "guided", rules }, files);
    const decide = (at: string) =>
      cell.explain("edit_file", { path: at, edits: [{ old_text: "a", new_text: "b" }] }).decision;
    expect(["gen/a.js", "src/a.js", "src/no.js", "b.js"].map(decide)).toEqual([
      "deny",
      "allow",
      "deny",
      "ask",
    ]);
    expect(cell.explain("write_file", { path: "src/no.js", content: "" }).decision).toBe("allow");
  });
});

describe("find_files", () => {
  const FILES = {
    "a.ts": "",
    "src/b.ts": "",
    "src/deep/c.test.ts": "",
    "dist/d.ts": "",
    "node_modules/e/e.ts": "",
    ".gitignore": "dist/\n*.log\n",
    "src/x.log": "",
    ".github/ci.yml": "",
  };

  test.each([
    [{ pattern: "*.ts" }, ["a.ts", "src/b.ts", "src/deep/c.test.ts"]],
    [{ pattern: "src/*.ts" }, ["src/b.ts"]],
    [{ pattern: "**/*.{yml,log}" }, [".github/ci.yml"]],
    [{ pattern: "*.ts", path: "src" }, ["src/b.ts", "src/deep/c.test.ts"]],
    [{ pattern: "*.ts", path: "node_modules/e" }, ["node_modules/e/e.ts"]],
    [{ pattern: "nothing" }, []],
  ])("gives paths of the workspace, without what git ignores: %j", async (args, paths) => {
    const { call } = await open(FILES);
    expect(await call("find_files", args)).toEqual({ paths, truncated: false });
  });

  test("fits the budget, and says that there are more", async () => {
    const files = Object.fromEntries(lines(200).map((name) => [`${name}.txt`, ""]));
    const { call } = await open(files, { observationBytes: 1024 });
    const { paths, truncated, note } = await call("find_files", { pattern: "*.txt" });
    const { length } = paths as string[];
    expect(truncated).toBe(true);
    expect(length).toBeLessThan(100);
    expect(note).toBe(`Only the first ${length} files are shown: give a narrower pattern or a path.`);
  });
});

describe("search_files", () => {
  const FILES = { "a.js": "one\ntwo\nthree two\nfour\n", "b.js": "two\n", "c.js": "none\n" };

  test("shows lines around a match", async () => {
    const { call } = await open(FILES);
    expect(await call("search_files", { pattern: "three", context: 1 })).toEqual({
      matches: [{ path: "a.js", line: 3, text: "three two", before: ["two"], after: ["four"] }],
      files_scanned: 3,
      truncated: false,
    });
  });

  test("shows the names of files only, or counts", async () => {
    const { call } = await open(FILES);
    expect(await call("search_files", { pattern: "two", show: "files" })).toEqual({
      matches: [],
      files: ["a.js", "b.js"],
      files_scanned: 3,
      truncated: false,
    });
    expect(await call("search_files", { pattern: "two", show: "counts", max_results: 1 })).toEqual({
      matches: [],
      counts: [{ path: "a.js", count: 2 }],
      files_scanned: 3,
      truncated: true,
      note: "Only the first 1 of 2 files are shown. Give a narrower path or glob.",
    });
  });

  test("fits the budget", async () => {
    const { call } = await open({ "a.txt": lines(90).join("\n") }, { observationBytes: 1024 });
    const { matches, truncated, note } = await call("search_files", { pattern: "line", context: 5 });
    const { length } = matches as object[];
    expect([truncated, length < 30]).toEqual([true, true]);
    expect(note).toContain(`Only the first ${length} matches are shown.`);
  });

  test("shows a match without the lines around it if these do not fit", async () => {
    const line = `${"漢".repeat(400)}\n`;
    const { call } = await open({ "a.txt": `${line.repeat(20)}x\n${line.repeat(20)}` });
    expect(await call("search_files", { pattern: "x", context: 20 })).toEqual({
      matches: [{ path: "a.txt", line: 21, text: "x" }],
      files_scanned: 1,
      truncated: true,
      note: "Only the first 1 matches are shown. Give a narrower pattern, path or glob. The lines around the match are too long to be shown: give a smaller context.",
    });
  });
});

test("list_directory fits the budget", async () => {
  const files = Object.fromEntries(lines(100).map((name) => [name, ""]));
  const { call } = await open(files, { observationBytes: 2048 });
  const listed = await call("list_directory", {});
  expect(JSON.stringify(listed.entries).length).toBeLessThan(2100);
  expect(listed.note).toContain("Give a narrower path or a pattern");
});

describe("the toolset", () => {
  test("is the default, and has seven tools that are listed", async () => {
    const { cell } = await open();
    expect(cell.tools("mcp").map(({ name }) => name)).toEqual([
      "read_file",
      "edit_file",
      "write_file",
      "list_directory",
      "find_files",
      "search_files",
      "run_command",
    ]);
  });

  test("can't be loaded with sidecar, whose tools have the same names", async () => {
    await expect(openTempCell({ toolsets: ["coding", "sidecar"] })).rejects.toThrow(
      expect.objectContaining({
        code: "DUPLICATE_TOOL",
        message:
          'Could not register the tool "read_file" of the toolset "sidecar": the toolset "coding" already has "read_file". Load one of the two toolsets, or give your own tool another name.',
      }),
    );
  });
});
