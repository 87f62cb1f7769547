// Reads a range of lines of a file and prints the cost.
// Usage: node large-file-child.mjs ROOT STATE_DIR lines|tool START END [abort]
// Prints {"output"|"error":…,"bytesRead":…,"peakGrowth":…}. With `abort` the read is cancelled during the scan.
import { readFileSync } from "node:fs";
import { createProtection } from "../../../dist/policy/protected.js";
import { readFile } from "../../../dist/tools/sidecar/read-file.js";
import { openHostWorkspace } from "../../../dist/workspace/directory/host.js";
import { readLines } from "../../../dist/workspace/files/read-lines.js";

const TURNS_BEFORE_ABORT = 20;

const [root, stateDir, way, start, end, abort] = process.argv.slice(2);
const workspace = openHostWorkspace({ workspace: root, stateDir, protectionOf: createProtection() });
const controller = new AbortController();
const range = { start: Number(start), end: Number(end) };

const numberIn = (file, pattern) => Number(pattern.exec(readFileSync(file, "utf8"))[1]);
const cost = () => ({
  bytesRead: numberIn("/proc/self/io", /rchar: (\d+)/),
  peak: numberIn("/proc/self/status", /VmHWM:\s+(\d+) kB/) * 1024,
});

function read() {
  if (way === "lines")
    return readLines(workspace.open("big"), { ...range, maxBytes: 100_000, lineCost: 0 }, controller.signal);
  return readFile.run(
    { path: "big", start_line: range.start, end_line: range.end },
    { workspace },
    controller.signal,
  );
}

function abortAfter(turns) {
  if (turns === 0) controller.abort(new Error("enough"));
  else setImmediate(abortAfter, turns - 1);
}

if (abort === "abort") abortAfter(TURNS_BEFORE_ABORT);
const before = cost();
const result = await read().then(
  (output) => ({ output }),
  (error) => ({ error: error.message }),
);
const after = cost();
const spent = { bytesRead: after.bytesRead - before.bytesRead, peakGrowth: after.peak - before.peak };
console.log(JSON.stringify({ ...result, ...spent }));
