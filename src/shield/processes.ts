// The background processes of a cell. They continue while other calls run, and end with the cell at the latest.
import { HotcellError } from "../core/errors.ts";
import { quote } from "../core/quote.ts";
import type { RefusedHost } from "../core/types.ts";
import { captureOutput } from "./process/capture-output.ts";
import type { CommandEnd, OnOutput } from "./process/command.ts";

export interface BackgroundProcess {
  readonly id: string;
  /** As the caller wrote it. */
  readonly command: string;
  readonly started: Date;
  /** Null while the process runs. */
  readonly end: CommandEnd | null;
}

export interface ProcessOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: boolean;
  /** Hosts that were refused while the process ran. */
  readonly refusedHosts: readonly RefusedHost[];
}

export interface Processes {
  /** Resolves when the process has begun, or throws the reason why it could not begin. */
  start(command: string, run: BackgroundRun, refusedHosts: RefusedSoFar): Promise<BackgroundProcess>;
  list(): readonly BackgroundProcess[];
  /** The head and the tail of the output so far. */
  output(id: string): ProcessOutput;
  /** Resolves when the process and all its descendants have ended. */
  stop(id: string): Promise<BackgroundProcess>;
  stopAll(): Promise<void>;
}

export interface BackgroundRunOptions {
  readonly signal: AbortSignal;
  readonly onOutput: OnOutput;
  /** The run calls this when the process has begun. */
  readonly onStart: () => void;
}

export type BackgroundRun = (beginning: BackgroundRunOptions) => Promise<CommandEnd>;

type RefusedSoFar = () => readonly RefusedHost[];

interface TrackedProcess {
  readonly info: () => BackgroundProcess;
  readonly output: () => ProcessOutput;
  readonly stop: () => Promise<void>;
}

/** `shownBytes` is what `output` shows of both streams together. */
export function createProcesses(shownBytes: number): Processes {
  const tracked = new Map<string, TrackedProcess>();
  let started = 0;
  const find = (id: string): TrackedProcess => {
    const found = tracked.get(id);
    if (found !== undefined) return found;
    const known = [...tracked.keys()].map(quote).join(", ") || "there is none";
    throw new HotcellError("NOT_FOUND", `There is no background process ${quote(id)}. Known: ${known}.`);
  };
  return {
    async start(command, run, refusedHosts) {
      const id = `p${++started}`;
      const process = await begin({ id, command, shownBytes }, run, refusedHosts);
      tracked.set(id, process);
      return process.info();
    },
    list: () => [...tracked.values()].map(({ info }) => info()),
    output: (id) => find(id).output(),
    async stop(id) {
      const process = find(id);
      await process.stop();
      return process.info();
    },
    async stopAll() {
      await Promise.all([...tracked.values()].map(({ stop }) => stop()));
    },
  };
}

interface Beginning {
  readonly id: string;
  readonly command: string;
  readonly shownBytes: number;
}

async function begin(
  { id, command, shownBytes }: Beginning,
  run: BackgroundRun,
  refusedHosts: RefusedSoFar,
): Promise<TrackedProcess> {
  const stopping = new AbortController();
  const captured = captureOutput({ bytes: shownBytes, isShared: true }, null);
  const started = new Date();
  let end: CommandEnd | null = null;
  let ended: Promise<void> = Promise.resolve();
  await new Promise<void>((resolve, reject) => {
    ended = run({ signal: stopping.signal, onOutput: captured.add, onStart: resolve }).then((result) => {
      end = result;
      resolve();
    }, reject);
  });
  return {
    info: () => ({ id, command, started, end }),
    output: () => ({ ...captured.peek(), refusedHosts: refusedHosts() }),
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}
