import { describe, expect, test } from "vitest";
import { processToken, tokenIsAlive } from "./process-token.ts";

const [pid, start, boot, namespace] = processToken().split(":");
const NOBODY = 99_999_999; // above the kernel's highest pid

describe("tokenIsAlive", () => {
  const rows: readonly [string, string, boolean][] = [
    ["this process", `${pid}:${start}:${boot}:${namespace}:x`, true],
    ["another start time", `${pid}:${Number(start) + 1}:${boot}:${namespace}:x`, false],
    ["another boot", `${pid}:${start}:other:${namespace}:x`, false],
    ["another PID namespace", `${NOBODY}:${start}:${boot}:1:x`, true],
    ["another PID namespace before the last boot", `${NOBODY}:${start}:other:1:x`, false],
    ["a pid of nobody", `${NOBODY}:${start}:${boot}:${namespace}:x`, false],
    ["a process group", `-1:${start}:${boot}:${namespace}:x`, false],
    ["pid zero", `0:${start}:${boot}:${namespace}:x`, false],
    ["nothing", "", false],
  ];
  test.each(rows)("of %s", (_, token, alive) => {
    expect(tokenIsAlive(token)).toBe(alive);
  });
});
