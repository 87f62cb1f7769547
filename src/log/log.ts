// The log of one run, which has one owner from open to close. Every append throws if the record cannot be written: a call
// without a recorded intent must not run, and the caller must learn of an outcome that is not recorded.
import { dirname } from "node:path";
import { closeOnFailure } from "../core/close-on-failure.ts";
import type { Json } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import { processToken } from "../core/process-token.ts";
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
import { type Append, type Chain, type ChainOptions, openChain } from "./chain.ts";
import { createEncoder } from "./encode.ts";
import { failClosed, logUnavailable } from "./log-error.ts";
import { makeLogDirectory } from "./log-file.ts";
import type { EventKind } from "./record.ts";
import { createRedactor } from "./redact.ts";
import { artifactsIn, logFileIn, recordingsIn } from "./runs.ts";

export type { ExecEvent, IntentEvent } from "./call-fields.ts";

export interface LogOptions {
  /** The run's state directory; the log is `logs/execution.jsonl` in it. */
  readonly dir: string;
  /** The file with the head of the log, outside `dir`. */
  readonly anchorFile: string;
  /** Values that never appear in the log, in addition to everything that looks like a credential. */
  readonly secrets?: readonly string[];
  readonly maxFileBytes?: number;
}

export interface Log {
  readonly file: string;
  /** Records an intent and returns its number, to which the outcome refers. If it throws, the call must not run. */
  intent(event: IntentEvent): number;
  /** Records the outcome once for each call, also a refused one. If it throws, the result must report the missing record. */
  exec(event: ExecEvent): void;
  /** Records what happened beside calls: an agent run, a question to a person, a connection. */
  event(kind: EventKind, fields: Readonly<Record<string, Json>>): void;
  /** Stores bytes that are too long for an observation; returns their id. */
  artifact(bytes: Uint8Array): string;
  /** Stores what a deterministic call depended on, where no tool can read it; returns its id. */
  recording(bytes: Uint8Array): string;
  /** Stores an artifact in parts. */
  openArtifact(): ArtifactWriter;
  /** Records calls that are still open as interrupted. */
  close(): void;
}

export function openLog(options: LogOptions): Log {
  const { dir, anchorFile, maxFileBytes = LIMITS.maxLogFileBytes } = options;
  const file = logFileIn(dir);
  const writer = processToken();
  const encoder = createEncoder(createRedactor(options.secrets));
  const artifactsDir = artifactsIn(dir);
  const chain = openAndInterrupt({ file, anchorFile, artifactsDir, maxFileBytes, writer });
  const open = new Map<number, OpenCall>();
  let closed = false;

  const checkOpen = () => {
    if (closed) throw logUnavailable(file, "it is closed");
  };
  const append: Append = (...record) => {
    checkOpen();
    return chain.append(...record);
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
    event(kind, fields) {
      const texts = Object.entries(fields).map(([name, value]) => [name, encoder.value(value)]);
      append(kind, Object.fromEntries(texts));
    },
    artifact(bytes) {
      checkOpen();
      return failClosed(file, () => storeArtifact(artifactsDir, bytes));
    },
    recording(bytes) {
      checkOpen();
      return failClosed(file, () => storeArtifact(recordingsIn(dir), bytes));
    },
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

/** Opens the chain and records calls that a dead owner left open as interrupted. */
function openAndInterrupt(options: ChainOptions): Chain {
  const { file, anchorFile } = options;
  failClosed(file, () => [dirname(file), dirname(anchorFile)].forEach(makeLogDirectory));
  const chain = openChain(options);
  return closeOnFailure(chain.close, () => {
    const abandoned = failClosed(file, () => findAbandoned(file, chain.head));
    for (const intent of abandoned) chain.append("tool.interrupted", abandonedFields(intent));
    return chain;
  });
}
