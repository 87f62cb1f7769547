import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openMounts } from "../../../test/kit/worlds/mounts-world.ts";
import type { JsonObject } from "../../core/json.ts";

const FEW = { agents: { a: { maxReadBytes: 10 } }, agentId: "a" };

async function read(content: string | Buffer, args: JsonObject = {}, options = {}) {
  const { call, root } = await openMounts(options);
  fs.writeFileSync(path.join(root, "f"), content);
  return call("fs.read", { path: "@project/f", ...args });
}

describe("fs.read of what is not UTF-8", () => {
  const LATIN1 = Buffer.from("caf\xe9\nna\xefve\n", "latin1");
  const WARNING = expect.stringContaining("shown as U+FFFD, and writing this text back would destroy them");

  test.each<[string, string | Buffer, JsonObject, JsonObject]>([
    ["latin1 text", LATIN1, {}, { content: "caf\uFFFD\nna\uFFFDve\n", truncated: false }],
    ["a window of it", LATIN1, { startLine: 2 }, { content: "na\uFFFDve", truncated: false }],
    ["a binary file", Buffer.from([0, 0xff]), {}, { content: "\0\uFFFD", truncated: false }],
    ["a character that the file ends in", Buffer.from([0x61, 0xc3]), {}, { content: "a\uFFFD" }],
  ])("%s: the hint says what writing it back would do", async (_, bytes, args, shown) => {
    expect(await read(bytes, args)).toMatchObject({ ...shown, hint: WARNING });
  });

  test("the hint of one that was cut says both", async () => {
    const bytes = Buffer.concat([LATIN1, Buffer.from("more\n")]);
    const { hint } = await read(bytes, {}, FEW);
    expect(hint).toEqual(WARNING);
    expect(hint).toContain("Continue with startLine 2.");
  });

  test.each<[string, string, JsonObject]>([
    ["U+FFFD that is in the file itself", "a\uFFFDb\n", {}],
    ["a mark of byte order", "\uFEFFab\n", {}],
    ["other text", "äöü\n", { startLine: 1 }],
  ])("%s needs no hint", async (_, text, args) => {
    expect(await read(text, args)).not.toHaveProperty("hint");
  });

  test("a cut through a character is no odd byte", async () => {
    expect((await read("\uFFFD".repeat(4), {}, FEW)).hint).not.toContain("UTF-8");
  });
});

describe("the hint of fs.read", () => {
  test("names the line to go on from when a whole read was cut", async () => {
    const { contentPreview, hint } = await read("one\ntwo\nthree\n", {}, FEW);
    expect([contentPreview, hint]).toEqual([
      "one\ntwo\nth",
      "The file has 14 bytes, and one call may read 10. Give startLine and endLine, or use fs.search. Continue with startLine 3.",
    ]);
  });

  test.each<[string, JsonObject]>([
    ["whole", {}],
    ["by lines", { startLine: 1 }],
  ])("of one long line, read %s, names no line that is not there", async (_, args) => {
    expect((await read("x".repeat(20), args, FEW)).hint).toMatch(
      /Line 1 is longer than one call may read\. It is the last line\. Use fs\.search to find text in it\.$/,
    );
    expect((await read(`${"x".repeat(20)}\ntwo`, args, FEW)).hint).toMatch(/Continue with startLine 2\./);
  });

  test.each([
    ["one\ntwo\n", 9, "There is no line 9: the file has 2 lines."],
    ["one", 2, "There is no line 2: the file has 1 line."],
    ["", 2, "There is no line 2: the file has 0 lines."],
  ])("of a window behind the end of %j says how many lines there are", async (text, startLine, hint) => {
    expect(await read(text, { startLine })).toMatchObject({ content: "", truncated: false, hint });
  });
});
