// Random paths through a tree full of links, against what the kernel itself says of them: openat2 with
// RESOLVE_BENEATH is the specification of our gate.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { HotcellError } from "../../../src/core/errors.ts";
import { osPath } from "../../../src/workspace/fs/names.ts";
import {
  atExistingEntry,
  atResolvedPath,
  type OpenEntry,
  openRoot,
  type Root,
} from "../../../src/workspace/fs/paths.ts";
import { assertProperty } from "../../kit/assert-property.ts";
import { compile } from "../../kit/native/compile.ts";

const DIRECTORIES = ["a/b", "empty", "é", "\uDCFF"];
const FILES = ["f", "a/f", "a/b/g", "é/h", "\uDCFF/\uDCC3", "a/ "];
const LINKS: Readonly<Record<string, string>> = {
  in: "a",
  slashed: "a/",
  winding: "a/b/.././b//",
  "to-file": "a/f",
  "file-as-directory": "a/f/",
  "a/up": "..",
  "a/b/round": "../../in/b",
  odd: "\uDCFF/\uDCC3",
  dangling: "missing/x",
  out: "..",
  "out-and-in": "../ws/a",
  "a/neighbour": "../../outside",
  "a/b/far": "../../../outside/secret",
  self: "self",
  "loop-1": "loop-2",
  "loop-2": "in/../loop-1",
};
const CHAIN_LENGTH = 45;
/** Far too many links, or few: the kernel counts them twice when it has to start over, so its limit is not exact. */
const CHAIN_ENDS = ["chain-0", "chain-1", "chain-44", "chain-45"];

let top: string;
let root: Root;
let beneath: string;

beforeAll(() => {
  top = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "hotcell-property-")));
  const at = (name: string) => osPath(`${top}/ws/${name}`);
  for (const dir of DIRECTORIES) fs.mkdirSync(at(dir), { recursive: true });
  for (const file of FILES) fs.writeFileSync(at(file), file);
  for (const [link, target] of Object.entries(LINKS)) fs.symlinkSync(osPath(target), at(link));
  for (let link = 0; link < CHAIN_LENGTH; link++) fs.symlinkSync(`chain-${link + 1}`, at(`chain-${link}`));
  fs.symlinkSync("a", at(`chain-${CHAIN_LENGTH}`));
  fs.mkdirSync(`${top}/outside`);
  fs.writeFileSync(`${top}/outside/secret`, "CANARY");
  for (const [link, target] of [
    ["here", "a"],
    ["file", "a/f"],
    ["climbing", "a/../../outside"],
    ["slashes", "/a//b/"],
  ]) {
    fs.symlinkSync(`${top}/ws/${target}`, at(`abs-${link}`));
  }
  fs.symlinkSync("/etc", at("abs-out"));
  root = openRoot(`${top}/ws`);
  beneath = compile("beneath", top);
});
afterAll(() => {
  fs.closeSync(root.fd);
  fs.rmSync(top, { recursive: true });
});

const plainNames = [...DIRECTORIES, ...FILES, ...Object.keys(LINKS)].flatMap((name) => name.split("/"));
/** Ways that lead back to where they begin, at the root: long paths that are found after all. */
const ROUND_TRIPS = [
  "a/..",
  "in/up",
  "a/b/../..",
  "winding/../up",
  "a/b/round/../up",
  "é/..",
  "\uDCFF/./..",
  "slashed/up",
];
const ABSOLUTE_TRIPS = ["abs-here/up", "abs-slashes/../..", "a/up/abs-here/b/round/../.."];

const name = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...plainNames) },
  { weight: 3, arbitrary: fc.constant("..") },
  { weight: 2, arbitrary: fc.constantFrom(".", "", "missing") },
  { weight: 1, arbitrary: fc.constantFrom(...CHAIN_ENDS) },
  { weight: 1, arbitrary: fc.stringMatching(/^[a-zA-Z~%.: \\\u0001é😀-]{1,4}$/u) },
);

/** Some round trips, then any names. */
const anyPath = (trips: readonly string[], names: fc.Arbitrary<string>) =>
  fc
    .tuple(
      fc.constantFrom("", "", "", "./", "/"),
      fc.array(fc.constantFrom(...trips), { maxLength: 3 }),
      fc.array(names, { minLength: 1, maxLength: 4 }),
      fc.constantFrom("", "", "/", "/."),
    )
    .map(([before, there, then, after]) => before + [...there, ...then].join("/") + after)
    .filter((text) => text !== "");

