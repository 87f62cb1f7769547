import fs from "node:fs";
import path from "node:path";
import { createProtection } from "../../../src/policy/protected.ts";
import { type CommitPlan, type PlanInput, planCommit } from "../../../src/workspace/commit/plan/plan.ts";
import { type Recovery, recoverCommit } from "../../../src/workspace/commit/recover.ts";
import { type RevertResult, revertCommit } from "../../../src/workspace/commit/revert.ts";
import {
  type ApplyOptions,
  applyCommit,
  type CommitResult,
} from "../../../src/workspace/commit/run-commit.ts";
import type { Change } from "../../../src/workspace/diff/changes.ts";
import { diffTrees } from "../../../src/workspace/diff/diff-trees.ts";
import { applyHunks, threeWayMerge } from "../../../src/workspace/diff/hunks.ts";
import { type Cooperative, runToEnd } from "../../../src/workspace/fs/cooperative.ts";
import { type Fingerprint, fingerprintOf } from "../../../src/workspace/fs/fingerprint.ts";
import { decodeName, osPath } from "../../../src/workspace/fs/names.ts";
import { openRoot, type Root } from "../../../src/workspace/fs/paths.ts";
import { MEMORY_DIR } from "../memory-dir.ts";
import { removeTree } from "../remove-tree.ts";
import { touchedIn, withReaders } from "./diff-world.ts";

/** A tree as text: `file 644 content`, `link target`, `directory 755`. */
export type Tree = Readonly<Record<string, string>>;

export interface CommitWorld {
  readonly top: string;
  readonly txDir: string;
  readonly project: Root;
  readonly view: Root;
  /** Creates the project as it was when the session began, and the same view. */
  begin(tree: Tree): void;
  /** Changes the project or the view; null removes. */
  change(where: "project" | "view", changes: Readonly<Record<string, string | null>>): void;
  tree(where: "project" | "view"): Tree;
  changes(): Change[];
  plan(options?: Partial<PlanInput>): CommitPlan;
  apply(plan: CommitPlan, options?: Partial<ApplyOptions>): Promise<CommitResult>;
  commit(options?: Partial<PlanInput>): Promise<CommitResult>;
  recover(): Promise<Recovery>;
  revert(): Promise<RevertResult>;
  remove(): void;
}

/** In memory, so that commits do not wait for the disk. */
export function makeCommitWorld(base = MEMORY_DIR, stateBase = base): CommitWorld {
  const top = fs.realpathSync(fs.mkdtempSync(path.join(base, "hotcell-commit-")));
  const state = stateBase === base ? `${top}/state` : fs.mkdtempSync(path.join(stateBase, "hotcell-commit-"));
  for (const name of ["project", "view"]) fs.mkdirSync(`${top}/${name}`);
  const project = openRoot(`${top}/project`);
  const view = openRoot(`${top}/view`);
  const txDir = `${state}/tx/1`;
  const bases = new Map<string, Fingerprint>();
  const ancestors = new Map<string, string>();

  const plan: CommitWorld["plan"] = (options) =>
    runToEnd(
      planCommit({
        changes: options?.changes ?? changesOf(project, view),
        selection: "all",
        baseOf: (at) => inOnePiece(bases.get(at) ?? null),
        ancestorText: (at) => ancestors.get(at) ?? null,
        project,
        view: () => view,
        fingerprintOf,
        policy: "abort",
        allowProtected: false,
        lostSecrets: [],
        protectionOf: createProtection(),
        applyHunks,
        threeWayMerge,
        ...options,
      }),
    );
  const apply: CommitWorld["apply"] = (planned, options) =>
    applyCommit(planned, { project, view: () => view, txDir, ...options });

  return {
    top,
    txDir,
    project,
    view,
    begin(tree) {
      for (const root of [project, view]) changeTree(root.path, tree);
      for (const [at, what] of Object.entries(treeOf(project.path))) {
        bases.set(at, runToEnd(fingerprintOf(project, at))!);
        if (what.startsWith("file"))
          ancestors.set(at, fs.readFileSync(osPath(`${project.path}/${at}`), "utf8"));
      }
    },
    change: (where, changes) => changeTree(`${top}/${where}`, changes),
    tree: (where) => treeOf(`${top}/${where}`),
    changes: () => changesOf(project, view),
    plan,
    apply,
    commit: async (options) => apply(plan(options)),
    recover: () => recoverCommit(txDir, project),
    revert: () => revertCommit(txDir, project),
    remove() {
      for (const { fd } of [project, view]) fs.closeSync(fd);
      for (const dir of [top, state]) removeTree(dir);
    },
  };
}

export function* inOnePiece<T>(value: T): Cooperative<T> {
  yield;
  return value;
}

function changesOf(project: Root, view: Root): Change[] {
  const protectionOf = createProtection();
  return withReaders(project.fd, view.fd, (readers) =>
    runToEnd(
      diffTrees({
        ...readers,
        project: project.fd,
        layers: [project, view].map(({ fd }) => ({ entry: touchedIn(fd), call: "c1" })),
        isMounted: () => false,
        isHidden: (at) => protectionOf(at)?.read === "refuse",
        protectionOf,
      }),
    ),
  );
}

/** A change of a file's content, without comparing the contents. */
export function editOf(at: string): Change {
  const side = { kind: "file", mode: 0o644, size: 0, target: null } as const;
  return {
    path: at,
    kind: "modified",
    before: side,
    after: side,
    binary: false,
    added: 1,
    removed: 1,
    hunks: [],
    calls: [],
    protection: null,
  };
}

export function changeTree(top: string, changes: Readonly<Record<string, string | null>>): void {
  for (const [at, what] of Object.entries(changes)) {
    const full = path.join(top, at);
    if (what === null) fs.rmSync(full, { recursive: true });
    else make(full, what);
  }
}

function make(at: string, what: string): void {
  const [, kind, rest = ""] = /^(file|link|directory) ?(.*)$/s.exec(what)!;
  fs.mkdirSync(path.dirname(at), { recursive: true });
  const [mode] = rest.split(" ", 1);
  if (kind === "link") {
    fs.rmSync(at, { force: true });
    fs.symlinkSync(rest, at);
  } else if (kind === "directory") {
    fs.mkdirSync(at, { recursive: true });
    fs.chmodSync(at, Number.parseInt(rest || "755", 8));
  } else {
    // Also a file that was read-only.
    if (fs.existsSync(at)) fs.chmodSync(at, 0o644);
    fs.writeFileSync(at, rest.slice(mode!.length + 1));
    fs.chmodSync(at, Number.parseInt(mode!, 8));
  }
}

export function treeOf(top: string): Tree {
  const found: Record<string, string> = {};
  const visit = (at: string) => {
    for (const name of fs
      .readdirSync(osPath(`${top}/${at}`), { encoding: "buffer" })
      .map(decodeName)
      .sort()) {
      const below = at === "" ? name : `${at}/${name}`;
      const full = osPath(`${top}/${below}`);
      const stat = fs.lstatSync(full);
      const mode = (stat.mode & 0o7777).toString(8);
      if (stat.isSymbolicLink()) found[below] = `link ${fs.readlinkSync(full)}`;
      else if (stat.isFile()) found[below] = `file ${mode} ${fs.readFileSync(full, "utf8")}`;
      else if (stat.isDirectory()) {
        found[below] = `directory ${mode}`;
        visit(below);
      } else found[below] = "special";
    }
  };
  visit("");
  return found;
}
