// Runs a command in a new session under the Landlock tier, until it is killed.
// Usage: node landlock-tier-child.mjs TOP SECONDS
import fs from "node:fs";
import path from "node:path";
import { createProtection } from "../../../dist/policy/protected.js";
import { NO_TOOLCHAINS } from "../../../dist/shield/host/user-toolchains.js";
import { openLandlockTier } from "../../../dist/shield/landlock/landlock-tier.js";
import { openCommandView } from "../../../dist/shield/process/command-view.js";
import { DEFAULT_LIMITS } from "../../../dist/shield/process/limits.js";
import { openStateDir } from "../../../dist/workspace/files/state-dir.js";
import { createSession } from "../../../dist/workspace/session/create-session.js";

const [top, seconds] = process.argv.slice(2);
const project = path.join(top, "killed-project");
fs.mkdirSync(project);
const stateDir = openStateDir(path.join(top, "killed-state"), project);
const protectionOf = createProtection();
const session = await createSession(project, { stateDir, protectionOf, strategy: "clone" });
const commandView = openCommandView({ workspace: session.workspace, session, stateDir }, protectionOf);
const tier = await openLandlockTier({ commandView, toolchains: { named: [], user: NO_TOOLCHAINS }, env: {} });
const script = 'sleep "$1" & setsid sleep "$1" & echo begun; wait';
const { stdout } = await tier.start(
  { argv: ["bash", "-c", script, "bash", seconds], cwd: project },
  { attached: false, limits: DEFAULT_LIMITS, async place() {}, onBegin() {} },
);
stdout.pipe(process.stdout);
