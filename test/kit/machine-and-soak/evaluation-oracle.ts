// Runs lines in a sandboxed bash to find those that run `evil`. The policy must deny or ask for each of them.
import fs from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect } from "vitest";
import { openCell } from "../../../src/cell.ts";
import { judge } from "../../../src/policy/judge.ts";
import { parseRules } from "../../../src/policy/rule.ts";
import { repeatably } from "../assert-property.ts";
import { evaluations } from "../models/arbitrary-evaluations.ts";
import { tempDir } from "../worlds/temp-cell.ts";

const RUNNER = `export PATH="$PWD/bin:$PATH"
for file in lines/*; do
  export LINE=\${file##*/}
  (cd scratch && timeout -s KILL 5 bash -c "$(<../lines/$LINE)" </dev/null >/dev/null 2>&1)
done
exit 0`;

/** Not true if `evil` is only a file that the line sources. */
const EVIL = `#!/bin/sh
case $0 in */evil) : > "\${0%/bin/evil}/ran/$LINE" ;; esac
`;

const RULES = parseRules([
  { text: "deny run_command(evil *)", source: "test" },
  { text: "allow run_command", source: "test" },
]);
const CALL = { tool: "run_command", danger: "dangerous", effect: "change", protection: "none" } as const;

/** Throws if a line ran `evil` that the policy allows. The share of lines that ran it shows that the test can fail. */
export function compareWithBash(seed: number, count: number): Promise<void> {
  return repeatably(seed, () => compareLines(seed, count));
}

async function compareLines(seed: number, count: number): Promise<void> {
  const lines = [...new Set(fc.sample(evaluations, { seed, numRuns: count }))];
  const ran = await runLines(lines);
  const missed = [...ran].map((at) => lines[at]!).filter((line) => decide(line) === "allow");
  expect(missed).toEqual([]);
  expect(ran.size / lines.length).toBeGreaterThan(0.02);
}

function decide(line: string) {
  return judge({ ...CALL, subjects: [line] }, { trust: "autonomous", rules: RULES }).decision;
}

/** The indexes of the lines that ran `evil`. */
async function runLines(lines: readonly string[]): Promise<Set<number>> {
  const top = tempDir();
  const root = path.join(top, "ws");
  for (const dir of ["bin", "lines", "scratch", "ran"])
    fs.mkdirSync(path.join(root, dir), { recursive: true });
  fs.writeFileSync(path.join(root, "bin/evil"), EVIL, { mode: 0o755 });
  fs.writeFileSync(path.join(root, "runner"), RUNNER);
  for (const [at, line] of lines.entries()) fs.writeFileSync(path.join(root, "lines", `${at}`), line);
  const cell = await openCell({ workspace: root, stateDir: path.join(top, "state"), timeoutMs: 3_500_000 });
  try {
    const { error, output } = await cell.exec(["bash", "runner"]);
    expect([error, output?.exit_code]).toEqual([null, 0]);
    const { output: listed } = await cell.exec(["ls", "ran"]);
    return new Set(listed!.stdout.split("\n").filter(Boolean).map(Number));
  } finally {
    await cell.close();
  }
}
