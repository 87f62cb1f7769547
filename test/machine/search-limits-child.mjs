// Searches a file and tells what it cost.
// Usage: node search-limits-child.mjs ROOT STATE_DIR QUERY
// Says {"result":…,"bytesRead":…,"peakGrowth":…}, and ends by itself though its threads are kept for the next search.
import { readFileSync } from "node:fs";
import { createProtection } from "../../dist/policy/protected.js";
import { openHostWorkspace } from "../../dist/workspace/host.js";

const [root, stateDir, query] = process.argv.slice(2);
const workspace = openHostWorkspace({ workspace: root, stateDir, protectionOf: createProtection() });
const numberIn = (file, pattern) => Number(pattern.exec(readFileSync(file, "utf8"))[1]);
const cost = () => ({
  bytesRead: numberIn("/proc/self/io", /rchar: (\d+)/),
  peak: numberIn("/proc/self/status", /VmHWM:\s+(\d+) kB/) * 1024,
});

const before = cost();
const result = await workspace.search(".", JSON.parse(query));
const after = cost();
const spent = { bytesRead: after.bytesRead - before.bytesRead, peakGrowth: after.peak - before.peak };
console.log(JSON.stringify({ result, ...spent }));
