// Reviews and commits a session after a command has created very many entries, or a very deep tree. Prints the cost of each
// step: CPU, and the peak memory of the process.
import fs from "node:fs";
import path from "node:path";
import { createProtection } from "../../../dist/policy/protected.js";
import { findFiles } from "../../../dist/tools/coding/find-files.js";
import { codingListDirectory } from "../../../dist/tools/coding/list-directory.js";
import { findHardLink } from "../../../dist/workspace/files/find-hard-link.js";
import { openStateDir } from "../../../dist/workspace/files/state-dir.js";
import { createCursor } from "../../../dist/workspace/fs/cursor.js";
import { fileClock } from "../../../dist/workspace/fs/file-clock.js";
import { createSession } from "../../../dist/workspace/session/create-session.js";
import { collectGarbage } from "../../../dist/workspace/session/registry/gc.js";

const [top, strategy, shape, countText] = process.argv.slice(2);
const count = Number(countText);
const ENTRIES_IN_DIRECTORY = 500;

/** Each creates its entries in an open directory. */
const SHAPES = {
  levels(root) {
    const cursor = createCursor(root);
    for (let level = 0; level < count; level++) {
      fs.mkdirSync(`/proc/self/fd/${cursor.fd}/d`);
      cursor.down("d");
    }
    fs.writeFileSync(`/proc/self/fd/${cursor.fd}/bottom`, "bottom\n");
    cursor.close();
  },
  "levels in chains of 500"(root) {
    const dir = `/proc/self/fd/${root}/d`;
    for (let level = 0; level < count; level += 500)
      fs.mkdirSync(path.join(dir, String(level), ...Array(500).fill("d")), { recursive: true });
  },
  "empty files"(root) {
    for (let file = 0; file < count; file++) {
      const dir = `/proc/self/fd/${root}/d/${Math.floor(file / ENTRIES_IN_DIRECTORY)}`;
      if (file % ENTRIES_IN_DIRECTORY === 0) fs.mkdirSync(dir, { recursive: true });
      fs.writeFileSync(`${dir}/f${file}`, "");
    }
  },
  "entries of one directory": (root) => fillDirectory(root, (at) => fs.writeFileSync(at, "")),
  "names of 255 bytes": (root) =>
    fillDirectory(
      root,
      (at) => fs.writeFileSync(at, ""),
      (entry) => String(entry).padStart(255, "n"),
    ),
  "symbolic links in a chain": (root) =>
    fillDirectory(root, (at, entry) => fs.symlinkSync(`${entry + 1}`, at)),
  "hard links of one file"(root) {
    const file = `/proc/self/fd/${root}/file`;
    fs.writeFileSync(file, "content\n");
    fillDirectory(root, (at) => fs.linkSync(file, at));
  },
};

function fillDirectory(root, make, nameOf = String) {
  fs.mkdirSync(`/proc/self/fd/${root}/d`);
  for (let entry = 0; entry < count; entry++) make(`/proc/self/fd/${root}/d/${nameOf(entry)}`, entry);
}

const memoryPeak = () =>
  Number(/VmHWM:\s+(\d+)/.exec(fs.readFileSync("/proc/self/status", "utf8"))[1]) * 1024;

async function measure(step, work) {
  globalThis.gc();
  fs.writeFileSync("/proc/self/clear_refs", "5");
  const before = memoryPeak();
  const began = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(began);
  const bytes = Math.max(0, memoryPeak() - before);
  process.stdout.write(`${JSON.stringify({ step, cpuMs: (user + system) / 1000, bytes })}\n`);
}

const project = path.join(top, "project");
fs.mkdirSync(project);
const stateDir = openStateDir(path.join(top, "state"), project);
// The project must be older than the session; otherwise its bases would be unknown.
for (const began = fileClock(stateDir); fileClock(stateDir) === began; );
const place = { stateDir, protectionOf: createProtection(), strategy };
const session = await createSession(project, place);
const call = (id, work) => session.change({ id, tool: "test" }, async () => work());

await call("c1", () => session.workspace.write("other", "other\n"));
// The cost of the command itself is not counted: the next checkpoint records its changes.
SHAPES[shape](session.view.fd);
await measure("record", () => session.checkpoint());
await measure("call", () => call("c2", () => session.workspace.write("other", "changed\n")));
await measure("diff", () => session.diff(({ changes }) => changes.length));
await measure("plan", () => session.plan());
const kit = { workspace: session.workspace, limits: { observationBytes: 32 * 1024 } };
const run = (tool, args) => session.read(() => tool.run(args, kit, new AbortController().signal));
// It looks for ignore files by path, name after name: in a single chain of 1,921 levels that takes long, but no memory.
if (shape !== "levels") await measure("find_files", () => run(findFiles, { pattern: "no-such-name" }));
await measure("list_directory", () => run(codingListDirectory, { pattern: "no-such-name", recursive: true }));
await measure("find a hard link", () => session.read(async () => findHardLink(session.workspace)));
await measure("discard another path", () => session.discard(["other"]));
await measure("discard the path", () => session.discard(["d"]));
await measure("undo", () => session.undoRewind());
await measure("rewind", () => session.rewind("#1"));
await measure("discard", () => session.discard());
// A discard of the session leaves nothing to undo, so the entries are created again for gc.
SHAPES[shape](session.view.fd);
await session.checkpoint();
session.close();
await measure("gc", async () => {
  const { removed } = await collectGarbage(place, { maxBytes: 0 });
  if (!(removed[0]?.changes > 0)) throw new Error("gc did not remove the session with its changes");
});
