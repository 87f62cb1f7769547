// The log of one run. Whoever appends is told when a line could not be written: a call whose intent
// can't be recorded must not run, and an outcome that can't be recorded must be said.
import { dirname } from "node:path";
import { LIMITS } from "../core/limits.ts";
import { processToken, withLock } from "../core/lock.ts";
import { findAbandoned } from "./abandoned.ts";
import { type ArtifactWriter, openArtifact, storeArtifact } from "./artifacts.ts";
import {
  abandonedFields,
  type ExecEvent,
  execFields,
  type IntentEvent,
  intentFields,
  interruptedFields,
  type OpenCall,
} from "./call-fields.ts";
import { type Append, type Chain, type ChainOptions, lockFile, openChain } from "./chain.ts";
import { createEncoder } from "./encode.ts";
import type { Head } from "./head.ts";
import { failClosed, logUnavailable } from "./log-error.ts";
import { makeDirectory } from "./log-file.ts";
import { createRedactor } from "./redact.ts";
import { artifactsIn, logFileIn } from "./runs.ts";

export type { ExecEvent, IntentEvent } from "./call-fields.ts";

export interface LogOptions {
  /** The run's state directory; the log is `logs/execution.jsonl` in it. */
  readonly dir: string;
  /** Where the head of the log is kept: outside `dir`. */
  readonly anchorFile: string;
  /** Values that never appear in the log, beside everything that looks like a credential. */
  readonly secrets?: readonly string[];
  readonly maxFileBytes?: number;
}

export interface Log {
  readonly file: string;
  /** Before anything happens; gives the number by which the outcome refers to it. When it throws, the call must not run. */
  intent(event: IntentEvent): number;
  /** Exactly once for each call, refused ones too. When it throws, the result must say that it is not logged. */
  exec(event: ExecEvent): void;
  /** Keeps bytes that were too long for an observation; returns their id. */
  artifact(bytes: Uint8Array): string;
  /** The same, for what comes little by little. */
  openArtifact(): ArtifactWriter;
  /** Calls that are still open are recorded as interrupted. */
  close(): void;
}

export function openLog(options: LogOptions): Log {
  const { dir, anchorFile, maxFileBytes = LIMITS.maxLogFileBytes } = options;
  const file = logFileIn(dir);
  const writer = processToken();
  const encoder = createEncoder(createRedactor(options.secrets));
  const artifactsDir = artifactsIn(dir);
  const chain = openSettled({ file, anchorFile, artifactsDir, maxFileBytes, writer });
  const open = new Map<number, OpenCall>();
  let closed = false;

  const append = (...record: Parameters<Append>) => {
    if (closed) throw logUnavailable(file, "it is closed");
    return chain.update((write) => write(...record));
  };

  return {
    file,
    intent(event) {
      const fields = intentFields(event, writer, encoder);
      const seq = append("tool.intent", fields, event.changes);
      open.set(seq, { event, input: fields.input });
      return seq;
    },
    exec(event) {
      const { intent } = event;
      const call = intent === null ? undefined : open.get(intent);
      if (intent !== null && call === undefined)
        throw new Error(`No call with the intent ${intent} is open.`);
      append("tool.exec", execFields(event, call, encoder));
      if (intent !== null) open.delete(intent);
    },
    artifact: (bytes) =>
      failClosed(file, () =>
        withLock(lockFile(anchorFile), () => storeArtifact(artifactsDir, bytes), writer),
      ),
    openArtifact: () => failClosed(file, () => openArtifact(artifactsDir)),
    close() {
      if (closed) return;
      try {
        for (const [seq, { event }] of open)
          append("tool.interrupted", interruptedFields(event, seq, encoder));
      } finally {
        closed = true;
        chain.close();
      }
    },
  };
}

/** Opens the chain and records as interrupted what dead processes left open in it. */
function openSettled(options: ChainOptions): Chain {
  const { file, anchorFile } = options;
  failClosed(file, () => [dirname(file), dirname(anchorFile)].forEach(makeDirectory));
  const chain = openChain(options);
  try {
    chain.update((append, head) => endAbandoned(file, head, append));
    return chain;
  } catch (error) {
    chain.close();
    throw error;
  }
}

function endAbandoned(file: string, head: Head, append: Append): void {
  for (const intent of findAbandoned(file, head)) append("tool.interrupted", abandonedFields(intent));
}
