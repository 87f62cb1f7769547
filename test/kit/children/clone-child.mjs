// Opens the working copy of a session of the clone strategy with one stack, and runs one operation on it.
// Usage: node clone-child.mjs STATE_DIR WORKSPACE STACK NEXT; NEXT is a stack to show, or a method to call.
import path from "node:path";
import { createProtection } from "../../../dist/policy/protected.js";
import { openCloneView } from "../../../dist/workspace/overlay/clone-view.js";

const [stateDir, workspace, stack, next] = process.argv.slice(2);
const dir = path.join(stateDir, "sessions", "s");
const view = await openCloneView({
  dir,
  stateDir,
  workspace,
  stack: JSON.parse(stack),
  protectionOf: createProtection(),
});
await (next.startsWith("[") ? view.show(JSON.parse(next)) : view[next]());
view.close();
