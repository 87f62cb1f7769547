// A process that searches, as the one that asks sees it. It keeps nothing alive unless it is at work, and ends with the
// asking process, whatever ends that.
import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { HotcellError } from "../../../core/errors.ts";
import { createFrameReader, frameOf } from "./frames.ts";
import { type Report, stopSign, type WorkerReport } from "./messages.ts";

export interface Scanner {
  tell(told: WorkerReport): void;
  /** Tells at once that nothing more is wanted of a search, also while it does not listen. */
  stop(search: number): void;
  /** Whether its work keeps the asking process alive. */
  hold(isAtWork: boolean): void;
  /** Whatever it does; waits until it is gone. */
  end(): Promise<void>;
}

export interface ScannerWatch {
  readonly onReport: (report: Report) => void;
  /** Told once. */
  readonly onEnd: (reason: Error) => void;
}

const STANDARD = ["ignore", "ignore", "ignore"] as const;
const LINKS = ["pipe", "pipe"] as const;
/** What its first descriptor is that it is given. */
export const FIRST_GIVEN = STANDARD.length + LINKS.length;

/** With these descriptors. */
export function startScanner(given: readonly number[], { onReport, onEnd }: ScannerWatch): Scanner {
  const child = spawnScanner(given);
  const gone = new Promise<void>((resolve) => {
    const leave = (state: string) => {
      resolve();
      onEnd(couldNotSearch(state));
    };
    child.on("error", (error) => {
      if (child.pid === undefined) leave(`a process for it could not be started (${error.message})`);
    });
    child.once("exit", (code, signal) => leave(`a process that did it ended (${signal ?? code})`));
  });
  const [messages, stops] = child.stdio.slice(STANDARD.length) as unknown as [Socket, Socket];
  // Its end is told by its exit.
  for (const socket of [messages, stops]) socket.on("error", () => {});
  messages.on(
    "data",
    createFrameReader((report) => onReport(report as Report)),
  );
  // Also by its exit, for one that is dead already may say nothing else.
  const hold = (isAtWork: boolean) => {
    for (const kept of [child, messages]) isAtWork ? kept.ref() : kept.unref();
  };
  const tell = (told: WorkerReport) => {
    // What is told together is written together.
    if (messages.writableCorked === 0) {
      messages.cork();
      process.nextTick(() => messages.uncork());
    }
    for (const bytes of frameOf(told)) messages.write(bytes);
  };
  stops.unref();
  hold(false);
  return {
    tell,
    stop(search) {
      stops.write(stopSign(search));
      tell({ kind: "stop" });
    },
    hold,
    async end() {
      hold(true);
      // For one that could not be started Node would kill this process, and its whole group.
      if (child.pid !== undefined) child.kill("SIGKILL");
      // One that has other rights by now can't be killed, and ends when it finds itself alone.
      for (const socket of [messages, stops]) socket.destroy();
      await gone;
    },
  };
}

function spawnScanner(given: readonly number[]): ChildProcess {
  const program = fileURLToPath(new URL("./scan-child.js", import.meta.url));
  const child = spawn(process.execPath, [program], {
    // In a session of its own: what a terminal says, as by Ctrl-C, is for the asking process.
    ...{ cwd: "/", env: {}, detached: true },
    stdio: [...STANDARD, ...LINKS, ...given],
  });
  if (child.stdio !== undefined) return child;
  child.on("error", () => {});
  throw couldNotSearch("this process has too many files open");
}

function couldNotSearch(state: string): HotcellError {
  return new HotcellError("EXECUTION_ERROR", `Could not search: ${state}. Try again.`);
}
