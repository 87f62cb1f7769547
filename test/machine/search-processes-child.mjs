// Searches twice: for something small, after which it says which processes it has for that, and then for QUERY, with
// these rights, after which it says how many lines were found. Then it waits.
// Usage: node search-processes-child.mjs ROOT STATE_DIR QUERY same|"for a while"|"for good"
// With "killed" its processes are dead before it can notice, with "missing" none can be started: then it only says what
// came of it, and nothing but the search keeps it from ending.
import { readFileSync } from "node:fs";
import { createProtection } from "../../dist/policy/protected.js";
import { openHostWorkspace } from "../../dist/workspace/directory/host.js";

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
  // Until they are gone, without a turn for anything else.
  while (children().some((pid) => !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))));
}
const failed = ({ code, message }) => ({ code, message });
// How it comes out there is a matter of chance.
if (rights === "missing")
  for (let times = 0; times < 50; times++) await search(".", JSON.parse(query)).catch(failed);
say(await search(".", JSON.parse(query)).catch(failed));
