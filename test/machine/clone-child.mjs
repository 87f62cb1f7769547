// Opens the working copy of a session of the clone strategy with one stack, and does one thing with it.
// Usage: node clone-child.mjs STATE_DIR WORKSPACE STACK NEXT [BROUGHT]; NEXT is a stack to show, or what to call. BROUGHT
// is a file that is put into what is shown then.
import fs from "node:fs";
import path from "node:path";
import { createProtection } from "../../dist/policy/protected.js";
import { openCloneView } from "../../dist/workspace/overlay/clone-view.js";

const [stateDir, workspace, stack, next, brought] = process.argv.slice(2);
const dir = path.join(stateDir, "sessions", "s");
const view = await openCloneView({
  dir,
  stateDir,
  workspace,
  stack: JSON.parse(stack),
  protectionOf: createProtection(),
});
await (next.startsWith("[") ? view.show(JSON.parse(next)) : view[next]());
if (brought) await view.fill(async () => fs.writeFileSync(path.join(dir, "merged", brought), "brought\n"));
view.close();
