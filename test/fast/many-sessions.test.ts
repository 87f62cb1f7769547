import fs from "node:fs";
import path from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { createProtection } from "../../src/policy/protected.ts";
import { makeSession } from "../../src/workspace/layers/session-dirs.ts";
import { newRecord } from "../../src/workspace/layers/stack.ts";
import { collectGarbage } from "../../src/workspace/session/registry/gc.ts";
import { listSessions } from "../../src/workspace/session/registry/list-sessions.ts";
import { tempDir } from "../kit/worlds/temp-cell.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

/** So many sessions of one project, each with one changed file. */
function makeSessions(count: number) {
  const top = tempDir();
  const project = path.join(top, "project");
  const stateDir = path.join(top, "state");
  fs.mkdirSync(project);
  for (let n = 0; n < count; n++) {
    const record = newRecord(`s${String(n).padStart(4, "0")}`, project, "clone", 0);
    makeSession(record, stateDir);
    fs.writeFileSync(path.join(stateDir, "sessions", record.id, record.stack[0]!.name, "new"), "new\n");
  }
  return { stateDir, protectionOf: createProtection() };
}

/** How many files and directories the work reads. */
async function countReads(work: () => Promise<unknown>): Promise<number> {
  const spies = [vi.spyOn(fs, "readFileSync"), vi.spyOn(fs, "readdirSync"), vi.spyOn(fs, "openSync")];
  await work();
  const count = spies.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  vi.restoreAllMocks();
  return count;
}

test("issue-17-4: the work of session list and gc grows with the number of sessions, not with its square", async () => {
  const [few, many] = [makeSessions(20), makeSessions(80)];
  const ratioOf = async (work: (store: typeof few) => Promise<unknown>) =>
    (await countReads(() => work(many))) / (await countReads(() => work(few)));
  expect(await listSessions(many)).toHaveLength(80);
  expect(await ratioOf(listSessions)).toBeLessThan(4.4);
  expect(await ratioOf((store) => collectGarbage(store))).toBeLessThan(4.4);
  expect(await ratioOf((store) => collectGarbage(store, { maxBytes: 0 }))).toBeLessThan(4.4);
  expect(await listSessions(many)).toEqual([]);
});
