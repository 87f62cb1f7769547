import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openTempCell, tempDir } from "../../../test/kit/worlds/temp-cell.ts";
import type { JsonObject } from "../../core/json.ts";
import type { StudioObservation } from "../../core/types.ts";
import { bash } from "./bash.ts";
import { fileRead } from "./file-read.ts";
import { fileWrite } from "./file-write.ts";

/** A project and a central storage, as an agent at work in both. */
async function openStudio(
  options: Parameters<typeof openTempCell>[0] = {},
  files: Readonly<Record<string, string>> = {},
) {
  const storage = tempDir();
  const world = await openTempCell({ toolsets: ["studio"], trust: "autonomous", storage, ...options }, files);
  const call = async (name: string, args: JsonObject) => {
    const { meta: _, ...result } = await world.cell.call<StudioObservation>({ name, arguments: args });
    return result;
  };
  return { ...world, storage, call };
}

describe("file_read", () => {
  test("AC-12 gives the content as it is", async () => {
    const { call } = await openStudio({}, { "test.txt": "hello" });
    expect(await call("file_read", { path: "test.txt" })).toEqual({
      output: "hello",
      isError: false,
      metadata: {
        path: "test.txt",
        bytes: 5,
        sha256: "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
        truncated: false,
      },
    });
  });

  test("AC-13 of a file that is not there is an error of the tool", async () => {
    const { call } = await openStudio();
    expect(await call("file_read", { path: "none" })).toEqual({
      output: "file not found: none",
      isError: true,
      metadata: { code: "NOT_FOUND" },
    });
  });

  test("cuts what takes too much room as JSON, and says so", async () => {
    const { call } = await openStudio({}, { f: "\x01".repeat(900_000) });
    const { output, metadata } = await call("file_read", { path: "f" });
    const shown =
      /^\x01+\n\[Cut: the file has 900000 bytes, and the first (\d+) are shown\. .* tail -c \+(\d+)\]$/.exec(
        output,
      );
    expect([output.indexOf("\n"), metadata.truncated]).toEqual([Number(shown?.[1]), true]);
    expect(Number(shown?.[2])).toBe(Number(shown?.[1]) + 1);
  });

  test("cuts above 1 MiB, and says so, and how to go on", async () => {
    const { call } = await openStudio({}, { big: "x".repeat(1024 * 1024 + 1) });
    const { output, metadata, isError } = await call("file_read", { path: "big" });
    const note =
      "[Cut: the file has 1048577 bytes, and the first 1048576 are shown. Read the rest with a command: tail -c +1048577]";
    expect([output.slice(1024 * 1024), metadata.truncated, isError]).toEqual([`\n${note}`, true, false]);
  });

  test("says where the rest begins when the cut would go through a character", async () => {
    const { call } = await openStudio({}, { big: `${"x".repeat(1024 * 1024 - 1)}é` });
    expect((await call("file_read", { path: "big" })).output).toMatch(/x\n\[Cut.* tail -c \+1048576\]$/);
  });

  test.each([
    ["latin1 text", Buffer.from("caf\xe9\n", "latin1"), "caf\uFFFD\n"],
    ["binary", Buffer.from([0, 0xff]), "\0\uFFFD"],
  ])("of %s says that writing it back would destroy it", async (_, bytes, text) => {
    const { call, root } = await openStudio();
    fs.writeFileSync(path.join(root, "f"), bytes);
    const { output, isError } = await call("file_read", { path: "f" });
    expect([output.startsWith(`${text}\n[The file is not UTF-8. `), isError]).toEqual([true, false]);
    expect(output).toContain("writing this text back would destroy them");
  });

  test("says nothing of U+FFFD that is in the file itself", async () => {
    const { call } = await openStudio({}, { f: "a\uFFFDb" });
    expect(await call("file_read", { path: "f" })).toMatchObject({ output: "a\uFFFDb" });
  });

  test("takes relative and absolute paths of the project", async () => {
    const { call, root } = await openStudio({}, { "a/b": "in" });
    for (const at of ["a/b", path.join(root, "a/b")])
      expect(await call("file_read", { path: at })).toMatchObject({ output: "in" });
  });
});