function kernelSays(paths: readonly string[]): string[] {
  const input = Buffer.concat(
    paths.map((text) => Buffer.concat([Buffer.from(osPath(text) as string), Buffer.from([0])])),
  );
  return execFileSync(beneath, [root.path], { input, encoding: "utf8" }).trimEnd().split("\n");
}

/** "ok DEV INO", or the code of the error. */
function gateSays(look: () => OpenEntry | null): string {
  try {
    const found = look();
    return found === null ? "NOT_FOUND" : `ok ${found.stat.dev} ${found.stat.ino}`;
  } catch (error) {
    if (error instanceof HotcellError) return error.code;
    throw error;
  }
}

/** All answers of ours that agree with the kernel's. */
function agreeing(kernel: string, text: string): string[] {
  const outside = ["PATH_OUTSIDE_WORKSPACE", "SYMLINK_OUTSIDE_WORKSPACE"];
  if (kernel === "EXDEV") return outside;
  if (kernel === "ENOTDIR") return ["NOT_A_DIRECTORY"];
  if (kernel === "ELOOP") return ["EXECUTION_ERROR"];
  // The kernel stops at a name that is missing; where the rest would climb out, we say so.
  if (kernel === "ENOENT") return text.includes("..") ? ["NOT_FOUND", ...outside] : ["NOT_FOUND"];
  return [kernel];
}

test("every path gets the kernel's own verdict, and leads to the same file", () => {
  const seen = new Map<string, number>();
  assertProperty(
    fc.property(fc.array(anyPath(ROUND_TRIPS, name), { minLength: 20, maxLength: 60 }), (paths) => {
      const verdicts = kernelSays(paths);
      expect(verdicts.length).toBe(paths.length);
      paths.forEach((text, index) => {
        const kernel = verdicts[index]!;
        const verdict = kernel.split(" ")[0]!;
        seen.set(verdict, (seen.get(verdict) ?? 0) + 1);
        const walked = gateSays(() => atResolvedPath(root, text, {}, ({ found }) => found));
        const straight = gateSays(() => atExistingEntry(root, text, (found) => found));
        expect(agreeing(kernel, text), JSON.stringify(text)).toContain(walked);
        expect(straight, JSON.stringify(text)).toBe(walked);
      });
    }),
    { numRuns: 250 },
  );
  expect([...seen.keys()].sort()).toEqual(["ELOOP", "ENOENT", "ENOTDIR", "EXDEV", "ok"]);
  expect(Math.min(...seen.values())).toBeGreaterThan(100);
});

test("40 links are followed, as the kernel does, and no more", () => {
  const verdict = (text: string) => gateSays(() => atResolvedPath(root, text, {}, ({ found }) => found));
  expect(verdict("chain-6")).toBe(verdict("a"));
  expect(verdict("chain-5")).toBe("EXECUTION_ERROR");
});

test("with absolute links beneath the workspace too, each resolved path is inside and equals the kernel's", () => {
  const absolute = fc.constantFrom("abs-here", "abs-file", "abs-climbing", "abs-slashes", "abs-out");
  const found = new Set<string>();
  assertProperty(
    fc.property(anyPath([...ROUND_TRIPS, ...ABSOLUTE_TRIPS], fc.oneof(name, absolute)), (text) => {
      const ours = gateSays(() => atResolvedPath(root, text, {}, (place) => place.found));
      if (!ours.startsWith("ok")) return;
      const real = fs.realpathSync.native(osPath(`${root.path}/${text}`), "buffer").toString("latin1");
      expect(`${real}/`.startsWith(`${root.path}/`), JSON.stringify(text)).toBe(true);
      const { dev, ino } = fs.statSync(osPath(`${root.path}/${text}`));
      expect(ours, JSON.stringify(text)).toBe(`ok ${dev} ${ino}`);
      if (text.includes("abs-")) found.add(text);
    }),
    { numRuns: 5000 },
  );
  expect(found.size).toBeGreaterThan(100);
});
