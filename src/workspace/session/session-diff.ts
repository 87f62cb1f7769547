// The changes of a session or of one call. The diff is read from the layers, without a mount and without the
// session's lock, so a person can read it while an agent works.
import fs from "node:fs";
import { isNamedBy, isSelectedBy } from "../commit/plan/selection.ts";
import type { Change } from "../diff/changes.ts";
import { diffTrees } from "../diff/diff-trees.ts";
import { leadsOutside } from "../diff/leads-outside.ts";
import { markIgnored } from "../diff/mark-ignored.ts";
import { patchText } from "../diff/render.ts";
import { shownChanges } from "../diff/shown-changes.ts";
import { runCooperatively } from "../fs/cooperative.ts";
import { type FingerprintOf, haveSameContent, type RootOf } from "../fs/fingerprint.ts";
import { readMounts } from "../fs/mountinfo.ts";
import { openRealRoot, type Root } from "../fs/paths.ts";
import { openTreeReader } from "../fs/tree-reader.ts";
import { layerDir } from "../layers/layer-dirs.ts";
import { readLiveLayers } from "../layers/layer-tree.ts";
import { refuseForeign, type SessionRecord, sessionDir } from "../layers/record.ts";
import { indexOfCall } from "../layers/stack.ts";
import { openStackReader, type StackReader } from "../layers/stack-reader.ts";
import { createHiddenCheck } from "../overlay/hidden-check.ts";
import type { SessionStore } from "../overlay/session-view.ts";
import { ownChanges } from "./bases/concurrent-changes.ts";
import { commitsSince } from "./commits.ts";
import { retryOnChange } from "./retry-on-change.ts";

export interface SessionDiffOptions extends Omit<SessionStore, "onProgress"> {
  /** Only the changes of this call: its id, or `#3`. */
  readonly call?: string | undefined;
  /** Also shows files that git ignores. */
  readonly all?: boolean | undefined;
  /** Only the changes at these paths and below them. */
  readonly paths?: readonly string[] | undefined;
  readonly signal?: AbortSignal;
  /** Nobody writes to the session meanwhile. */
  readonly isQuiet?: boolean;
  /** Compares files by fingerprint. Changes then have no hunks, and `binary` is not determined. */
  readonly fingerprintOf?: FingerprintOf;
}

export interface SessionDiff {
  readonly changes: readonly Change[];
  /** Without files that git ignores, unless `all` is set. */
  readonly visible: readonly Change[];
  /** The visible changes, without directories that were added or deleted with their content. */
  readonly shown: readonly Change[];
  /** How many files are left out of `visible`. */
  readonly ignored: number;
  /** A patch for `git apply`, in pieces, without contested changes, which would undo the project's. */
  patch(): Generator<Buffer, void, void>;
}

/** The two trees of a commit, open as long as the diff. */
export interface DiffSources {
  readonly project: Root;
  /** The session's view. */
  readonly view: RootOf;
}

/** Runs the work while the diff's trees are open. */
export async function withDiff<T>(
  id: string,
  options: SessionDiffOptions,
  work: (diff: SessionDiff, record: SessionRecord, sources: DiffSources) => T | Promise<T>,
): Promise<T> {
  const { diff, record, sources, close } = await retryOnChange(
    id,
    options.stateDir,
    (record) => openDiff(record, options),
    (opened) => opened.close(),
  );
  try {
    return await work(diff, record, sources);
  } finally {
    close();
  }
}

interface OpenDiff {
  readonly diff: SessionDiff;
  readonly record: SessionRecord;
  readonly sources: DiffSources;
  close(): void;
}

async function openDiff(
  record: SessionRecord,
  {
    stateDir,
    protectionOf,
    call,
    paths,
    all = false,
    isQuiet = false,
    fingerprintOf,
    signal,
  }: SessionDiffOptions,
): Promise<OpenDiff> {
  const dir = sessionDir(stateDir, record.id);
  refuseForeign(dir);
  const { stack, strategy, workspace } = record;
  const below = call === undefined ? 0 : indexOfCall(record, call, commitsSince(dir, 0));
  const layers = call === undefined ? stack : stack.slice(0, below + 1);
  const dirs = layers.map((layer) => layerDir(stateDir, layer));
  const trees = await readLiveLayers(dirs, strategy);
  const written = isQuiet ? null : layerDir(stateDir, stack.at(-1)!);
  const project = openRealRoot(workspace);
  const before =
    call === undefined ? openTreeReader(project) : openStackReader(project, trees.slice(0, below));
  const after = openStackReader(project, trees, written);
  const sources = { project, view: after.rootOf };
  const close = () => {
    before.close();
    after.close();
    fs.closeSync(project.fd);
  };
  try {
    const found = await runCooperatively(
      diffTrees({
        before,
        after,
        project: project.fd,
        layers: layers.slice(below).map((layer, index) => ({
          entry: trees[below + index]!,
          call: layer.call?.id ?? null,
        })),
        isMounted: readMounts(workspace),
        isHidden: createHiddenCheck(sessionDir(stateDir, record.id), strategy, protectionOf),
        protectionOf,
        ...(fingerprintOf && { isSameFile: sameFile(sources, fingerprintOf) }),
      }),
      signal,
    );
    const compared = { record, stateDir, project, after: call === undefined ? after : null };
    const own = await runCooperatively(ownChanges(found, compared), signal);
    const chosen = paths === undefined ? own : own.filter((change) => isAtOrBelow(change, paths));
    const changes = await markIgnored(markOutside(chosen, after, workspace), project);
    const visible = all ? changes : changes.filter((change) => isVisible(change, paths));
    const patch = () =>
      patchText(
        visible.filter(({ contested }) => contested !== true),
        { before, after },
      );
    const shown = shownChanges(visible);
    const ignored = shownChanges(changes).length - shown.length;
    return { diff: { changes, visible, shown, ignored, patch }, record, sources, close };
  } catch (error) {
    close();
    throw error;
  }
}

function isVisible(change: Change, paths: readonly string[] | undefined): boolean {
  return change.ignored === undefined || paths?.some((path) => isNamedBy(change, path)) === true;
}

function isAtOrBelow(change: Change, paths: readonly string[]): boolean {
  return paths.some((selected) => isSelectedBy(change, selected));
}

function markOutside(changes: readonly Change[], after: StackReader, workspace: string): Change[] {
  const isOutside = ({ path, after: side }: Change) =>
    side?.kind === "symlink" && leadsOutside(path, after, workspace);
  return changes.map((change) => (isOutside(change) ? { ...change, leadsOutside: true } : change));
}

function sameFile({ project, view }: DiffSources, fingerprintOf: FingerprintOf) {
  return function* (path: string) {
    return haveSameContent(yield* fingerprintOf(project, path), yield* fingerprintOf(view(path), path));
  };
}
