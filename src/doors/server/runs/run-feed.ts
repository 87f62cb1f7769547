// Follows runs: what their logs have, then what comes. The latest frames of a run that goes on are kept in memory, as the
// text that is sent. Whoever is further behind reads the log, so a slow reader costs no memory and misses nothing.
import type { AgentEvent } from "../../../agent/agent-event.ts";
import { readRunEvents } from "../../../agent/run-log.ts";
import { createChatFold } from "./chat-frames.ts";

/** A frame as text. */
export interface SentFrame {
  readonly seq: number;
  readonly text: string;
}

export interface RunFeed {
  /** Begins to keep the frames of a run that starts or continues. */
  open(run: string, file: string): void;
  /** An event that is in the log. */
  publish(run: string, event: AgentEvent): void;
  /** The run goes on no longer. Followers get what is left. */
  close(run: string): void;
  /**
   * All frames after this number. Ends when the run goes on no longer, unless `stays`: then it waits for the run to be
   * continued. The signal ends it.
   */
  follow(
    run: string,
    file: string,
    after: number,
    options: { readonly stays: boolean; readonly signal: AbortSignal },
  ): AsyncGenerator<SentFrame>;
}

const MAX_RECENT = 512;

interface OpenRun {
  readonly fold: ReturnType<typeof createChatFold>;
  /** Null for an event that has no frame. */
  readonly recent: { readonly seq: number; readonly frame: SentFrame | null }[];
}

export function createRunFeed(): RunFeed {
  const open = new Map<string, OpenRun>();
  const waiters = new Map<string, Set<() => void>>();
  const changed = (run: string) => {
    for (const wake of [...(waiters.get(run) ?? [])]) wake();
  };
  const waitForChange = (run: string, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const own = waiters.get(run) ?? new Set();
      const wake = () => {
        own.delete(wake);
        if (own.size === 0) waiters.delete(run);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      waiters.set(run, own.add(wake));
      signal.addEventListener("abort", wake);
    });
  /** Null if what is kept does not reach back so far. */
  const recentAfter = (run: string, after: number): SentFrame[] | null => {
    const recent = open.get(run)?.recent ?? [];
    if (recent.length === 0 || recent[0]!.seq > after + 1) return null;
    return recent.slice(after + 1 - recent[0]!.seq).flatMap(({ frame }) => (frame === null ? [] : [frame]));
  };
  return {
    open(run, file) {
      const fold = createChatFold(run);
      for (const event of readRunEvents(file)) fold(event);
      open.set(run, { fold, recent: [] });
    },
    publish(run, event) {
      const { fold, recent } = open.get(run)!;
      const frame = fold(event);
      recent.push({
        seq: event.seq,
        frame: frame === null ? null : { seq: event.seq, text: JSON.stringify(frame) },
      });
      if (recent.length > MAX_RECENT) recent.splice(0, MAX_RECENT / 2);
      changed(run);
    },
    close(run) {
      open.delete(run);
      changed(run);
    },
    async *follow(run, file, after, { stays, signal }) {
      let last = after;
      while (!signal.aborted) {
        const wasOpen = open.has(run);
        const frames = recentAfter(run, last) ?? readFrames(run, file, last);
        for (const frame of frames) {
          yield frame;
          last = frame.seq;
          if (signal.aborted) return;
        }
        if (frames.length > 0) continue;
        if (!wasOpen && !stays) return;
        if (!signal.aborted) await waitForChange(run, signal);
      }
    },
  };
}

function readFrames(run: string, file: string, after: number): SentFrame[] {
  const fold = createChatFold(run);
  return readRunEvents(file).flatMap((event) => {
    const frame = fold(event);
    return frame === null || event.seq <= after ? [] : [{ seq: event.seq, text: JSON.stringify(frame) }];
  });
}
