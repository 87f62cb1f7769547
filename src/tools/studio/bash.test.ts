import { expect, test } from "vitest";
import { LIMITS } from "../../core/limits.ts";
import type { CommandResult, Commands } from "../commands.ts";
import { bash } from "./bash.ts";

const MAX = LIMITS.maxShownOutputBytes;

async function shown(result: Pick<CommandResult, "stdout" | "stderr" | "truncated">) {
  const ended = { exitCode: 0, signal: null, termination: null, ...result } as CommandResult;
  const commands = { run: async () => ended } as unknown as Commands;
  const given = await bash.run({ command: "x" }, { commands } as never, new AbortController().signal);
  return given as { output: string; metadata: { truncated: boolean } };
}

test("004: one limit holds for stdout and stderr together, and each keeps its ends", async () => {
  const { output, metadata } = await shown({
    stdout: `<out>${"o".repeat(MAX - 11)}</out>`,
    stderr: `<err>${"e".repeat(MAX - 11)}</err>`,
    truncated: false,
  });
  const parts = output.split(/\n\[… (\d+) bytes cut …\]\n/);
  const [outHead, , both, , errTail] = parts;
  expect([outHead?.slice(0, 5), both?.includes("</out><err>"), errTail?.slice(-6)]).toEqual([
    "<out>",
    true,
    "</err>",
  ]);
  expect([outHead!.length + both!.length + errTail!.length, parts[1], parts[3]]).toEqual([
    MAX,
    String(MAX / 2),
    String(MAX / 2),
  ]);
  expect(metadata.truncated).toBe(true);
});

test("004: a short stderr is shown whole beside a long stdout, which still says all that was cut", async () => {
  const stdout = `${"a".repeat(MAX / 2)}\n[… 1000 bytes cut …]\n${"b".repeat(MAX / 2)}`;
  const { output } = await shown({ stdout, stderr: "failed\n", truncated: true });
  expect(output).toMatch(/^a+\n\[… 1008 bytes cut …\]\nb+failed\n$/);
  expect(output.replace(/\n\[.*\]\n/, "").length).toBeLessThanOrEqual(MAX);
});

test.each([
  ["of one stream that the limit just takes", "a".repeat(MAX), "", false],
  ["that was cut already", `${"a".repeat(MAX / 2)}\n[… 9 bytes cut …]\n${"b".repeat(MAX / 2)}`, "", true],
  ["of both that fits", "out\n", "err\n", false],
])("output %s stays as it is", async (_, stdout, stderr, truncated) => {
  const given = await shown({ stdout, stderr, truncated });
  expect([given.output === stdout + stderr, given.metadata.truncated]).toEqual([true, truncated]);
});

test("a cut never goes through a character", async () => {
  const { output } = await shown({
    stdout: `x${"日".repeat(30_000)}`,
    stderr: "é".repeat(40_000),
    truncated: false,
  });
  expect(output).not.toContain("\uFFFD");
});
