import { truncateSync } from "node:fs";
import { expect, test } from "vitest";
import { logCall, makeRunLog, openAsDead, runLogIn } from "../../test/kit/worlds/run-log.ts";
import { openFreeLog } from "./open-free-log.ts";
import { listRuns, runPaths } from "./runs.ts";

test("cells that are open together have a log each; a later one goes on with the first that is free", () => {
  const { stateDir } = makeRunLog();
  const open = () => openFreeLog(stateDir, "run", []);
  const [first, second, third] = [open(), open(), open()];
  const files = ["run", "run.2", "run.3"].map((id) => runPaths(stateDir, id).logFile);
  expect([first, second, third].map(({ file }) => file)).toEqual(files);
  logCall(second, "a");
  second.close();
  const later = open();
  expect(later.file).toBe(second.file);
  logCall(later, "b");
  for (const log of [first, later, third]) log.close();
  expect(listRuns(stateDir)).toEqual(["run", "run.2", "run.3"]);
  expect(runLogIn(stateDir, "run.2").verify()).toMatchObject({ ok: true, records: 4 });
});

test("the log of a cell that was killed is free", () => {
  const run = makeRunLog();
  logCall(openAsDead(run), "a");
  expect(openFreeLog(run.stateDir, "run-1", []).file).toBe(run.logFile);
});

test("a log that was changed is not passed over", () => {
  const run = makeRunLog();
  logCall(openAsDead(run), "a");
  truncateSync(run.logFile);
  expect(() => openFreeLog(run.stateDir, "run-1", [])).toThrow(
    expect.objectContaining({ code: "LOG_TAMPERED", details: { file: run.logFile } }),
  );
});
