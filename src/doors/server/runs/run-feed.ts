// Follows runs: what their logs have, then what comes. The latest frames of a run that goes on here are kept in memory, as
// the text that is sent. Whoever is further behind, or follows a run of another process, reads the log, one part after the
// other, so a slow reader costs little memory and misses nothing.
import { statSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import type { AgentEvent } from "../../../agent/agent-event.ts";
import { isOpenElsewhere } from "../../../agent/list-runs.ts";
import { readNextRunEvents, readRunEvents } from "../../../agent/run-log.ts";
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
   * All frames after this number. Ends when the run goes on no longer, in no process, unless `stays`: then it waits for
   * the run to be continued. The signal ends it.
   */
  follow(
    run: string,
    file: string,
    after: number,
    options: { readonly stays: boolean; readonly signal: AbortSignal },
  ): AsyncGenerator<SentFrame>;
}

const MAX_RECENT = 512;
/** What a reader takes from the log at a time. */
const MAX_PART_BYTES = 256 * 1024;
const LOOK_EVERY_MS = 250;

/** A run that goes on. Followers that are behind keep it until they have its last frames, also when it goes on no longer. */
interface OpenRun {
  readonly fold: ReturnType<typeof createChatFold>;
  /** The number of its last event. */
  last: number;
  /** Null for an event that has no frame. */
  readonly recent: { readonly seq: number; readonly frame: SentFrame | null }[];
}

interface Follower {
  /** The run as it goes on, or as it went on last; null if the follower has to read the log. */
  known: OpenRun | null;
  /** Null if the follower is not behind. */
  readLog: LogReader | null;
  wake: () => void;
}

/** The frames of some events, and the number of the last of these events. */
interface Part {
  readonly last: number;
  readonly frames: readonly SentFrame[];
}

type LogReader = (after: number) => Part | null;

export function createRunFeed(): RunFeed {
  const open = new Map<string, OpenRun>();
  const followers = new Map<string, Set<Follower>>();
  const followersOf = (run: string) => followers.get(run) ?? new Set();
  const enter = (run: string): Follower => {
    const follower: Follower = { known: open.get(run) ?? null, readLog: null, wake: () => {} };
    followers.set(run, followersOf(run).add(follower));
    return follower;
  };
  const leave = (run: string, follower: Follower) => {
    const others = followersOf(run);
    others.delete(follower);
    if (others.size === 0) followers.delete(run);
  };
  return {
    open(run, file) {
      const fold = createChatFold(run);
      const events = readRunEvents(file);
      for (const event of events) fold(event);
      const one: OpenRun = { fold, last: events.at(-1)?.seq ?? 0, recent: [] };
      open.set(run, one);
      for (const follower of followersOf(run)) follower.known = one;
    },
    publish(run, event) {
      const one = open.get(run)!;
      const { recent } = one;
      const { seq } = event;
      const frame = one.fold(event);
      recent.push({ seq, frame: frame === null ? null : { seq, text: JSON.stringify(frame) } });
      one.last = seq;
      if (recent.length > MAX_RECENT) recent.splice(0, MAX_RECENT / 2);
      for (const { wake } of followersOf(run)) wake();
    },
    close(run) {
      if (!open.delete(run)) return;
      for (const { wake } of followersOf(run)) wake();
    },
    async *follow(run, file, after, { stays, signal }) {
      const follower = enter(run);
      let last = after;
      try {
        while (!signal.aborted) {
          const elsewhere = open.has(run) ? null : readElsewhere(file, stays);
          const part = takePart(follower, last, () => createLogReader(run, file));
          for (const frame of part?.frames ?? []) {
            yield frame;
            if (signal.aborted) return;
          }
          if (part !== null) {
            last = Math.max(last, part.last);
            if (follower.readLog !== null) await setImmediate();
            continue;
          }
          if (elsewhere === null) {
            follower.readLog = null;
            await waitForChange(follower, signal);
          } else {
            if (!elsewhere.goesOn) return;
            follower.known = null;
            await waitForFile(follower, signal, () => !stays || sizeOf(file) !== elsewhere.bytes);
          }
        }
      } finally {
        leave(run, follower);
      }
    },
  };
}

/** A run that does not go on in this process, before its log is read. */
interface RunElsewhere {
  readonly bytes: number;
  /** Whether more events may come. */
  readonly goesOn: boolean;
}

function readElsewhere(file: string, stays: boolean): RunElsewhere {
  // A process releases the run after its last event: then the log has all.
  const goesOn = stays || isOpenElsewhere(file);
  return { bytes: sizeOf(file), goesOn };
}

/** Other processes wake nobody here. Without `stays` the end of their work counts too, which leaves the log as it is. */
async function waitForFile(follower: Follower, signal: AbortSignal, isChanged: () => boolean): Promise<void> {
  const timer = setInterval(() => {
    if (isChanged()) follower.wake();
  }, LOOK_EVERY_MS).unref();
  await waitForChange(follower, signal);
  clearInterval(timer);
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

function waitForChange(follower: Follower, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    follower.wake = () => {
      signal.removeEventListener("abort", follower.wake);
      resolve();
    };
    signal.addEventListener("abort", follower.wake);
  });
}

/** The next frames, from memory or from the log; null if there are none yet. */
function takePart(follower: Follower, after: number, openLog: () => LogReader): Part | null {
  const { known } = follower;
  if (known !== null && reachesBackTo(known, after)) return nextRecent(known, after);
  follower.readLog ??= openLog();
  return follower.readLog(after);
}

/** Whether all events after this number are kept. */
function reachesBackTo({ last, recent }: OpenRun, after: number): boolean {
  return after >= last || (recent[0]?.seq ?? Number.POSITIVE_INFINITY) <= after + 1;
}

/** The next event; null if there is none yet. */
function nextRecent({ last, recent }: OpenRun, after: number): Part | null {
  if (after >= last) return null;
  const { seq, frame } = recent[after + 1 - recent[0]!.seq]!;
  return { last: seq, frames: frame === null ? [] : [frame] };
}

/** Reads the log from its first event, because the frames depend on all events. Gives null at its end. */
function createLogReader(run: string, file: string): LogReader {
  const fold = createChatFold(run);
  let position = { bytes: 0, seq: 0 };
  return (after) => {
    const { events, end } = readNextRunEvents(file, position, MAX_PART_BYTES);
    if (events.length === 0) return null;
    position = end;
    const frames = events.flatMap((event) => {
      const frame = fold(event);
      return frame === null || event.seq <= after ? [] : [{ seq: event.seq, text: JSON.stringify(frame) }];
    });
    return { last: end.seq, frames };
  };
}
