// Commits, recovers or reverts in a world of commit-world.ts, and prints the result and the number of steps. With KILL_AT
// it kills itself at that step.
// Usage: node commit-child.mjs TOP TX_DIR commit|recover|revert [KILL_AT]
import { readFileSync, writeSync } from "node:fs";
import { recoverCommit } from "../../../dist/workspace/commit/recover.js";
import { revertCommit } from "../../../dist/workspace/commit/revert.js";
import { applyCommit } from "../../../dist/workspace/commit/run-commit.js";
import { openRoot } from "../../../dist/workspace/fs/paths.js";

const [top, txDir, action, killAt] = process.argv.slice(2);
const [project, view] = [openRoot(`${top}/project`), openRoot(`${top}/view`)];
let steps = 0;
const onStep = (n) => {
  steps = n;
  if (n === Number(killAt)) process.kill(process.pid, "SIGKILL");
};

const ACTIONS = {
  commit: () =>
    applyCommit(JSON.parse(readFileSync(`${top}/plan.json`, "utf8")), {
      project,
      view: () => view,
      txDir,
      onStep,
    }),
  recover: () => recoverCommit(txDir, project, { onStep }),
  revert: () => revertCommit(txDir, project, { onStep }),
};

async function attempt() {
  try {
    return { result: await ACTIONS[action]() };
  } catch (error) {
    return { error: error.message, code: error.code, isUnfinished: error.details?.isUnfinished };
  }
}

const outcome = await attempt();
// Not `process.resourceUsage().maxRSS`, which Linux takes over from the process that started this one.
const maxRssKb = Number(/^VmHWM:\s*(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))[1]);
writeSync(1, JSON.stringify({ ...outcome, steps, maxRssKb }));
