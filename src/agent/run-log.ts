// The file of one agent run: numbered events with whole messages. It is for this user alone, out of reach of every tool,
// and goes with its session.
import { closeSync, constants, fsyncSync, ftruncateSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { closeOnFailure } from "../core/close-on-failure.ts";
import { HotcellError } from "../core/errors.ts";
import { holdLock } from "../core/lock.ts";
import { quote } from "../core/quote.ts";
import { makeLogDirectory, openIfThere, openLogFile, writeWhole } from "../log/log-file.ts";
import type { AgentEvent, AgentEventBody } from "./agent-event.ts";

export interface RunLog {
  readonly run: string;
  /** The events that were there when the log was opened. */
  readonly earlier: readonly AgentEvent[];
  /** Writes an event and gives it its number. If it throws, the event must not take effect. */
  append(body: AgentEventBody): AgentEvent;
  close(): void;
}

const RUN_ID = /^run_[a-z0-9]{8,64}$/;

export function openRunLog(dir: string, run: string): RunLog {
  if (!RUN_ID.test(run)) throw noSuchRun(run);
  makeLogDirectory(dir);
  const file = runLogFile(dir, run);
  const release = holdLock(`${file}.lock`);
  return closeOnFailure(release, () => {
    const fd = openLogFile(file, constants.O_RDWR | constants.O_CREAT);
    const { events, bytes } = readWhole(readFileSync(fd));
    // A kill may have cut the last line: nobody has seen that event.
    ftruncateSync(fd, bytes);
    let seq = events.at(-1)?.seq ?? 0;
    let end = bytes;
    return {
      run,
      earlier: events,
      append(body) {
        const event: AgentEvent = { seq: seq + 1, ts: new Date().toISOString(), ...body };
        const line = Buffer.from(`${JSON.stringify(event)}\n`);
        try {
          writeWhole(fd, line, end);
        } catch (error) {
          ftruncateSync(fd, end);
          throw unwritable(error);
        }
        if (isKept(body)) fsyncSync(fd);
        seq += 1;
        end += line.length;
        return event;
      },
      close() {
        closeSync(fd);
        release();
      },
    };
  });
}

/** What a run is continued from must survive a power failure, too; deltas need not. */
function isKept({ kind }: AgentEventBody): boolean {
  return KEPT.has(kind);
}

const KEPT: ReadonlySet<AgentEventBody["kind"]> = new Set([
  "message",
  "answer",
  "call.result",
  "model.usage",
  "run.end",
]);

/** The log of a run in the directory of the agent runs. */
export function runLogFile(dir: string, run: string): string {
  return join(dir, `${run}.jsonl`);
}

/** The events of a run, without its lock: another process may be writing. Empty if there is no such run. */
export function readRunEvents(file: string): AgentEvent[] {
  const fd = openIfThere(file, constants.O_RDONLY);
  if (fd === undefined) return [];
  try {
    return readWhole(readFileSync(fd)).events;
  } finally {
    closeSync(fd);
  }
}

/** A position in a run's log: so many bytes have so many events. */
export interface RunPosition {
  readonly bytes: number;
  readonly seq: number;
}

/** The next events after the position: as many as fit in `maxBytes`, but at least one. Empty at the end of the log. */
export function readNextRunEvents(
  file: string,
  { bytes: start, seq }: RunPosition,
  maxBytes: number,
): { readonly events: AgentEvent[]; readonly end: RunPosition } {
  const fd = openIfThere(file, constants.O_RDONLY);
  if (fd === undefined) return { events: [], end: { bytes: start, seq } };
  try {
    const { events, bytes } = readWhole(readLines(fd, start, maxBytes), seq);
    return { events, end: { bytes: start + bytes, seq: seq + events.length } };
  } finally {
    closeSync(fd);
  }
}

/** The bytes from `start` on: with at least one whole line, if there is one. */
function readLines(fd: number, start: number, maxBytes: number): Buffer {
  const buffer = Buffer.allocUnsafe(maxBytes);
  const content = buffer.subarray(0, readSync(fd, buffer, 0, maxBytes, start));
  const isCut = content.length === maxBytes && !content.includes(10);
  return isCut ? readLines(fd, start, maxBytes * 2) : content;
}

/** All whole lines, and where they end. A line that is no event ends the reading: nothing after it can be trusted. */
function readWhole(content: Buffer, after = 0): { readonly events: AgentEvent[]; readonly bytes: number } {
  const events: AgentEvent[] = [];
  let bytes = 0;
  for (let end = content.indexOf(10); end >= 0; end = content.indexOf(10, bytes)) {
    const event = parseEvent(content.toString("utf8", bytes, end));
    if (event === null || event.seq !== after + events.length + 1) break;
    events.push(event);
    bytes = end + 1;
  }
  return { events, bytes };
}

function parseEvent(line: string): AgentEvent | null {
  try {
    return JSON.parse(line) as AgentEvent;
  } catch {
    return null;
  }
}

function noSuchRun(run: string): HotcellError {
  return new HotcellError("NOT_FOUND", `There is no run ${quote(run)} in this session.`);
}

function unwritable(error: unknown): HotcellError {
  const reason = error instanceof Error ? error.message : String(error);
  return new HotcellError("LOG_UNAVAILABLE", `Could not write the run's log: ${reason}.`);
}
