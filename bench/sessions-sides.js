// The sides of the comparison: sessions through the library, and other ways to create a second copy of a project.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { removeSession } from "../dist/workspace/layers/session-dirs.js";
import { mountOverlay } from "../dist/workspace/overlay/mount.js";
import { createSession } from "../dist/workspace/session/create-session.js";
import { git, protectionOf } from "./sessions-tree.js";

/** All work is done in this process, or in children that it waits for. */
export const sideHere = (name, work, prepare) => ({ name, work, prepare, pid: process.pid });

export function openSessions(stateDir) {
  fs.mkdirSync(stateDir, { mode: 0o700 });
  const open = [];
  return {
    async create(project) {
      const session = await createSession(project, { stateDir, protectionOf, strategy: "kernel" });
      open.push(session);
      return session;
    },
    /** A bare overlay, as the kernel shows an unchanged session: a directory without any check, and a function to close it. */
    async openBareView({ record }) {
      const dir = path.join(stateDir, "sessions", record.id);
      const layers = { dir, lowers: ["mask", "lower"], upper: null, merged: "merged" };
      const { fd, close } = await mountOverlay(layers);
      return { dir: `/proc/self/fd/${fd}`, close };
    },
    removeAll() {
      for (const session of open.splice(0)) {
        session.close();
        removeSession(session.record.id, stateDir);
      }
    },
  };
}

/** `add…` creates one more, `remove…` removes the oldest. */
export function copiesOf(tree, home) {
  const copies = [];
  const worktrees = [];
  const newIn = (made, name) => {
    made.push(path.join(home, `${name}-${made.length}`));
    return made.at(-1);
  };
  const snapshots = [];
  return {
    count: () => copies.length,
    lastCopy: () => copies.at(-1),
    lastWorktree: () => worktrees.at(-1),
    addCopy: () => execFileSync("cp", ["-a", tree, newIn(copies, "copy")]),
    removeCopy: () => execFileSync("rm", ["-rf", copies.shift()]),
    addWorktree: () => git(tree, "worktree", "add", "--quiet", "--detach", newIn(worktrees, "worktree")),
    removeWorktree: () => git(tree, "worktree", "remove", "--force", worktrees.shift()),
    addSnapshot() {
      const shadow = [`--git-dir=${newIn(snapshots, "shadow")}`, `--work-tree=${tree}`];
      git(tree, ...shadow, "init", "--quiet");
      git(tree, ...shadow, "add", "--all", "--force");
      git(tree, ...shadow, "commit", "--quiet", "--message", "snapshot");
    },
    forget: () => git(tree, "worktree", "prune"),
  };
}

/** As a careful script replaces a file. */
export function replaceFile(target, content) {
  const fd = fs.openSync(`${target}.tmp`, "wx");
  fs.writeFileSync(fd, content);
  fs.fsyncSync(fd);
  fs.closeSync(fd);
  fs.renameSync(`${target}.tmp`, target);
}
