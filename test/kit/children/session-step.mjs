// Runs one operation on a session, and prints its result. Says on standard error when it begins.
// Usage: node session-step.mjs STATE_DIR ID OPERATION, or STATE_DIR PROJECT create, or STATE_DIR ID recover, gc or import. The ID `only` means the only session.
import { readdirSync, writeSync } from "node:fs";
import { createProtection } from "../../../dist/policy/protected.js";
import { exportSession } from "../../../dist/workspace/agentfs/export-session.js";
import { createSession } from "../../../dist/workspace/session/create-session.js";
import { importSession } from "../../../dist/workspace/session/import-session.js";
import { collectGarbage } from "../../../dist/workspace/session/registry/gc.js";
import { recoverSessions } from "../../../dist/workspace/session/registry/recover-sessions.js";
import { openSession } from "../../../dist/workspace/session/session.js";

const [stateDir, given, operation] = process.argv.slice(2);
const id = given === "only" ? readdirSync(`${stateDir}/sessions`)[0] : given;

const change = (session, call) =>
  session.change({ id: call, tool: "test" }, async () => {
    session.workspace.write("a", "three\n");
    session.workspace.remove("d/x");
  });

const OPERATIONS = {
  change: (session) => change(session, "c3"),
  "change in an empty layer": async (session) => {
    await session.change({ id: "idle", tool: "test" }, async () => {});
    await change(session, "c3");
  },
  rewind: (session) => session.rewind("c2"),
  "rewind paths": (session) => session.rewind("c2", ["d"]),
  "discard paths": (session) => session.discard(["a"]),
  "discard below": (session) => session.discard(["d/x"]),
  discard: (session) => session.discard(),
  fork: (session) => session.fork(),
  commit: (session) => session.commit(),
  revert: (session) => session.revert(),
  export: async (session) => {
    await session.checkpoint();
    await exportSession(session.record, place, exported);
  },
  open: async () => {},
  read: (session) => session.read(async () => {}),
};

const exported = `${stateDir}/../exported.db`;
const place = { stateDir, protectionOf: createProtection() };
/** Operations without an open session. */
const ON_ALL = {
  create: () => createSession(id, place).then((session) => session.close()),
  import: () => importSession(exported, `${stateDir}/../project`, place),
  recover: () => recoverSessions(place),
  gc: () => collectGarbage(place),
};

async function inSession(work) {
  const session = await openSession(id, place);
  await work(session);
  session.close();
}

// Now its modules are loaded.
writeSync(2, "began\n");
try {
  await (ON_ALL[operation]?.() ?? inSession(OPERATIONS[operation]));
  writeSync(1, "done");
} catch (error) {
  writeSync(1, error.code ?? String(error));
}
