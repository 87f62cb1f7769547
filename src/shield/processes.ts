// The background processes of a cell: they go on while other calls run, and end with the cell at the latest.
import { HotcellError } from "../core/errors.ts";
import { LIMITS } from "../core/limits.ts";
import { quote } from "../core/quote.ts";
import { captureOutput } from "./process/capture-output.ts";
import type { CommandEnd, OnOutput } from "./process/command.ts";

export interface BackgroundProcess {
  readonly id: string;
  /** As it was asked for. */
  readonly command: string;
  readonly started: Date;
  /** Null while it runs. */
  readonly end: CommandEnd | null;
}

export interface ProcessOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: boolean;
}

export interface Processes {
  /** Gives it when it has begun, or throws why it could not. */
  start(command: string, run: BackgroundRun): Promise<BackgroundProcess>;
  list(): readonly BackgroundProcess[];
  /** The head and the tail of what it has written so far. */
  output(id: string): ProcessOutput;
  /** Settles when it and all that it started are gone. */
  stop(id: string): Promise<BackgroundProcess>;
  stopAll(): Promise<void>;
}

export interface Beginning {
  readonly signal: AbortSignal;
  readonly onOutput: OnOutput;
  /** To be called when it has begun. */
  readonly onStart: () => void;
}

export type BackgroundRun = (beginning: Beginning) => Promise<CommandEnd>;

interface Kept {
  readonly info: () => BackgroundProcess;
  readonly output: () => ProcessOutput;
  readonly stop: () => Promise<void>;
}

export function createProcesses(): Processes {
  const kept = new Map<string, Kept>();
  let started = 0;
  const find = (id: string): Kept => {
    const found = kept.get(id);
    if (found !== undefined) return found;
    const known = [...kept.keys()].map(quote).join(", ") || "there is none";
    throw new HotcellError("NOT_FOUND", `There is no background process ${quote(id)}. Known: ${known}.`);
  };
  return {
    async start(command, run) {
      const id = `p${++started}`;
      const process = await begin(id, command, run);
      kept.set(id, process);
      return process.info();
    },
    list: () => [...kept.values()].map(({ info }) => info()),
    output: (id) => find(id).output(),
    async stop(id) {
      const process = find(id);
      await process.stop();
      return process.info();
    },
    async stopAll() {
      await Promise.all([...kept.values()].map(({ stop }) => stop()));
    },
  };
}

async function begin(id: string, command: string, run: BackgroundRun): Promise<Kept> {
  const stopping = new AbortController();
  const captured = captureOutput(LIMITS.maxShownOutputBytes, null);
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
    output: captured.look,
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}
