// Works in a workspace in mode host, in a child process that can be limited, traced and killed.
// Usage: node workspace-child.mjs ROOT STATE_DIR [[METHOD, ARGUMENT…]…]
// Prints one line for each: {"value":…}, or {"code":…,"message":…}.
import { writeSync } from "node:fs";
import { createProtection } from "../../../dist/policy/protected.js";
import { openHostWorkspace } from "../../../dist/workspace/directory/host.js";

const [root, stateDir, work] = process.argv.slice(2);
const report = (line) => writeSync(1, `${JSON.stringify(line)}\n`);

function attempt(run) {
  try {
    report({ value: plain(run()) ?? null });
  } catch (error) {
    report({ code: error.code, message: error.message });
    if (error.name !== "HotcellError") throw error;
  }
}

/** For a generator, only the number of its values. */
function plain(value) {
  if (Buffer.isBuffer(value)) return value.toString();
  if (typeof value?.next !== "function") return value;
  let count = 0;
  for (const _ of value) count++;
  return count;
}

attempt(() => {
  const workspace = openHostWorkspace({ workspace: root, stateDir, protectionOf: createProtection() });
  for (const [method, ...args] of JSON.parse(work)) attempt(() => workspace[method](...args));
  workspace.close();
});
