// Appends calls to a log, and says on stdout what became of each event: "+ID" recorded, "-ID" refused.
// Usage: node log-child.mjs STATE_DIR RUN PREFIX CALLS MAX_FILE_BYTES
import { writeSync } from "node:fs";
import { openLog } from "../../dist/log/log.js";
import { runPaths } from "../../dist/log/runs.js";

const [stateDir, run, prefix, calls, maxFileBytes] = process.argv.slice(2);
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

const log = attempt("open", () => openLog({ dir, anchorFile, maxFileBytes: Number(maxFileBytes) }));
for (let at = 0; log !== undefined && at < Number(calls); at++) {
  const call = {
    toolCallId: `${prefix}${at}`,
    toolName: "write_file",
    agentId: null,
    input: { path: "a" },
    rule,
  };
  const name = `${prefix}${at}`;
  const intent = attempt(`${name}.intent`, () => log.intent({ ...call, digest: "d", changes: true })) ?? null;
  const outcome = { status: "executed_ok" };
  attempt(`${name}.exec`, () => log.exec({ ...call, intent, output: {}, outcome, durationMs: 1 }));
}
if (log !== undefined) attempt("close", () => log.close());
