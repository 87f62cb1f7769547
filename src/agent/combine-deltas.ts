// Joins the many small pieces of streamed text into some 20 events a second.
import type { AgentEventBody } from "./agent-event.ts";

type Delta = Extract<AgentEventBody, { readonly kind: "text" | "thinking" | "call.output" }>;

export interface DeltaCombiner {
  add(delta: Delta): void;
  /** Reports what is held back, before anything else is reported. */
  flush(): void;
  /** Forgets what is held back. */
  drop(): void;
}

const INTERVAL_MS = 50;

export function combineDeltas(report: (body: AgentEventBody) => void): DeltaCombiner {
  let held: Delta | null = null;
  let timer: NodeJS.Timeout | undefined;
  let failure: unknown = null;
  const drop = () => {
    clearTimeout(timer);
    timer = undefined;
    held = null;
  };
  const flush = () => {
    const last = held;
    drop();
    if (failure !== null) throw failure;
    if (last !== null) report(last);
  };
  /** Nobody would catch an error in a timer: the next caller gets it. */
  const flushInTime = () => {
    try {
      flush();
    } catch (error) {
      failure = error;
    }
  };
  return {
    flush,
    drop,
    add(delta) {
      if (held !== null && !continues(held, delta)) flush();
      held = held === null ? delta : join(held, delta);
      timer ??= setTimeout(flushInTime, INTERVAL_MS);
    },
  };
}

function continues(a: Delta, b: Delta): boolean {
  if (a.kind === "call.output") return b.kind === a.kind && a.callId === b.callId && a.stream === b.stream;
  return a.kind === b.kind;
}

function join(a: Delta, b: Delta): Delta {
  if (a.kind === "call.output" && b.kind === "call.output") return { ...a, text: a.text + b.text };
  if (a.kind !== "call.output" && b.kind !== "call.output") return { ...a, content: a.content + b.content };
  return b;
}
