// Appends calls to a log, and prints the result of each event: "+ID" recorded, "-ID" refused.
// With CALLS_PER_OPEN it waits while another process has the log open, and closes the log after so many calls.
// Usage: node log-child.mjs STATE_DIR RUN PREFIX CALLS MAX_FILE_BYTES [CALLS_PER_OPEN]
import { writeSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { openLog } from "../../../dist/log/log.js";
import { runPaths } from "../../../dist/log/runs.js";

const [stateDir, run, prefix, calls, maxFileBytes, callsPerOpen] = process.argv.slice(2);
const { dir, anchorFile } = runPaths(stateDir, run);
const rule = { text: "allow write_file", source: "test" };
const report = (text) => writeSync(1, `${text}\n`);

function attempt(name, work) {
  try {
    const result = work();
    report(`+${name}`);
    return result;
  } catch (error) {
    report(`-${name} ${error.code}`);
  }
}

const open = () => openLog({ dir, anchorFile, maxFileBytes: Number(maxFileBytes) });

async function openInTurn() {
  while (true) {
    try {
      return open();
    } catch (error) {
      if (error.code !== "LOCKED") throw error;
      await setTimeout(1);
    }
  }
}

function logCall(log, name) {
  const call = { toolCallId: name, toolName: "write_file", agentId: null, input: { path: "a" }, rule };
  const intent = attempt(`${name}.intent`, () => log.intent({ ...call, digest: "d", changes: true })) ?? null;
  const outcome = { status: "executed_ok" };
  attempt(`${name}.exec`, () => log.exec({ ...call, intent, output: {}, outcome, durationMs: 1 }));
}

let log = callsPerOpen === undefined ? attempt("open", open) : await openInTurn();
for (let at = 0; log !== undefined && at < Number(calls); at++) {
  if (at > 0 && at % Number(callsPerOpen) === 0) {
    log.close();
    await setTimeout(1);
    log = await openInTurn();
  }
  logCall(log, `${prefix}${at}`);
}
if (log !== undefined) attempt("close", () => log.close());
