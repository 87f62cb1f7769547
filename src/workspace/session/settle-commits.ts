// Makes the layers reflect commits and reverts. Committed paths leave every layer: from then on only the project has
// them. Reverted paths enter the session again, in their own layer.

import {
  type Committed,
  countReverts,
  type LeavingPaths,
  readCommitted,
  readSteps,
} from "../commit/journal.ts";
import { type Cooperative, runCooperatively } from "../fs/cooperative.ts";
import {
  expectedVersion,
  type Fingerprint,
  fingerprintOf,
  identityAtPath,
  sameVersion,
} from "../fs/fingerprint.ts";
import { parentOf } from "../fs/path-text.ts";
import type { Root } from "../fs/paths.ts";
import { hasEntry } from "../layers/layer-dirs.ts";
import { type Base, keepText, readNotes, writeNotes } from "../layers/layer-notes.ts";
import { type Layer, type SessionRecord, sessionDir } from "../layers/record.ts";
import { statPath } from "../layers/stat-of.ts";
import { createNearest, readStack } from "./bases/known-bases.ts";
import { keepAncestor } from "./bases/take-bases.ts";
import { commitsIn, settledCommits, txDirOf } from "./commits.ts";
import { type Drop, dropPaths, replaceLayers } from "./drop-paths.ts";
import { enterReverted, rebaseReverted } from "./enter-reverted.ts";

export interface Settling {
  readonly stateDir: string;
  readonly project: Root;
  /** The session's view. */
  readonly view: Root;
  readonly signal?: AbortSignal | undefined;
}

/** Returns the same record if the layers reflect everything. Otherwise the caller must add a new live layer. */
export async function settleCommits(record: SessionRecord, settling: Settling): Promise<SessionRecord> {
  const dir = sessionDir(settling.stateDir, record.id);
  const settled = settledCommits(dir);
  const unsettled = commitsIn(dir).filter((number) => record.settled[number] !== settled[number]);
  if (unsettled.length === 0) return record;
  let next = record;
  for (const number of unsettled) {
    const txDir = txDirOf(dir, number);
    const times = record.settled[number] ?? 0;
    if (times === 0) next = await leaveCommitted(next, txDir, settling);
    else
      for (let time = times; time <= countReverts(txDir); time++)
        next = await enterReverted(next, txDir, time, settling);
  }
  return { ...next, settled };
}

async function leaveCommitted(
  record: SessionRecord,
  txDir: string,
  settling: Settling,
): Promise<SessionRecord> {
  const { done, left } = readCommitted(txDir);
  // A session of version 1 had its committed versions as bases, also where they were reverted.
  for (let time = 1; time <= countReverts(txDir); time++) rebaseReverted(record, txDir, time, settling);
  recordLeft(record, txDir, done, settling);
  if (done.size === 0) return record;
  const { leaving = { top: null, paths: [] } } = readSteps(txDir);
  return dropCommittedPaths(record, { done, left, leaving }, settling);
}

/**
 * Records bases where a commit did nothing in the end, or was rolled back. A roll-back makes files and directories
 * newer than the session, so that times no longer prove the base of a path that was deleted with its directory. The
 * version that the commit expected there is that base, unless the commit resolved a conflict.
 */
function recordLeft(
  { stack }: SessionRecord,
  txDir: string,
  done: ReadonlyMap<string, Committed>,
  { stateDir }: Settling,
): void {
  const known = readStack(stack, stateDir);
  const left = readSteps(txDir).steps.filter(
    ({ path, expect, settles }) =>
      expect !== null && settles === undefined && !done.has(path) && !known.bases.has(path),
  );
  const bases = new Map(left.map(({ path, expect }) => [path, expect]));
  for (const layer of bases.size === 0 ? [] : stack) {
    const notes = readNotes(layer, stateDir);
    const hiddenAbove = createNearest((at) => notes.hidden.has(at));
    const below = [...bases].filter(([path]) => hiddenAbove(path) !== undefined);
    for (const [path, base] of below) {
      notes.bases.set(path, base);
      bases.delete(path);
    }
    if (below.length > 0) writeNotes(layer, stateDir, notes);
  }
}

