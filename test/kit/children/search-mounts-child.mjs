// Searches a project in which a file of procfs is mounted on a file: a read returns only a part of it.
// Usage, in a new mount namespace: node search-mounts-child.mjs ROOT STATE_DIR QUERY
// Prints [bytes of the first read, the number of a line far after them, the numbers of the lines that a search finds].
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { createProtection } from "../../../dist/policy/protected.js";
import { openHostWorkspace } from "../../../dist/workspace/directory/host.js";

const OWN = "/proc/kallsyms";
const LINE = 1000;
const [root, stateDir, query] = process.argv.slice(2);
fs.writeFileSync(`${root}/a file`, "");
execFileSync("mount", ["--bind", OWN, `${root}/a file`]);

const fd = fs.openSync(OWN);
const atOnce = fs.readSync(fd, Buffer.alloc(2 ** 20));
const text = fs.readFileSync(OWN, "utf8").split("\n")[LINE - 1];
const pattern = `^${text.replace(/\W/g, ".")}$`;
const workspace = openHostWorkspace({ workspace: root, stateDir, protectionOf: createProtection() });
const { matches } = await workspace.search(".", { ...JSON.parse(query), pattern, regex: true });
workspace.close();
console.log(JSON.stringify([atOnce, LINE, matches.map(({ line }) => line)]));
