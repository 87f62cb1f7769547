// Searches twice. After a small search it prints its worker processes. Then it searches for QUERY, with other rights, and
// prints how many lines it found. Then it waits.
// Usage: node search-processes-child.mjs ROOT STATE_DIR QUERY same|"for a while"|"for good"
// With "killed" the workers are dead before it can notice; with "missing" none can be started. Then it only prints the
// result, and only the search keeps it alive.
import { readFileSync } from "node:fs";
import { createProtection } from "../../../dist/policy/protected.js";
import { openHostWorkspace } from "../../../dist/workspace/directory/host.js";

const NOBODY = 65534;
const [root, stateDir, query, rights] = process.argv.slice(2);
const isEnding = rights === "killed" || rights === "missing";
const workspace = openHostWorkspace({ workspace: root, stateDir, protectionOf: createProtection() });
const search = async (at, asked) => {
  const { matches, unreadable } = await workspace.search(at, asked);
  return { found: matches.length, unreadable };
};

const children = () =>
  readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").split(" ").slice(0, -1);
const say = (what) => console.log(JSON.stringify(what));
if (!isEnding) process.stdin.resume();
if (rights === "missing") process.execPath = "/nonexistent/node";

if (rights !== "missing") await search("f", { ...JSON.parse(query), pattern: "x", regex: true });
say(children().map(Number));
if (rights === "for a while") process.seteuid(NOBODY);
if (rights === "for good") process.setuid(NOBODY);
if (rights === "killed") {
  for (const pid of children()) process.kill(pid, "SIGKILL");
  // Blocks the event loop until the workers are gone.
  while (children().some((pid) => !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))));
}
const failed = ({ code, message }) => ({ code, message });
// The result there depends on timing.
if (rights === "missing")
  for (let times = 0; times < 50; times++) await search(".", JSON.parse(query)).catch(failed);
say(await search(".", JSON.parse(query)).catch(failed));
