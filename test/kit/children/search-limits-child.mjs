// Searches with worker processes that are already running, and prints the cost.
// Usage: node search-limits-child.mjs ROOT STATE_DIR QUERY
// Prints {"result":…,"bytesRead":…,"peakGrowth":…}, and ends although the workers wait for the next search.
import { readFileSync } from "node:fs";
import { createProtection } from "../../../dist/policy/protected.js";
import { openHostWorkspace } from "../../../dist/workspace/directory/host.js";

const [root, stateDir, query] = process.argv.slice(2);
const workspace = openHostWorkspace({ workspace: root, stateDir, protectionOf: createProtection() });
const numberIn = (file, pattern) => Number(pattern.exec(readFileSync(file, "utf8"))[1]);
const costOf = (pid) => ({
  bytesRead: numberIn(`/proc/${pid}/io`, /rchar: (\d+)/),
  peak: numberIn(`/proc/${pid}/status`, /VmHWM:\s+(\d+) kB/) * 1024,
});
const children = () =>
  readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").split(" ").slice(0, -1);
const cost = () =>
  ["self", ...children()].map(costOf).reduce((all, one) => ({
    bytesRead: all.bytesRead + one.bytesRead,
    peak: all.peak + one.peak,
  }));

await workspace.search(".", {
  ...JSON.parse(query),
  pattern: "^nothing (yet|here)",
  regex: true,
  globs: ["none"],
});
const before = cost();
const result = await workspace.search(".", JSON.parse(query));
const after = cost();
const spent = { bytesRead: after.bytesRead - before.bytesRead, peakGrowth: after.peak - before.peak };
console.log(JSON.stringify({ result, ...spent }));
