// Checkpoint, rewind and fork are about lists of layers: pure, and tested without a kernel.
import { HotcellError } from "../../core/errors.ts";
import { quote } from "../../core/quote.ts";
import type { CallMark, Layer, SessionRecord, Stack } from "./record.ts";

export function liveLayer({ stack }: Pick<SessionRecord, "stack">): Layer {
  return stack[stack.length - 1]!;
}

/** What follows belongs to this call. An empty live layer is given to it; else a new one is put on top. */
export function checkpointed(
  record: SessionRecord,
  call: CallMark | null,
  liveIsEmpty: boolean,
): SessionRecord {
  if (!liveIsEmpty) return pushed(record, record.stack, call);
  const live = { ...liveLayer(record), call };
  return { ...record, stack: [...record.stack.slice(0, -1), live] };
}

/** The session as it was before this call. What is left behind is kept. */
export function rewound(record: SessionRecord, to: string): SessionRecord {
  const below = record.stack.slice(0, indexOfCall(record.stack, to));
  return { ...pushed(record, below, null), left: [...record.left, record.stack] };
}

/** The session as it was before the last rewind. */
export function unwound(record: SessionRecord): SessionRecord {
  const stack = record.left[record.left.length - 1];
  if (stack === undefined) throw new HotcellError("NOT_FOUND", "There is no rewind to undo.");
  return { ...pushed(record, stack, null), left: record.left.slice(0, -1) };
}

/** Another session that begins with what this one has. Both go on from there on their own. */
export function forked(record: SessionRecord, id: string, created: string): SessionRecord {
  const stack = record.stack.map((layer) => ({ ...layer }));
  return pushed({ ...record, id, created, left: [], next: 1 }, stack, null);
}

/** The calls that the session has, oldest first: each can be rewound to. */
function callsOf({ stack }: Pick<SessionRecord, "stack">): CallMark[] {
  return stack.flatMap(({ call }) => (call === null ? [] : [call]));
}

function pushed(record: SessionRecord, stack: Stack, call: CallMark | null): SessionRecord {
  const layer: Layer = { session: record.id, name: String(record.next), call };
  return { ...record, stack: [...stack, layer], next: record.next + 1 };
}

/** By its id, or `#3` for the third call of the session. */
function indexOfCall(stack: Stack, to: string): number {
  const ordinal = /^#([1-9]\d*)$/.exec(to)?.[1];
  const call = ordinal === undefined ? undefined : callsOf({ stack })[Number(ordinal) - 1]?.id;
  const index = stack.findIndex((layer) => layer.call?.id === (call ?? to));
  if (index >= 0) return index;
  throw new HotcellError(
    "NOT_FOUND",
    `The session has no call ${quote(to)} that changed something. See hotcell session show.`,
  );
}
