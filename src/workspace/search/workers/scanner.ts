// The parent's end of a search worker. An idle worker does not keep the parent alive. The worker ends with the parent,
// whatever ends the parent.
import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { HotcellError } from "../../../core/errors.ts";
import { createFrameReader, frameOf } from "./frames.ts";
import { type Report, stopFlag, type WorkerReport } from "./messages.ts";

export interface Scanner {
  send(message: WorkerReport): void;
  /** Signals that no more results of a search are wanted, even while the worker reads no messages. */
  stop(search: number): void;
  /** Sets whether the worker keeps the parent alive. */
  hold(isAtWork: boolean): void;
  /** Kills the worker, whatever it does, and waits until it is gone. */
  end(): Promise<void>;
}

export interface ScannerListener {
  readonly onReport: (report: Report) => void;
  /** Called once. */
  readonly onEnd: (reason: Error) => void;
}

const STANDARD = ["ignore", "ignore", "ignore"] as const;
const LINKS = ["pipe", "pipe"] as const;
/** The worker's number for the first descriptor in `given`. */
export const FIRST_GIVEN = STANDARD.length + LINKS.length;

/** The worker inherits the descriptors in `given`. */
export function startScanner(given: readonly number[], { onReport, onEnd }: ScannerListener): Scanner {
  const child = spawnScanner(given);
  const gone = new Promise<void>((resolve) => {
    const leave = (state: string) => {
      resolve();
      onEnd(couldNotSearch(state));
    };
    child.on("error", (error) => {
      if (child.pid === undefined) leave(`hotcell could not start a search process (${error.message})`);
    });
    child.once("exit", (code, signal) => leave(`a search process ended (${signal ?? code})`));
  });
  const [messages, stops] = child.stdio.slice(STANDARD.length) as unknown as [Socket, Socket];
  // The worker's exit reports its end.
  for (const socket of [messages, stops]) socket.on("error", () => {});
  messages.on(
    "data",
    createFrameReader((report) => onReport(report as Report)),
  );
  // The child is held too: a worker that is dead already may report only its exit.
  const hold = (isAtWork: boolean) => {
    for (const kept of [child, messages]) isAtWork ? kept.ref() : kept.unref();
  };
  const send = (message: WorkerReport) => {
    // Messages of the same tick are written together.
    if (messages.writableCorked === 0) {
      messages.cork();
      process.nextTick(() => messages.uncork());
    }
    for (const bytes of frameOf(message)) messages.write(bytes);
  };
  stops.unref();
  hold(false);
  return {
    send,
    stop(search) {
      stops.write(stopFlag(search));
      send({ kind: "stop" });
    },
    hold,
    async end() {
      hold(true);
      // For a child that could not be started, Node would kill this process and its whole group.
      if (child.pid !== undefined) child.kill("SIGKILL");
      // A child with other rights cannot be killed; it ends when its channel closes.
      for (const socket of [messages, stops]) socket.destroy();
      await gone;
    },
  };
}

function spawnScanner(given: readonly number[]): ChildProcess {
  const program = fileURLToPath(new URL("./scan-child.js", import.meta.url));
  const child = spawn(process.execPath, [program], {
    // In its own session: signals of a terminal, such as Ctrl-C, are for the parent.
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
