import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeRunLog, runLogIn } from "../../test/kit/worlds/run-log.ts";
import { listRuns, runPaths } from "./runs.ts";

test("a run keeps all in its own directory but the anchor", () => {
  expect(runPaths("/state", "run-1")).toEqual({
    dir: "/state/runs/run-1",
    logFile: "/state/runs/run-1/logs/execution.jsonl",
    artifactsDir: "/state/runs/run-1/logs/artifacts",
    recordingsDir: "/state/runs/run-1/logs/recordings",
    anchorFile: "/state/anchors/run-1.json",
  });
});

test.each(["", ".", "..", "../x", "a/b", "a\0b", "-x", "ä", "x".repeat(129)])("%j is no run's id", (id) => {
  expect(() => runPaths("/state", id)).toThrow(expect.objectContaining({ code: "USAGE" }));
});

test("the runs of a state directory are those that have a directory or an anchor", () => {
  const { stateDir } = makeRunLog();
  expect(listRuns(stateDir)).toEqual([]);
  for (const id of ["b", "a", "gone"]) runLogIn(stateDir, id).open().close();
  rmSync(runPaths(stateDir, "gone").dir, { recursive: true });
  mkdirSync(join(stateDir, "runs", "new"));
  writeFileSync(join(stateDir, "runs", ".hidden"), "");
  expect(listRuns(stateDir)).toEqual(["a", "b", "gone", "new"]);
});
