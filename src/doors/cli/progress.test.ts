import { expect, test } from "vitest";
import type { Io } from "./io.ts";
import { createProgress } from "./progress.ts";

function follow(errIsTerminal: boolean, total: number | null, until: number): string {
  let err = "";
  const io = { errIsTerminal, err: (text: string) => (err += text) } as unknown as Io;
  const progress = createProgress(io, "Copying");
  for (let done = 1; done <= until; done++) progress.report(done, total);
  progress.end();
  return err.replaceAll("\r\u001b[K", "|");
}

test("a line is written again when it says something else, and taken away at the end", () => {
  expect(follow(true, 200, 5)).toBe("|Copying: 0 %|Copying: 1 %|Copying: 2 %|");
  expect(follow(true, null, 2500)).toBe("|Copying: 0 files|Copying: 1000 files|Copying: 2000 files|");
});

test("work of a few steps, and work without a terminal, goes without it", () => {
  expect(follow(true, 5, 5)).toBe("");
  expect(follow(false, 1000, 1000)).toBe("");
});