describe("the central storage", () => {
  test("is read and written by its name and by its path", async () => {
    const { call, storage } = await openStudio();
    for (const at of ["@storage/notes/a.md", path.join(storage, "notes/a.md")]) {
      expect(await call("file_write", { path: at, content: "kept" })).toMatchObject({
        output: "wrote 4 bytes to @storage/notes/a.md",
        isError: false,
      });
      expect(await call("file_read", { path: at })).toMatchObject({ output: "kept" });
    }
    expect(fs.readFileSync(path.join(storage, "notes/a.md"), "utf8")).toBe("kept");
  });

  test("is found however its path is written", async () => {
    const real = tempDir();
    const link = path.join(tempDir(), "link");
    fs.symlinkSync(real, link);
    fs.writeFileSync(path.join(real, "a"), "kept");
    const { call } = await openStudio({ storage: link });
    for (const at of ["@storage//a", `${real}//a`, `${link}/a`])
      expect(await call("file_read", { path: at })).toMatchObject({ output: "kept" });
    expect(await call("file_read", { path: `${real}x/a` })).toMatchObject({ metadata: { system: true } });
  });

  test("does not hide a directory of the project that is called like it", async () => {
    const { call } = await openStudio({}, { "@storage/f": "of the project" });
    const { output, metadata } = await call("file_read", { path: "./@storage/f" });
    expect([output, metadata.path]).toEqual(["of the project", "./@storage/f"]);
    expect(await call("file_read", { path: "@storage/f" })).toMatchObject({ isError: true });
  });

  test("keeps its secrets, and no link leads out of it", async () => {
    const { call, storage, root } = await openStudio({}, { f: "in" });
    fs.writeFileSync(path.join(storage, ".env"), "KEY");
    fs.symlinkSync(path.join(root, "f"), path.join(storage, "link"));
    expect(await call("file_read", { path: "@storage/.env" })).toMatchObject({
      isError: true,
      metadata: { code: "PROTECTED_PATH", system: true },
    });
    expect(await call("file_read", { path: "@storage/link" })).toMatchObject({
      metadata: { code: "SYMLINK_OUTSIDE_WORKSPACE", system: true },
    });
  });

  test("is outside of the session: at trust level guided a write to it asks", async () => {
    const { cell } = await openStudio({ trust: "guided" });
    expect(cell.explain("file_write", { path: "@storage/a", content: "" }).decision).toBe("ask");
  });

  test("is not there unless it is configured", async () => {
    const { cell } = await openTempCell({ toolsets: ["studio"], trust: "autonomous" });
    const { metadata } = await cell.call<StudioObservation>({
      name: "file_read",
      arguments: { path: "@storage/a" },
    });
    expect(metadata.code).toBe("NOT_FOUND");
  });
});

describe("file_write", () => {
  test("AC-14 writes the file and makes its directories", async () => {
    const { call, root } = await openStudio();
    expect(await call("file_write", { path: "new/dir/file.txt", content: "data" })).toMatchObject({
      output: "wrote 4 bytes to new/dir/file.txt",
      isError: false,
      metadata: { path: "new/dir/file.txt", bytes: 4, created: true },
    });
    expect(fs.readFileSync(path.join(root, "new/dir/file.txt"), "utf8")).toBe("data");
  });

  test("with empty content makes an empty file", async () => {
    const { call, root } = await openStudio();
    await call("file_write", { path: "empty", content: "" });
    expect(fs.readFileSync(path.join(root, "empty"), "utf8")).toBe("");
  });

  test.each([
    ["../x", "PATH_OUTSIDE_WORKSPACE"],
    ["/etc/hotcell", "PATH_OUTSIDE_WORKSPACE"],
    [".env", "PROTECTED_PATH"],
    [".git/config", "PROTECTED_PATH"],
    ["my-credentials.json", "PROTECTED_PATH"],
  ])("004: %s is a system error, told apart from errors of the tool", async (at, code) => {
    const { call } = await openStudio();
    expect(await call("file_write", { path: at, content: "x" })).toMatchObject({
      isError: true,
      metadata: { code, system: true },
    });
  });
});

test("004: categories and danger levels of the toolset", () => {
  expect([fileRead, fileWrite, bash].map(({ name, category, danger }) => [name, category, danger])).toEqual([
    ["file_read", "file", "safe"],
    ["file_write", "file", "dangerous"],
    ["bash", "exec", "dangerous"],
  ]);
});
