// Checkpoint, rewind and fork, as operations on lists of layers.
import { HotcellError } from "../../core/errors.ts";
import { quote } from "../../core/quote.ts";
import {
  type CallMark,
  type Layer,
  OWN_DATABASE,
  type SessionRecord,
  type Stack,
  type Strategy,
} from "./record.ts";

export function liveLayer({ stack }: Pick<SessionRecord, "stack">): Layer {
  return stack[stack.length - 1]!;
}

/** Attributes the following changes to this call: assigns an empty live layer to it, or adds a new one. */
export function checkpointRecord(
  record: SessionRecord,
  call: CallMark | null,
  liveIsEmpty: boolean,
  since: number,
): SessionRecord {
  if (!liveIsEmpty) return pushLayer(record, record.stack, call, since);
  const live = { ...liveLayer(record), call, since };
  return { ...record, stack: [...record.stack.slice(0, -1), live] };
}

/** A new session of a project, without changes. */
export function newRecord(id: string, workspace: string, strategy: Strategy, since: number): SessionRecord {
  const created = now();
  const empty = { version: 2, id, workspace, created, strategy, left: [], next: 1, settled: {} } as const;
  return pushLayer({ ...empty, stack: [] }, [], null, since);
}

/** The session as it was before this call. The replaced stack is kept. */
export function rewindRecord(record: SessionRecord, to: string, since: number): SessionRecord {
  return replaceStack(record, record.stack.slice(0, indexOfCall(record, to)), since);
}

/** The session as it was before the last rewind. The present stack is kept in its place. */
export function undoRewindRecord(record: SessionRecord, since: number): SessionRecord {
  const stack = record.left[record.left.length - 1];
  if (stack === undefined) throw new HotcellError("NOT_FOUND", "There is no rewind to undo.");
  const left = [...record.left.slice(0, -1), record.stack];
  return { ...pushLayer(record, stack, null, since), left, leftMs: since };
}

/** Another session that starts with these layers. Both continue independently. */
export function forkRecord(record: SessionRecord, stack: Stack, id: string, since: number): SessionRecord {
  const child = { ...record, id, created: now(), left: [], next: 1, settled: {} };
  // Each session has its own database.
  const own = record.database === undefined ? child : { ...child, database: OWN_DATABASE };
  return pushLayer(own, stack, null, since);
}

/** The session with another list of layers below a new live one. The replaced stack is kept. */
export function replaceStack(record: SessionRecord, stack: Stack, since: number): SessionRecord {
  return { ...pushLayer(record, stack, null, since), left: [...record.left, record.stack], leftMs: since };
}

/** The session with a new live layer on top of its non-empty ones. */
export function dropEmptyLayers(
  record: SessionRecord,
  isEmpty: (layer: Layer) => boolean,
  since: number,
): SessionRecord {
  const stack = record.stack.filter((layer) => !isEmpty(layer));
  return pushLayer(record, stack, null, since);
}

const now = (): string => new Date().toISOString();

function pushLayer(record: SessionRecord, stack: Stack, call: CallMark | null, since: number): SessionRecord {
  const layer: Layer = { session: record.id, name: String(record.next), call, since };
  return { ...record, stack: [...stack, layer], next: record.next + 1 };
}

/** Finds a call by its id, or by `#3` for the third call of the session. Of several with one id the last counts. The error names these commits. */
export function indexOfCall(
  { id, stack }: Pick<SessionRecord, "id" | "stack">,
  to: string,
  commits: readonly string[] = [],
): number {
  const ordinal = /^#([1-9]\d*)$/.exec(to)?.[1];
  const index =
    ordinal === undefined
      ? stack.findLastIndex(({ call }) => call?.id === to)
      : indexOfNth(stack, Number(ordinal));
  if (index >= 0) return index;
  const message = `The session has no call ${quote(to)} that still has changes. See hotcell session show.`;
  throw new HotcellError("NOT_FOUND", `${message}${describeCommits(id, commits)}`);
}

function describeCommits(id: string, commits: readonly string[]): string {
  const revert = `run hotcell session revert ${id} --tx`;
  if (commits.length === 0) return "";
  if (commits.length === 1)
    return ` Commit ${commits[0]} stays in the project. To revert it, ${revert} ${commits[0]}.`;
  return ` Commits ${commits.join(", ")} stay in the project. To revert one, ${revert} NUMBER.`;
}

function indexOfNth(stack: Stack, ordinal: number): number {
  const withCalls = stack.flatMap(({ call }, index) => (call === null ? [] : [index]));
  return withCalls[ordinal - 1] ?? -1;
}
