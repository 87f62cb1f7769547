// The agent runs in a state directory, and what their logs say of them without reading all of it.
import { closeSync, constants, fstatSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { isLockHeld, isLockHeldHere } from "../core/lock.ts";
import { logNamesIn, openLogFile } from "../log/log-file.ts";
import type { AgentEvent, RunStop } from "./agent-event.ts";

export interface RunFile {
  readonly run: string;
  readonly session: string;
  readonly file: string;
  readonly changedMs: number;
}

export function listRunFiles(stateDir: string): RunFile[] {
  const runs = join(stateDir, "runs");
  return logNamesIn(runs).flatMap((session) => {
    const dir = join(runs, session, "agent");
    return logNamesIn(dir)
      .filter((name) => /^run_[a-z0-9]+\.jsonl$/.test(name))
      .map((name) => {
        const file = join(dir, name);
        return { run: name.slice(0, -".jsonl".length), session, file, changedMs: statSync(file).mtimeMs };
      });
  });
}

export interface RunOutline {
  /** ISO 8601. */
  readonly started: string | null;
  readonly model: string | null;
  /** The beginning of the first message. */
  readonly prompt: string;
  /** Null if the run goes on, or was interrupted. */
  readonly stop: RunStop | null;
  /** Whether a process works on it. */
  readonly isOpen: boolean;
}

const PART_BYTES = 64 * 1024;
const PROMPT_CHARS = 200;

/** Reads the beginning and the end of a run's log. */
export function outlineRun(file: string): RunOutline {
  const { head, tail } = readEnds(file);
  const first = head.find((event) => event.kind === "run.start");
  const said = head.find((event) => event.kind === "message");
  const last = tail.at(-1);
  return {
    started: first?.ts ?? null,
    model: first?.kind === "run.start" ? first.model : null,
    prompt: said?.kind === "message" ? said.message.content.slice(0, PROMPT_CHARS) : "",
    stop: last?.kind === "run.end" ? last.stop : null,
    isOpen: isLockHeld(lockOf(file)),
  };
}

/** Whether another process works on the run. */
export function isOpenElsewhere(file: string): boolean {
  return isLockHeld(lockOf(file)) && !isLockHeldHere(lockOf(file));
}

const lockOf = (file: string): string => `${file}.lock`;

function readEnds(file: string): { readonly head: AgentEvent[]; readonly tail: AgentEvent[] } {
  const fd = openLogFile(file, constants.O_RDONLY);
  try {
    const { size } = fstatSync(fd);
    return { head: readPart(fd, 0), tail: readPart(fd, Math.max(0, size - PART_BYTES)) };
  } finally {
    closeSync(fd);
  }
}

/** The whole lines in a part of the file. */
function readPart(fd: number, at: number): AgentEvent[] {
  const buffer = Buffer.alloc(PART_BYTES);
  const text = buffer.toString("utf8", 0, readSync(fd, buffer, 0, PART_BYTES, at));
  const whole = text.slice(at === 0 ? 0 : text.indexOf("\n") + 1, text.lastIndexOf("\n") + 1);
  return whole
    .split("\n")
    .filter((line) => line !== "")
    .flatMap((line) => parseOrNone(line));
}

function parseOrNone(line: string): AgentEvent[] {
  try {
    return [JSON.parse(line) as AgentEvent];
  } catch {
    return [];
  }
}
