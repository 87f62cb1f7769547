// A session on a project with a kernel mount in it: changes a file there, commits, and prints the result.
// Usage, in a new mount namespace: node session-mounts-child.mjs TOP KIND
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { createProtection } from "../../../dist/policy/protected.js";
import { openStateDir } from "../../../dist/workspace/files/state-dir.js";
import { createSession } from "../../../dist/workspace/session/create-session.js";

const [top, kind] = process.argv.slice(2);
const project = path.join(top, "project");
const mounted = path.join(project, "a mount");
fs.mkdirSync(mounted, { recursive: true });
fs.mkdirSync(path.join(top, "volume"));
const how = kind === "bind" ? ["--bind", path.join(top, "volume")] : ["-t", "tmpfs", "tmpfs"];
execFileSync("mount", [...how, mounted]);
fs.writeFileSync(path.join(mounted, "precious"), "years of work");

const stateDir = openStateDir(path.join(top, "state"), project);
const session = await createSession(project, { stateDir, protectionOf: createProtection() });
await session.change({ id: "c", tool: "test" }, async () => session.workspace.write("a mount/new", "agent"));
const shown = await session.diff((diff) => diff.shown.map(({ path: at, kind: what }) => `${what} ${at}`));
await session.commit({ onConflict: "ours" });
session.close();
console.log(JSON.stringify([shown, fs.readdirSync(mounted).sort()]));
