import assert from "node:assert/strict";
import fs from "node:fs";
import { type ErrorCode, HotcellError } from "../core/errors.ts";
import type { WorkspaceFS } from "../workspace/files/workspace-fs.ts";
import { expectRefusal } from "./suite.ts";
import type { Checks, WorkspaceUnderTest } from "./workspace-contract.ts";

type Operation = (workspace: WorkspaceFS, path: string) => unknown;

const READS: Readonly<Record<string, Operation>> = {
  read: (workspace, path) => workspace.read(path),
  open: (workspace, path) => workspace.open(path).close(),
  stream: (workspace, path) => [...workspace.stream(path)],
};
const LOOKS: Readonly<Record<string, Operation>> = {
  ...READS,
  resolve: (workspace, path) => workspace.resolve(path),
  stat: (workspace, path) => workspace.stat(path),
  list: (workspace, path) => workspace.list(path),
  walk: (workspace, path) => [...workspace.walk(path)],
  readlink: (workspace, path) => workspace.readlink(path),
};
const CHANGES: Readonly<Record<string, Operation>> = {
  write: (workspace, path) => workspace.write(path, "CHANGED"),
  append: (workspace, path) => workspace.append(path, "CHANGED"),
  mkdir: (workspace, path) => workspace.mkdir(path),
  remove: (workspace, path) => workspace.remove(path, { recursive: true }),
  "rename from": (workspace, path) => workspace.rename(path, "moved"),
  "rename to": (workspace, path) => workspace.rename("plain", path),
  "copy from": (workspace, path) => workspace.copy(path, "copied"),
  "copy to": (workspace, path) => workspace.copy("plain", path),
  symlink: (workspace, path) => workspace.symlink("plain", path),
  chmod: (workspace, path) => workspace.chmod(path, 0o600),
};
const ALL = { ...LOOKS, ...CHANGES };

function refuseAll(
  operations: Readonly<Record<string, Operation>>,
  code: ErrorCode,
  workspace: WorkspaceFS,
  path: string,
): void {
  for (const operation of Object.values(operations)) expectRefusal(code, () => operation(workspace, path));
}

/** Refused by the check, or because an entry exists already. */
function refusesChange(work: () => unknown): void {
  assert.throws(work, ({ code }: HotcellError) => code === "DENIED" || code === "ALREADY_EXISTS");
}

/** Names beside the project, and names and contents in the workspace and its neighbours, as text. */
function snapshot({ root, outside }: WorkspaceUnderTest): string {
  const lines = [root, `${outside}/neighbours`].flatMap(linesBelow);
  return [...fs.readdirSync(outside), ...lines].sort().join("\n");
}

/** Node's recursive `readdir` follows links from version 22 on. */
function linesBelow(dir: string): string[] {
  return fs.readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const at = `${dir}/${entry.name}`;
    if (entry.isDirectory()) return [at, ...linesBelow(at)];
    return [entry.isFile() ? `${at}=${fs.readFileSync(at, "utf8")}` : at];
  });
}

function plantNeighbours(outside: string): void {
  fs.mkdirSync(`${outside}/neighbours`);
  fs.writeFileSync(`${outside}/neighbours/f`, "CANARY");
}

