// The rows of ARCHITECTURE.md's "Never" that the text of a file can show.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../kit/worlds/document.ts";

interface Never {
  readonly what: string;
  readonly where: string;
  readonly found: RegExp;
  /** A line that must be found. */
  readonly control: string;
}

const NEVER: readonly Never[] = [
  {
    what: "variables that change at module level",
    where: "src",
    found: /^(?:export )?(?:let|var) /m,
    control: "export let count = 0;",
  },
  {
    what: "URL.canParse, which Node 20 gets wrong",
    where: "src",
    found: /\bURL\.canParse\(/,
    control: "if (!URL.canParse(text)) return null;",
  },
  {
    what: "AbortSignal.timeout, whose time Node 20 may forget",
    where: "src",
    found: /\bAbortSignal\.timeout\(/,
    control: "const signal = AbortSignal.any([caller, AbortSignal.timeout(1000)]);",
  },
  {
    what: "fs.rm and fs.cp",
    where: "src/workspace",
    found: /\b(?:rm|cp)(?:Sync)?\(/,
    control: "fs.rmSync(at, { force: true });",
  },
  {
    what: "a recursive readdir",
    where: "src/workspace",
    found: /\breaddir(?:Sync)?\([^;]*recursive/,
    control: "fs.readdirSync(at, {\n  recursive: true });",
  },
  {
    what: "clock, disk or network",
    where: "src/policy",
    // The functions of node:url only compute.
    found: /from "node:(?!url")|\bDate\b|\bperformance\b|\bfetch\(/,
    control: 'import fs from "node:fs";',
  },
];

test.each(NEVER)("$what: never in $where", ({ where, found, control }) => {
  expect(control).toMatch(found);
  const sources = sourcesIn(where);
  expect(sources.length).toBeGreaterThan(5);
  expect(sources.filter((file) => found.test(readFileSync(file, "utf8")))).toEqual([]);
});

function sourcesIn(where: string): string[] {
  const names = readdirSync(path.join(ROOT, where), { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => name.endsWith(".ts") && !/\.(?:test|gen)\.ts$/.test(name))
    .map((name) => path.join(ROOT, where, name));
}
