// The process whose searches are measured. Its arguments are the kind of search, the tree and the state directory. It runs
// one search for each message, and sends the result.
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { rgPath } from "@vscode/ripgrep";

const [kind, directory, stateDir] = process.argv.slice(2);

const KINDS = new Map([
  ["host", () => openHotcell("host")],
  ["session", () => openHotcell("overlay")],
  ["ripgrep", () => ripgrep],
]);

const search = await KINDS.get(kind)();
process.on("message", async ({ query, count }) => {
  let lines = 0;
  for (let done = 0; done < count; done++) lines = await search(query);
  process.send({ lines, memory: highestMemory() });
});
process.send("ready");

async function openHotcell(mode) {
  const { openFiles } = await import("../dist/workspace/open-files.js");
  const { createProtection } = await import("../dist/policy/protected.js");
  const { workspace, session } = await openFiles(
    { workspace: directory, stateDir, fs: mode },
    createProtection(),
  );
  const searched = async ({ pattern, regex, ignoreCase, most }) => {
    const found = await workspace.search(".", {
      ...{ pattern, regex, ignoreCase, globs: [], hidden: "none", ignored: false, skipped: [] },
      ...{ before: 0, after: 0, maxMatches: most ?? 2 ** 31, maxLineChars: 500 },
    });
    return found.matches.length;
  };
  return session === null ? searched : (query) => session.read(() => searched(query));
}

/** With two threads. It is killed when it has printed enough lines. */
async function ripgrep({ pattern, regex, ignoreCase, most = Number.POSITIVE_INFINITY }) {
  const child = spawn(rgPath, [...flagsOf({ regex, ignoreCase }), "-e", pattern, directory], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let lines = 0;
  child.stdout.on("data", (chunk) => {
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++;
    if (lines >= most) child.kill();
  });
  await once(child, "close");
  return Math.min(lines, most);
}

function flagsOf({ regex, ignoreCase }) {
  const flags = ["--no-config", "--line-number", "--no-heading", "--threads", "2"];
  return [...flags, ...(regex ? [] : ["--fixed-strings"]), ...(ignoreCase ? ["--ignore-case"] : [])];
}

/** The sum of the peak memory of this process and of its workers. */
function highestMemory() {
  const children = fs.readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").split(" ").slice(0, -1);
  const highest = [process.pid, ...children].map((pid) =>
    Number(/^VmHWM:\s+(\d+) kB$/m.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))[1]),
  );
  return highest.reduce((sum, kilobytes) => sum + kilobytes, 0) * 1024;
}