export interface CommittedPaths {
  readonly done: ReadonlyMap<string, Committed>;
  readonly left: readonly string[];
  readonly leaving: LeavingPaths;
}

/** Removes committed paths, and paths that needed no step, from the layers that were committed. */
export async function dropCommittedPaths(
  record: SessionRecord,
  leavers: CommittedPaths,
  settling: Settling,
): Promise<SessionRecord> {
  const { stack, left } = record;
  const { top, paths } = leavers.leaving;
  const last = top === null ? -1 : stack.findIndex(({ session, name }) => `${session}/${name}` === top);
  const upTo = last < 0 ? stack.length - 1 : last;
  if (paths === "all" && leavers.left.length === 0 && last >= 0) {
    const replaced = new Map(stack.slice(0, upTo + 1).map((layer) => [layer, null]));
    return {
      ...record,
      stack: stack.slice(upTo + 1),
      left: left.map((other) => replaceLayers(other, replaced)),
    };
  }
  const { drops, bases } = await runCooperatively(
    chooseDrops(record, leavers, last >= 0, settling),
    settling.signal,
  );
  const { replaced, next } = await dropPaths(record, drops, { ...settling, upTo, bases });
  if (replaced.size === 0) return record;
  return {
    ...record,
    next,
    stack: replaceLayers(stack, replaced),
    left: left.map((other) => replaceLayers(other, replaced)),
  };
}

interface Chosen {
  readonly drops: ReadonlyMap<string, Drop>;
  readonly bases: ReadonlyMap<string, Base>;
}

function* chooseDrops(
  record: SessionRecord,
  { done, left, leaving }: CommittedPaths,
  isTopKnown: boolean,
  settling: Settling,
): Cooperative<Chosen> {
  const drops = new Map<string, Drop>();
  const bases = new Map<string, Base>();
  if (leaving.paths !== "all")
    for (const at of leaving.paths) if (!left.includes(at)) drops.set(at, { isWhole: false, isShown: true });
  for (const [at, committed] of done) {
    const { put } = committed;
    bases.set(at, baseAfter(at, committed, record, settling));
    if (yield* isStillChanged(at, committed, isTopKnown, settling.view))
      drops.set(at, {
        isWhole: true,
        isShown: false,
        stays: isRemoved(at, settling.view) ? "removed" : "changed",
      });
    else drops.set(at, { isWhole: put?.kind !== "directory", isShown: put !== null });
  }
  return { drops, bases };
}

/** Whether the session differs from the committed version: only some hunks were committed, or a process has changed the file since. */
function* isStillChanged(
  at: string,
  { put, step }: Committed,
  isTopKnown: boolean,
  view: Root,
): Cooperative<boolean> {
  if (isTopKnown && step.content !== "hunks") return false;
  const found = yield* fingerprintOf(view, at);
  if (step.content === "merged" && found?.sha256 === step.merges) return false;
  return !sameVersion(found && { ...found, mode: found.mode & 0o777 }, put && expectedVersion(put));
}

/** Whether the view has the directory of the path, and not the path. */
function isRemoved(at: string, view: Root): boolean {
  const parent = parentOf(at);
  return statPath(view, at) === null && (parent === "" || statPath(view, parent)?.isDirectory() === true);
}

/** The base of a later change. It is unknown after a merge, because the session has not seen the other edits. */
function baseAfter(
  at: string,
  { put, step }: Committed,
  { stack }: SessionRecord,
  { stateDir, project }: Settling,
): Base {
  const layer: Layer = stack.at(-1)!;
  if (step.settles === "merged") return "unknown";
  if (put?.kind === "directory") return directoryBase(at, expectedVersion(put), project);
  if (step.content === "hunks") keepText(layer, stateDir, step.sha256!, step.text!);
  else if (put !== null && hasEntry(layer, at, stateDir))
    keepAncestor(at, expectedVersion(put), layer, stateDir, project);
  return put && expectedVersion(put);
}

/** Includes mode bits that the directory inherited from its parent, such as setgid. */
function directoryBase(at: string, expected: Fingerprint, project: Root): Fingerprint {
  const found = identityAtPath(project, at);
  const isIt = found?.kind === "directory" && (found.mode & 0o777) === expected.mode;
  return isIt ? { ...found, sha256: null } : expected;
}
