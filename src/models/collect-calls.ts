// Collects the calls of one answer from their fragments. It repairs nothing: what is incomplete is marked so.

import type { ChunkBody, ModelCall, StopReason } from "./model.ts";
import { newCallId } from "./new-call-id.ts";

/** A chunk about a call. */
type CallChunk = Extract<ChunkBody, { readonly type: `tool_call_${string}` }>;

export interface CallCollector {
  open(key: unknown, id: string | undefined, name: string): CallChunk;
  /** Adds a fragment of the arguments. Null if there is no such call. */
  add(key: unknown, text: string): CallChunk | null;
  /** A call that comes in one piece. */
  addWhole(key: unknown, id: string | undefined, name: string, text: string): CallChunk[];
  /** Ends one call that the wire has marked as whole. */
  end(key: unknown): CallChunk | null;
  /**
   * Ends the rest. At `length` the last call was cut off, and so was every call whose arguments had not begun. What was
   * refused may have been cut anywhere.
   */
  endAll(stop: StopReason): CallChunk[];
  calls(): ModelCall[];
}

interface OpenCall {
  readonly id: string;
  readonly name: string;
  readonly fragments: string[];
  state: "open" | "complete" | "cut";
}

export function collectCalls(): CallCollector {
  const byKey = new Map<unknown, OpenCall>();
  const ids = new Set<string>();
  const uniqueId = (id: string | undefined): string => {
    const unique = id === undefined || id === "" || ids.has(id) ? newCallId() : id;
    ids.add(unique);
    return unique;
  };
  const close = (call: OpenCall, state: "complete" | "cut"): CallChunk => {
    call.state = state;
    return { type: "tool_call_end", toolId: call.id, complete: state === "complete" };
  };
  const open = (key: unknown, id: string | undefined, name: string): CallChunk => {
    const call: OpenCall = { id: uniqueId(id), name, fragments: [], state: "open" };
    byKey.set(key, call);
    return { type: "tool_call_start", toolId: call.id, toolName: name };
  };
  return {
    open,
    addWhole(key, id, name, text) {
      const start = open(key, id, name);
      const call = byKey.get(key)!;
      call.fragments.push(text);
      return [start, { type: "tool_call_delta", toolId: call.id, content: text }, close(call, "complete")];
    },
    add(key, text) {
      const call = byKey.get(key);
      if (call === undefined || call.state !== "open" || text === "") return null;
      call.fragments.push(text);
      return { type: "tool_call_delta", toolId: call.id, content: text };
    },
    end(key) {
      const call = byKey.get(key);
      return call?.state === "open" ? close(call, "complete") : null;
    },
    endAll(stop) {
      const all = [...byKey.values()];
      const isCut = (call: OpenCall) =>
        stop === "refusal" || (stop === "length" && (call === all.at(-1) || call.fragments.length === 0));
      return all
        .filter(({ state }) => state === "open")
        .map((call) => close(call, isCut(call) ? "cut" : "complete"));
    },
    calls: () =>
      [...byKey.values()].map(({ id, name, fragments, state }) => ({
        id,
        name,
        arguments: fragments.join(""),
        complete: state === "complete",
      })),
  };
}
