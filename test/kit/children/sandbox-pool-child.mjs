// Runs commands until the sandbox for the next one is prepared, prints the pid of its waiting process, and stays, or exits
// without closing its cell.
import { spawnSync } from "node:child_process";
import { openCell } from "../../../dist/index.js";

const [dir, end] = process.argv.slice(2);
const cell = await openCell({
  workspace: `${dir}/ws`,
  stateDir: `${dir}/state`,
  fs: "host",
  trust: "autonomous",
});
let waiting = "";
for (let tries = 0; tries < 10 && waiting === ""; tries++) {
  await cell.call({ name: "run_command", arguments: { command: "true" } });
  waiting = spawnSync("pgrep", ["-f", `hotcell:${process.pid}:`])
    .stdout.toString()
    .trim();
}
if (end === "stay") setInterval(() => {}, 1000);
console.log(waiting.replaceAll("\n", " "));