export const REFUSING: Checks = {
  "no operation takes a path that leads outside, whether something is there or not"(on) {
    const { workspace, root, outside } = on;
    fs.writeFileSync(`${root}/plain`, "");
    fs.mkdirSync(`${root}/d`);
    plantNeighbours(outside);
    const before = snapshot(on);
    for (const path of [
      "..",
      "../neighbours/f",
      "../missing",
      "d/../../neighbours",
      "d/missing/../../../neighbours",
      "/etc/passwd",
      "/",
    ]) {
      refuseAll(ALL, "PATH_OUTSIDE_WORKSPACE", workspace, path);
    }
    assert.equal(snapshot(on), before);
  },

  "no operation follows a link that leads outside"(on) {
    const { workspace, root, outside } = on;
    fs.writeFileSync(`${root}/plain`, "");
    plantNeighbours(outside);
    fs.symlinkSync("../neighbours", `${root}/dir`);
    fs.symlinkSync("/etc", `${root}/etc`);
    fs.symlinkSync("dir", `${root}/chain`);
    const before = snapshot(on);
    for (const path of ["dir/f", "dir/missing", "dir/", "etc/passwd", "chain/f", "chain/../plain"]) {
      refuseAll(ALL, "SYMLINK_OUTSIDE_WORKSPACE", workspace, path);
    }
    assert.equal(snapshot(on), before);
  },

  "no operation takes a path that can't be one"({ workspace, root }) {
    fs.writeFileSync(`${root}/plain`, "");
    for (const path of ["", "a\0b", "n".repeat(256), "d/".repeat(2049)]) {
      refuseAll(ALL, "INVALID_ARGUMENTS", workspace, path);
    }
  },

  "no operation goes below a file"({ workspace, root }) {
    fs.writeFileSync(`${root}/plain`, "");
    fs.writeFileSync(`${root}/f`, "");
    for (const path of ["f/x", "f/x/y", "f/.", "f/.."]) refuseAll(ALL, "NOT_A_DIRECTORY", workspace, path);
  },

  "a loop of links ends in an error"({ workspace, root }) {
    fs.symlinkSync("b", `${root}/a`);
    fs.symlinkSync("a", `${root}/b`);
    fs.symlinkSync("self/x", `${root}/self`);
    for (const path of ["a", "b/c", "self"]) expectRefusal("EXECUTION_ERROR", () => workspace.read(path));
  },

  "a missing file or directory is NOT_FOUND"({ workspace }) {
    const { resolve, ...others } = LOOKS;
    for (const path of ["missing", "missing/f", "missing/../f"])
      refuseAll(others, "NOT_FOUND", workspace, path);
    for (const path of ["missing", "missing/f"]) expectRefusal("NOT_FOUND", () => workspace.remove(path));
    assert.equal(workspace.resolve("missing").kind, null);
  },

  "secrets are neither read nor changed, in any spelling, by any operation"({ workspace, root }) {
    fs.mkdirSync(`${root}/d`);
    for (const file of [".env", "d/id_rsa", "plain"]) fs.writeFileSync(`${root}/${file}`, "CANARY");
    fs.symlinkSync("../.env", `${root}/d/innocent`);
    for (const path of [".env", "./d/../.env", "d/id_rsa", "d/innocent"]) {
      refuseAll(READS, "PROTECTED_PATH", workspace, path);
      for (const change of ["write", "append", "copy from", "copy to", "chmod"]) {
        expectRefusal("PROTECTED_PATH", () => CHANGES[change]!(workspace, path));
      }
    }
    for (const change of ["remove", "rename from", "rename to"]) {
      expectRefusal("PROTECTED_PATH", () => CHANGES[change]!(workspace, ".env"));
    }
    expectRefusal("PROTECTED_PATH", () => workspace.write(".ENV", "x"));
    expectRefusal("PROTECTED_PATH", () => workspace.symlink("../.env", "d/l"));
    assert.deepEqual(fs.readdirSync(root).sort(), [".env", "d", "plain"]);
  },

  "what runs by itself is read and not changed"({ workspace, root }) {
    fs.mkdirSync(`${root}/.git/hooks`, { recursive: true });
    fs.writeFileSync(`${root}/.git/config`, "config");
    fs.writeFileSync(`${root}/plain`, "");
    assert.equal(workspace.read(".git/config").toString(), "config");
    for (const change of ["write", "append", "remove", "rename from", "rename to", "copy to", "chmod"]) {
      expectRefusal("PROTECTED_PATH", () => CHANGES[change]!(workspace, ".git/config"));
    }
    expectRefusal("PROTECTED_PATH", () => workspace.mkdir(".git/new"));
    expectRefusal("PROTECTED_PATH", () => workspace.symlink("../../plain", ".git/hooks/pre-commit"));
    expectRefusal("PROTECTED_PATH", () => workspace.remove(".git", { recursive: true }));
    expectRefusal("PROTECTED_PATH", () => workspace.rename(".git", "git"));
    expectRefusal("PROTECTED_PATH", () => workspace.chmod(".git", 0o700));
  },

  "a check of one's own is asked of every path where it really leads, and refuses by throwing"({
    workspace,
    root,
  }) {
    fs.mkdirSync(`${root}/kept/sub`, { recursive: true });
    for (const file of ["kept/f", "plain"]) fs.writeFileSync(`${root}/${file}`, "x");
    fs.symlinkSync("kept", `${root}/l`);
    const guarded = workspace.guardedBy((at) => {
      if (at === "kept" || at.startsWith("kept/"))
        throw new HotcellError("DENIED", `Could not use "${at}": it is kept.`);
    });
    for (const path of ["kept/f", "l/f"]) refuseAll(READS, "DENIED", guarded, path);
    for (const path of ["kept/f", "l/f"]) {
      for (const change of Object.values(CHANGES)) refusesChange(() => change(guarded, path));
    }
    for (const path of ["kept", "l"]) expectRefusal("DENIED", () => guarded.list(path));
    assert.deepEqual(
      Array.from(guarded.walk("."), ({ path }) => path),
      ["kept", "l", "plain"],
    );
    assert.equal(guarded.read("plain").toString(), "x");
    assert.equal(workspace.read("kept/f").toString(), "x");
    guarded.guardedBy(() => {}).close();
    expectRefusal("WORKSPACE_UNUSABLE", () => workspace.read("plain"));
  },

  "files that hotcell itself makes while it writes are not there for anybody"({ workspace, root }) {
    fs.mkdirSync(`${root}/d`);
    fs.writeFileSync(`${root}/d/.hotcell-tmp-1`, "half");
    fs.symlinkSync(".hotcell-tmp-1", `${root}/d/l`);
    fs.writeFileSync(`${root}/plain`, "");
    assert.deepEqual(
      workspace.list("d").entries.map(({ name }) => name),
      ["l"],
    );
    assert.deepEqual(
      Array.from(workspace.walk("d"), ({ path }) => path),
      ["d/l"],
    );
    for (const path of ["d/.hotcell-tmp-1", "d/l", "d/.hotcell-tmp-2", ".hotcell-tmp-3/f"]) {
      refuseAll(READS, "NOT_FOUND", workspace, path);
      for (const change of ["write", "append", "mkdir", "copy to", "chmod"]) {
        expectRefusal("NOT_FOUND", () => CHANGES[change]!(workspace, path));
      }
    }
    workspace.remove("d", { recursive: true });
    assert.deepEqual(fs.readdirSync(root), ["plain"]);
  },

  "after close every operation is refused, and closing again is fine"({ workspace, root }) {
    fs.writeFileSync(`${root}/plain`, "kept");
    workspace.close();
    workspace.close();
    refuseAll(ALL, "WORKSPACE_UNUSABLE", workspace, "plain");
    assert.equal(fs.readFileSync(`${root}/plain`, "utf8"), "kept");
  },

  "no operation leaves a file open, however it ends"({ workspace, root }) {
    fs.mkdirSync(`${root}/d/sub`, { recursive: true });
    fs.symlinkSync("d/..", `${root}/l`);
    const before = openFiles();
    for (const operation of Object.values(ALL)) {
      for (const path of ["l/plain", "l/d", "missing", "d/../../x", "l/new/dir"]) {
        fs.writeFileSync(`${root}/plain`, "x");
        try {
          operation(workspace, path);
        } catch {}
      }
    }
    for (const _ of workspace.stream("plain")) break;
    for (const _ of workspace.walk(".")) break;
    // Other work of this process may close a file meanwhile.
    const left = openFiles();
    for (const file of before) if (left.includes(file)) left.splice(left.indexOf(file), 1);
    assert.deepEqual(left, []);
  },
};

/** What the descriptors of this process lead to. */
function openFiles(): string[] {
  return fs.readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      return [fs.readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return [];
    }
  });
}
