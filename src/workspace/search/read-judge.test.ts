import fs from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { assertProperty } from "../../../test/kit/assert-property.ts";
import { queryFor } from "../../../test/kit/search-query.ts";
import { makeHostWorld } from "../../../test/kit/worlds/host-workspace.ts";
import { HotcellError } from "../../core/errors.ts";
import type { WorkspaceFS } from "../files/workspace-fs.ts";

/** Takes for ever on the line below, and nowhere else. */
const SLOW = queryFor("^(a+)+(?!a)b", { regex: true, hidden: "all" });
const SLOW_LINE = `${"a".repeat(40)}c ab\n`;

function openWith(files: Readonly<Record<string, string>>): WorkspaceFS {
  const { root, open, remove } = makeHostWorld();
  onTestFinished(remove);
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(`${root}/${name}`), { recursive: true });
    fs.writeFileSync(`${root}/${name}`, text);
  }
  const workspace = open();
  onTestFinished(workspace.close);
  return workspace;
}

function refuse(path: string): never {
  throw new HotcellError("DENIED", `Not ${path}.`);
}

test.each(["a.pem", ".ssh/a", "d/.env", "d/.ssh/e/a"])(
  "the time that a search takes tells nothing of a protected file: %s",
  async (name) => {
    const workspace = openWith({ [name]: SLOW_LINE, f: "ab\n" });
    const { matches, filesScanned } = await workspace.search(".", SLOW);
    expect([matches.map((match) => match.path), filesScanned]).toEqual([["f"], 1]);
  },
);

test.each(["private/a", "private/d/a"])(
  "nor of a file that a rule refuses, by its own path or a directory's: %s",
  async (name) => {
    const workspace = openWith({ [name]: SLOW_LINE, f: "ab\n" });
    const byDirectory = workspace.guardedBy((at) => at === "private" && refuse(at));
    const byPath = workspace.guardedBy((at) => at === name && refuse(at));
    for (const guarded of [byDirectory, byPath]) {
      const { matches, filesScanned } = await guarded.search(".", SLOW);
      expect([matches.map((match) => match.path), filesScanned]).toEqual([["f"], 1]);
    }
  },
);

/** Found in the asking process at first; or by others, as all patterns are. */
const WAYS = [
  ["by the asking process", queryFor("x")],
  ["by a workers", queryFor("x", { regex: true })],
] as const;

test.each(WAYS)("a binary file that may not be read is not counted, %s", async (_, query) => {
  const workspace = openWith({ "a.pem": "\0", b: "\0" });
  expect(await workspace.search(".", query)).toMatchObject({ filesScanned: 1, binaryFiles: 1 });
});

test.each(WAYS)("of any files, exactly those are searched that a check lets pass, %s", async (_, query) => {
  const names = Array.from({ length: 400 }, (_, at) => `d${at % 7}/e${at % 3}/${at}`).sort();
  const workspace = openWith(Object.fromEntries(names.map((name) => [name, "x\n"])));
  const property = fc.asyncProperty(fc.subarray(names), async (refused) => {
    const isRefused = new Set(refused);
    const guarded = workspace.guardedBy((at) => isRefused.has(at) && refuse(at));
    const { matches, filesScanned } = await guarded.search(".", query);
    const expected = names.filter((name) => !isRefused.has(name));
    expect(matches.map((match) => match.path).sort()).toEqual(expected);
    expect(filesScanned).toBe(expected.length);
  });
  await assertProperty(property, { numRuns: 30 });
});

test.each(WAYS)(
  "a check that fails ends the search with its error, and the next works, %s",
  async (_, query) => {
    const workspace = openWith({ f: "x", g: "x" });
    const failing = workspace.guardedBy((at) => {
      if (at === "g") throw new RangeError("broken");
    });
    await expect(failing.search(".", query)).rejects.toThrow(RangeError);
    expect((await workspace.search(".", query)).matches).toHaveLength(2);
  },
);
