// 10 GB: text at the beginning and at the end, and one line of NULs between them that takes no room.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MEMORY_DIR } from "../../kit/memory-dir.ts";
import { type HostWorld, makeHostWorld } from "../../kit/worlds/host-workspace.ts";

const MIB = 1024 * 1024;
const SIZE = 10 * 1024 * MIB;
const HEAD_LINES = 1000;
/** The line of NULs is the one after the head; the tail begins after it. */
const TAIL_START = HEAD_LINES + 2;
const CHILD = path.join(import.meta.dirname, "../../kit/children/large-file-child.mjs");

const lineOf = (part: string, number: number): string => `${part} line ${number} ${"x".repeat(20)}`;
const linesOf = (part: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => lineOf(part, index + 1));

let world: HostWorld;

beforeAll(() => {
  world = makeHostWorld(MEMORY_DIR);
  const big = `${world.root}/big`;
  fs.writeFileSync(big, `${linesOf("head", HEAD_LINES).join("\n")}\n`);
  fs.truncateSync(big, SIZE);
  fs.appendFileSync(big, `\n${linesOf("tail", 100).join("\n")}\n`);
});
afterAll(() => world.remove());

interface Reading {
  readonly output: { readonly lines: readonly string[]; readonly content: string };
  readonly error?: string;
  readonly bytesRead: number;
  readonly peakGrowth: number;
}

function read(way: "lines" | "tool", start: number, end: number, ...more: string[]): Reading {
  const { root, stateDir } = world;
  const args = [CHILD, root, stateDir, way, String(start), String(end), ...more];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }));
}

/** As read_file gives them. */
const numbered = (start: number, lines: readonly string[]): string =>
  lines.map((line, index) => `${start + index}\t${line}`).join("\n");

describe("of a file of 10 GB", () => {
  test("lines 1 to 20 are there at once: no more than the head is read", () => {
    const { output, bytesRead } = read("lines", 1, 20);
    expect(output).toEqual({
      lines: linesOf("head", 20),
      nextLine: null,
      cutWithinLine: false,
      lossy: false,
      total: null,
      sha256: null,
      bytes: MIB,
    });
    expect(bytesRead).toBeLessThan(2 * MIB);
  });

  test("read_file gives lines 1 to 20 from the head alone", () => {
    const { output, bytesRead } = read("tool", 1, 20);
    expect(output).toEqual({
      path: "big",
      content: numbered(1, linesOf("head", 20)),
      lines: null,
      sha256: null,
      truncated: false,
      note: "The result has no sha256 and no line count, because the file is larger than 256 MiB.",
    });
    expect(bytesRead).toBeLessThan(4 * MIB);
  });

  test("a range near the end is read in bounded memory", () => {
    const { output, bytesRead, peakGrowth } = read("lines", TAIL_START, TAIL_START + 9);
    expect(output.lines).toEqual(linesOf("tail", 10));
    expect(bytesRead).toBeGreaterThan(SIZE);
    expect(peakGrowth).toBeLessThan(100 * MIB);
  });

  test("read_file gives a range near the end in bounded memory", () => {
    const { output, peakGrowth } = read("tool", TAIL_START + 5, TAIL_START + 7);
    expect(output.content).toBe(numbered(TAIL_START + 5, linesOf("tail", 8).slice(5)));
    expect(peakGrowth).toBeLessThan(100 * MIB);
  });

  test("the line that does not fit is cut, in bounded memory", () => {
    const { output, bytesRead, peakGrowth } = read("lines", HEAD_LINES + 1, TAIL_START);
    expect(output).toMatchObject({
      lines: ["\0".repeat(100_000)],
      nextLine: TAIL_START,
      cutWithinLine: true,
    });
    expect(bytesRead).toBeLessThan(4 * MIB);
    expect(peakGrowth).toBeLessThan(100 * MIB);
  });

  test.each(["lines", "tool"] as const)(
    "a scan for the end (%s) is cancelled on its way, with the reason",
    (way) => {
      const { error, bytesRead } = read(way, TAIL_START, TAIL_START, "abort");
      expect(error).toBe("enough");
      expect(bytesRead).toBeLessThan(SIZE / 10);
    },
  );
});
