// What a search costs where files are made to cost much.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { SearchQuery, SearchResult } from "../../../src/workspace/files/search-query.ts";
import { queryFor } from "../../kit/search-query.ts";
import { type HostWorld, makeHostWorld } from "../../kit/worlds/host-workspace.ts";

const MIB = 1024 * 1024;
const TIB = MIB * MIB;
const CHILD = path.join(import.meta.dirname, "../../kit/children/search-limits-child.mjs");
/** Three processes, and what they read; a busy machine collects their garbage late. */
const MAX_GROWTH = 64 * MIB;

let world: HostWorld;
beforeEach(() => {
  world = makeHostWorld();
});
afterEach(() => world.remove());

interface Cost {
  readonly result: SearchResult;
  readonly bytesRead: number;
  readonly peakGrowth: number;
}

function search(pattern: string, asked: Partial<SearchQuery> = {}, maxOpenFiles = 1024): Cost {
  const query = queryFor(pattern, { maxLineChars: 40, ...asked });
  const command = [process.execPath, CHILD, world.root, world.stateDir, JSON.stringify(query)];
  const limited = ["-c", 'ulimit -n "$0" && exec "$@"', String(maxOpenFiles), ...command];
  return JSON.parse(execFileSync("/bin/sh", limited, { encoding: "utf8" }));
}

describe("of one line of 1 GB", () => {
  test.each<[way: string, pattern: string, asked: Partial<SearchQuery>]>([
    ["a literal", "hit", {}],
    ["a pattern", "[A-Z]|h[ij]t", { regex: true }],
  ])("what matches %s is shown, in bounded memory", (_, pattern, asked) => {
    const file = fs.openSync(`${world.root}/f`, "w");
    const filler = Buffer.alloc(16 * MIB, "abcdefg ");
    for (let times = 0; times < 63; times++) fs.writeSync(file, filler);
    fs.writeSync(file, "hit");
    fs.writeSync(file, filler);
    fs.closeSync(file);
    const { result, peakGrowth } = search(pattern, asked);
    expect(result.matches).toMatchObject([{ path: "f", line: 1, clipped: true }]);
    expect(result.matches[0]!.text).toMatch(/^…[a-g ]+hit[a-g ]+…$/);
    expect(peakGrowth).toBeLessThan(MAX_GROWTH);
  });
});

test.each([
  ["in it", "", []],
  ["behind the text in it", "hit\n".repeat(50_000), [1, 2, 3]],
] as const)("a hole of 1 TiB %s is not read", (_, text, lines) => {
  fs.writeFileSync(`${world.root}/f`, text);
  fs.truncateSync(`${world.root}/f`, TIB);
  const { result, bytesRead } = search("hit", { maxMatches: 3 });
  expect(result.matches.map(({ line }) => line)).toEqual(lines);
  expect(bytesRead).toBeLessThan(4 * MIB);
});

test("with few descriptors all of many directories are searched", () => {
  for (let number = 0; number < 2000; number++) {
    fs.mkdirSync(`${world.root}/${number}`);
    fs.writeFileSync(`${world.root}/${number}/f`, "hit");
  }
  const { result } = search("h[ij]t", { regex: true, maxMatches: 5000 }, 256);
  expect(result.matches.length).toBe(2000);
});

test("a search stops in a file full of matches when it has enough", () => {
  fs.writeFileSync(`${world.root}/f`, `hit ${"x".repeat(95)}\n`.repeat(1_000_000));
  const { result, bytesRead, peakGrowth } = search("hit", { maxMatches: 1000, before: 2, after: 2 });
  expect([result.matches.length, result.truncated]).toEqual([1000, true]);
  expect(bytesRead).toBeLessThan(8 * MIB);
  expect(peakGrowth).toBeLessThan(MAX_GROWTH);
});

test("a file that may not be read is not, and does not count", () => {
  fs.writeFileSync(`${world.root}/a.pem`, `hit ${"x".repeat(95)}\n`.repeat(1_000_000));
  fs.writeFileSync(`${world.root}/b`, "hit");
  const { result, bytesRead } = search("hit", { maxMatches: 1 });
  expect(result).toMatchObject({ matches: [{ path: "b", line: 1, text: "hit" }], truncated: false });
  expect(bytesRead).toBeLessThan(4 * MIB);
});

test("ignore files at each of many levels take bounded memory", () => {
  const names = Array.from({ length: 10_000 }, (_, at) => `${at.toString(36)}-${"z".repeat(15)}\n`).join("");
  fs.writeFileSync(`${world.top}/names`, names);
  let directory = world.root;
  for (let level = 0; level < 300; level++) {
    fs.linkSync(`${world.top}/names`, `${directory}/.gitignore`);
    fs.writeFileSync(`${directory}/f`, "hit");
    directory += "/d";
    fs.mkdirSync(directory);
  }
  const { result, peakGrowth } = search("hit", { ignored: false });
  expect(result.matches).toHaveLength(300);
  // With the rules of one file.
  expect(peakGrowth).toBeLessThan(2 * MAX_GROWTH);
});

test("a pattern that takes for ever ends with TIMEOUT, and the next search works", async () => {
  fs.writeFileSync(`${world.root}/f`, `${"a".repeat(40)}c ab`);
  const workspace = world.open();
  await expect(workspace.search(".", queryFor("^(a+)+(?!a)b", { regex: true }))).rejects.toMatchObject({
    code: "TIMEOUT",
    message:
      'Could not search for "^(a+)+(?!a)b": matching took more than 5000 ms. Give a pattern without look-around and back-references.',
  });
  expect((await workspace.search(".", queryFor("aa"))).matches).toHaveLength(1);
  workspace.close();
});

test("a pattern whose automaton explodes ends with TIMEOUT, and the next search works", async () => {
  const bytes = createHash("shake256", { outputLength: MIB / 2 }).digest();
  const letters = bytes.map((byte) => (byte & 1 ? 0x61 : 0x62));
  fs.writeFileSync(`${world.root}/f`, `c ${Buffer.from(letters)}`);
  const workspace = world.open();
  const search = workspace.search(".", queryFor("[ab]*a[ab]{4000}c", { regex: true }));
  await expect(search).rejects.toMatchObject({
    code: "TIMEOUT",
    message:
      'Could not search for "[ab]*a[ab]{4000}c": on this text the pattern takes too much work for each byte. Give a simpler pattern, with smaller counted repeats.',
  });
  expect((await workspace.search(".", queryFor("aa", { maxMatches: 1 }))).matches).toHaveLength(1);
  workspace.close();
});

test("a search of a large tree is cancelled on its way, and tells how far it is", async () => {
  for (let dir = 0; dir < 40; dir++) {
    fs.mkdirSync(`${world.root}/${dir}`);
    for (let at = 0; at < 100; at++) fs.writeFileSync(`${world.root}/${dir}/${at}`, "y\n".repeat(20_000));
  }
  const workspace = world.open();
  const controller = new AbortController();
  const seen: number[] = [];
  const onProgress = ({ files }: { readonly files: number }) => {
    seen.push(files);
    controller.abort(new RangeError("enough"));
  };
  const query = queryFor("[x-z]{3}", { regex: true });
  await expect(workspace.search(".", query, { signal: controller.signal, onProgress })).rejects.toThrow(
    RangeError,
  );
  expect(seen).toHaveLength(1);
  expect(seen[0]).toBeLessThan(4000);
  workspace.close();
});
