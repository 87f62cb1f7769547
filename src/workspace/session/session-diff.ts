// What a session changed, or one call of it. Takes no part in the session's lock: a person can look while
// an agent works.
import fs from "node:fs";
import { type FingerprintOf, haveSameContent } from "../commit/fingerprint.ts";
import type { Change } from "../diff/changes.ts";
import { type DiffInput, diffTrees } from "../diff/diff-trees.ts";
import { patchText } from "../diff/render.ts";
import { shownChanges } from "../diff/shown-changes.ts";
import { type Looked, openTreeReader } from "../diff/tree-reader.ts";
import { TIME_STEP_MS } from "../file-clock.ts";
import { openCloneSides } from "../overlay/clone-view.ts";
import { openKernelSides } from "../overlay/kernel-view.ts";
import { openRealRoot, type Root } from "../paths.ts";
import { inPieces, type Pieces } from "../pieces.ts";
import { type Looks, ownChanges } from "./concurrent-changes.ts";
import { type TouchedOptions, touchedBy } from "./layers.ts";
import { readMounts } from "./mounts.ts";
import { refuseForeign, type SessionRecord, sessionDir } from "./record.ts";
import type { SessionPlace, ShownView, Sides, Span } from "./session-view.ts";
import { indexOfCall } from "./stack.ts";
import { whileSteady } from "./while-steady.ts";

export interface DiffOptions extends Omit<SessionPlace, "onProgress"> {
  /** Only what this call changed: its id, or `#3`. */
  readonly call?: string;
  readonly signal?: AbortSignal;
  /** A view of the whole session, used where no directory of the project that matters may have changed since; else one is made. */
  readonly shown?: ShownView | null;
  /** What layers have, as far as it is known. */
  readonly known?: Pick<TouchedOptions, "namesIn" | "toured">;
  /** Files are compared by these; then no change has hunks or tells whether it is binary. */
  readonly fingerprintOf?: FingerprintOf;
}

export interface SessionDiff {
  readonly changes: readonly Change[];
  /** Without directories that came or went with what is in them. */
  readonly shown: readonly Change[];
  /** For `git apply`, in pieces; without what is marked as contested, which it would undo in the project. */
  patch(): Generator<Buffer, void, void>;
}

/** Works with the diff while both sides are there to be read. */
export async function withDiff<T>(
  id: string,
  options: DiffOptions,
  work: (diff: SessionDiff, sides: Sides, record: SessionRecord) => T | Promise<T>,
): Promise<T> {
  const opened = await whileSteady(id, options.stateDir, (record) =>
    openDiff(record, spanOf(record, options.call), options),
  );
  return workOn(opened, work);
}

type FindOptions = DiffOptions & Pick<DiffInput, "onDirectory" | "onFound">;

interface OpenDiff {
  readonly diff: SessionDiff;
  readonly sides: Sides;
  readonly record: SessionRecord;
}

async function openDiff(record: SessionRecord, span: Span, options: DiffOptions): Promise<OpenDiff> {
  const view = span.below === null ? options.shown : null;
  const shown = view && (await diffShown(record, span, options, view));
  return shown ?? diffSides(await openSidesOf(record, options.stateDir, span), record, span, options);
}

/** Null where the project may have names that the view does not show. */
async function diffShown(
  record: SessionRecord,
  span: Span,
  options: DiffOptions,
  { root, until = Number.POSITIVE_INFINITY }: ShownView,
): Promise<OpenDiff | null> {
  const mayBeOld = new Error("The view may be old.");
  const onDirectory = (changedMs: number): void => {
    if (changedMs >= until - TIME_STEP_MS) throw mayBeOld;
  };
  try {
    return await diffSides(openSidesWith(root, record), record, span, { ...options, onDirectory });
  } catch (error) {
    if (error !== mayBeOld) throw error;
    return null;
  }
}

async function diffSides(
  sides: Sides,
  record: SessionRecord,
  span: Span,
  options: FindOptions,
): Promise<OpenDiff> {
  try {
    const isWhole = span.below === null;
    const looks: Looks | null = isWhole ? new Map() : null;
    const onFound = (path: string, found: Looked) => looks!.set(path, found);
    const watch = looks === null ? options : { ...options, onFound };
    const found = await inPieces(findChanges(record, span, sides, watch), options.signal);
    const changes = await ownOf(found, { record, looks, view: isWhole ? sides.after : null }, options);
    const diff = { changes, shown: shownChanges(changes), patch: () => patchOf(changes, sides) };
    return { diff, sides, record };
  } catch (error) {
    sides.close();
    throw error;
  }
}

async function ownOf(
  changes: readonly Change[],
  compared: { readonly record: SessionRecord; readonly looks: Looks | null; readonly view: Root | null },
  { stateDir, signal }: DiffOptions,
): Promise<Change[]> {
  const project = openRealRoot(compared.record.workspace);
  try {
    return await inPieces(ownChanges(changes, { ...compared, stateDir, project }), signal);
  } finally {
    fs.closeSync(project.fd);
  }
}

async function workOn<T>(
  { diff, sides, record }: OpenDiff,
  work: (diff: SessionDiff, sides: Sides, record: SessionRecord) => T | Promise<T>,
): Promise<T> {
  try {
    return await work(diff, sides, record);
  } finally {
    sides.close();
  }
}

function spanOf({ stack }: SessionRecord, call: string | undefined): Span {
  if (call === undefined) return { below: null, upTo: stack.length };
  const index = indexOfCall(stack, call);
  return { below: index, upTo: index + 1 };
}

export function openSidesOf(record: SessionRecord, stateDir: string, span: Span): Promise<Sides> {
  refuseForeign(sessionDir(stateDir, record.id));
  const open = record.strategy === "kernel" ? openKernelSides : openCloneSides;
  return open(record, stateDir, span);
}

function openSidesWith(after: Root, { workspace }: SessionRecord): Sides {
  const before = openRealRoot(workspace);
  return { before, after, close: () => fs.closeSync(before.fd) };
}

function* findChanges(
  record: SessionRecord,
  { below, upTo }: Span,
  { before, after }: Sides,
  { stateDir, protectionOf, known, fingerprintOf, onDirectory, onFound }: FindOptions,
): Pieces<Change[]> {
  return yield* diffTrees({
    before,
    after,
    touched: touchedBy(record.stack.slice(below ?? 0, upTo), stateDir, known),
    tellsAll: record.strategy === "clone",
    isOverlay: record.strategy === "kernel",
    isMounted: readMounts(record.workspace),
    isMasked: (path) => protectionOf(path)?.read === "refuse",
    protectionOf,
    ...(onDirectory && { onDirectory }),
    ...(onFound && { onFound }),
    ...(fingerprintOf && {
      *isSameFile(path) {
        return haveSameContent(yield* fingerprintOf(before, path), yield* fingerprintOf(after, path));
      },
    }),
  });
}

function* patchOf(changes: readonly Change[], sides: Sides): Generator<Buffer, void, void> {
  const before = openTreeReader(sides.before);
  const after = openTreeReader(sides.after);
  try {
    yield* patchText(
      changes.filter(({ contested }) => contested !== true),
      { before, after },
    );
  } finally {
    before.close();
    after.close();
  }
}
