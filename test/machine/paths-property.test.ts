// Random paths through a tree full of links, against what the kernel itself says of them: openat2 with
// RESOLVE_BENEATH is the specification of our gate.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { HotcellError } from "../../src/core/errors.ts";
import { osPath } from "../../src/workspace/names.ts";
import { atFound, atPlace, type Found, openRoot, type Root } from "../../src/workspace/paths.ts";
import { compile } from "../kit/compile.ts";

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
const name = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...plainNames) },
  { weight: 4, arbitrary: fc.constant("..") },
  { weight: 2, arbitrary: fc.constantFrom(".", "", "missing") },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: CHAIN_LENGTH }).map((link) => `chain-${link}`) },
  { weight: 1, arbitrary: fc.stringMatching(/^[a-zA-Z~%.: \\\u0001é😀-]{1,4}$/u) },
);
const anyPath = (names: fc.Arbitrary<string>) =>
  fc
    .tuple(
      fc.constantFrom("", "", "", "./", "/"),
      fc.array(names, { minLength: 1, maxLength: 9 }),
      fc.constantFrom("", "", "/", "/."),
    )
    .map(([before, parts, after]) => before + parts.join("/") + after)
    .filter((text) => text !== "");

function kernelSays(paths: readonly string[]): string[] {
  const input = Buffer.concat(
    paths.map((text) => Buffer.concat([Buffer.from(osPath(text) as string), Buffer.from([0])])),
  );
  return execFileSync(beneath, [root.path], { input, encoding: "utf8" }).trimEnd().split("\n");
}

/** "ok DEV INO", or the code of the error. */
function gateSays(look: () => Found | null): string {
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
  const seen = new Set<string>();
  fc.assert(
    fc.property(fc.array(anyPath(name), { minLength: 20, maxLength: 60 }), (paths) => {
      const verdicts = kernelSays(paths);
      expect(verdicts.length).toBe(paths.length);
      paths.forEach((text, index) => {
        const kernel = verdicts[index]!;
        seen.add(kernel.split(" ")[0]!);
        const walked = gateSays(() => atPlace(root, text, {}, ({ found }) => found));
        const straight = gateSays(() => atFound(root, text, (found) => found));
        expect(agreeing(kernel, text), JSON.stringify(text)).toContain(walked);
        expect(straight, JSON.stringify(text)).toBe(walked);
      });
    }),
    { numRuns: 250 },
  );
  expect([...seen].sort()).toEqual(["ELOOP", "ENOENT", "ENOTDIR", "EXDEV", "ok"]);
});

test("with absolute links beneath the workspace too, what is found is inside and is what the kernel finds", () => {
  const absolute = fc.constantFrom("abs-here", "abs-file", "abs-climbing", "abs-slashes", "abs-out");
  const found = new Set<string>();
  fc.assert(
    fc.property(anyPath(fc.oneof(name, absolute)), (text) => {
      const ours = gateSays(() => atPlace(root, text, {}, (place) => place.found));
      if (!ours.startsWith("ok")) return;
      const real = fs.realpathSync(osPath(`${root.path}/${text}`), "buffer").toString("latin1");
      expect(`${real}/`.startsWith(`${root.path}/`), JSON.stringify(text)).toBe(true);
      const { dev, ino } = fs.statSync(osPath(`${root.path}/${text}`));
      expect(ours, JSON.stringify(text)).toBe(`ok ${dev} ${ino}`);
      if (text.includes("abs-")) found.add(text);
    }),
    { numRuns: 5000 },
  );
  expect(found.size).toBeGreaterThan(100);
});
