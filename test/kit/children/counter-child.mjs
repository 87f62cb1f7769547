// Increments a number in a file, many times: reads it, writes the next number, and tries again after a lost race.
// Usage: node counter-child.mjs ROOT STATE_DIR TIMES [blindly]; it begins when its stdin has data.
import { createHash } from "node:crypto";
import { readSync, writeSync } from "node:fs";
import { createProtection } from "../../../dist/policy/protected.js";
import { openHostWorkspace } from "../../../dist/workspace/directory/host.js";

const [root, stateDir, times, blindly] = process.argv.slice(2);
const workspace = openHostWorkspace({ workspace: root, stateDir, protectionOf: createProtection() });

function countUp() {
  const present = workspace.read("counter");
  const ifMatchSha256 = createHash("sha256").update(present).digest("hex");
  workspace.write("counter", `${Number(present) + 1}\n`, blindly ? {} : { ifMatchSha256 });
}

function untilDone(work) {
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (error.code !== "PRECONDITION_FAILED") throw error;
    }
  }
}

writeSync(1, "ready\n");
readSync(0, Buffer.alloc(1));
for (let time = 0; time < Number(times); time++) untilDone(countUp);
