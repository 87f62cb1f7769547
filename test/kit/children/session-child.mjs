// Opens a session, writes in it, reports that, and waits to be killed.
import { createProtection } from "../../../dist/policy/protected.js";
import { openSession } from "../../../dist/workspace/session/session.js";

const [stateDir, id] = process.argv.slice(2);
const session = await openSession(id, { stateDir, protectionOf: createProtection() });
session.workspace.write("a", "written before the kill");
console.log("written");
setInterval(() => {}, 1000);
