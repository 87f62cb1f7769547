// What happens beside runs, for everybody who is connected.
import type { Question } from "../../approval/desk.ts";

export type ServerEvent =
  | { readonly type: "session:changed"; readonly sessionId: string }
  | ({ readonly type: "approval:asked" } & Question)
  | {
      readonly type: "approval:answered";
      readonly id: string;
      readonly callId: string;
      readonly session: string | null;
      /** Null if another process has the answer. */
      readonly approved: boolean | null;
    };

/** Something in the state directory that other processes change, too. */
export interface Watched {
  /** Notes how it is now: from now on somebody listens. */
  begin(): void;
  /** Emits what has changed since the last look. */
  look(): void;
}

export interface ServerEvents {
  emit(event: ServerEvent): void;
  /** Looks at it a few times a second while somebody listens. */
  watch(watched: Watched): void;
  /** Returns a function that ends it. */
  listen(listener: (event: ServerEvent) => void): () => void;
  close(): void;
}

const LOOK_EVERY_MS = 250;

export function createServerEvents(onError: (error: unknown) => void): ServerEvents {
  const listeners = new Set<(event: ServerEvent) => void>();
  const all: Watched[] = [];
  let timer: NodeJS.Timeout | undefined;
  const stop = () => clearInterval(timer);
  const begun = new Set<Watched>();
  const failing = new Set<Watched>();
  /** What fails is reported once and tried again: it may be that the process has too many open files just now. */
  const look = (watched: Watched) => {
    try {
      if (begun.has(watched)) watched.look();
      else watched.begin();
      begun.add(watched);
      failing.delete(watched);
    } catch (error) {
      if (!failing.has(watched)) onError(error);
      failing.add(watched);
    }
  };
  const start = () => {
    begun.clear();
    timer = setInterval(() => all.forEach(look), LOOK_EVERY_MS).unref();
    all.forEach(look);
  };
  return {
    emit(event) {
      for (const listener of listeners) listener(event);
    },
    watch: (watched) => void all.push(watched),
    listen(listener) {
      listeners.add(listener);
      if (listeners.size === 1) start();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) stop();
      };
    },
    close: stop,
  };
}
