// A worker thread of the search: it works on one order after the other. It opens no file before the asking thread has
// said that it may be read.
import { parentPort } from "node:worker_threads";
import { HotcellError, osErrorCode } from "../../core/errors.ts";
import { rememberNames } from "../known-names.ts";
import type { NamesIn } from "../tree.ts";
import { createHelperQueue, type HelperQueue, help, refuseHelp } from "./helper-queue.ts";
import { judgedWalk } from "./judged-walk.ts";
import { createLineFinder, type LineFinder } from "./line-finder.ts";
import { type Failed, type Ready, type Report, type SearchOrder, SHARED } from "./messages.ts";
import { createOutbox } from "./outbox.ts";
import { type ScanChunkOptions, scanAlone, scanChunk } from "./scan-chunk.ts";
import { createScanMemory, type ScanMemory } from "./scan-memory.ts";
import { createScanText } from "./scan-text.ts";
import type { WalkedChunk } from "./walk-chunk.ts";
import { createFileWalk, readInOrder } from "./walk-files.ts";

const port = parentPort!;
const post = (report: Report | Ready): void => port.postMessage(report);

serve();

function serve(): void {
  const kept = { memory: createScanMemory(), namesIn: rememberNames(readInOrder) };
  let turn = Promise.resolve();
  port.on("message", (order: SearchOrder) => {
    turn = turn.then(() => work({ ...order, ...kept }));
  });
  post({ kind: "ready" });
}

interface Work extends SearchOrder {
  /** From one search for the next. */
  readonly memory: ScanMemory;
  readonly namesIn: NamesIn;
}

async function work(order: Work): Promise<void> {
  const { search, query, part, memory } = order;
  try {
    memory.clear();
    const finder = await createLineFinder(memory, query).finally(() => post({ kind: "ready" }));
    if (part === 0) post({ kind: "begun", search, engine: finder.engine });
    const options = scanningOf(order, finder);
    if (part === 1) help(order.port, order.shared, (chunk) => scanChunk(chunk, options));
    else post({ kind: "done", search, chunks: lead(order, options) });
  } catch (error) {
    refuseHelp(order.shared);
    const { code, message, details } = explained(error);
    post({ kind: "failed", search, worker: part, code, message, details });
  } finally {
    order.port.close();
  }
}

function scanningOf(order: Work, finder: LineFinder): ScanChunkOptions {
  const { search, query, shared, part, memory } = order;
  const stopped = () => Atomics.load(shared, SHARED.stop) === 1;
  const outbox = createOutbox({ search, worker: part, shared, maxMatches: query.maxMatches, post });
  return { outbox, stopped, scan: createScanText({ memory, finder, query, stopped }) };
}

/** Gives how many chunks there were. */
function lead(order: Work, options: ScanChunkOptions): number {
  const queue = createHelperQueue(order.port, order.shared);
  try {
    if (order.isDirectory) return leadWalk(order, options, queue);
    scanAlone(order.fd, order.path, options);
    return 1;
  } finally {
    queue.finish();
  }
}

function leadWalk(order: Work, options: ScanChunkOptions, queue: HelperQueue): number {
  const walk = createFileWalk(order);
  let number = 0;
  try {
    for (const chunk of judgedWalk(walk, order, post)) {
      if (number === 0 || !queue.give(chunk, number)) scanOwn(chunk, number, options);
      number++;
    }
  } finally {
    walk.close();
  }
  return number;
}

function scanOwn(chunk: WalkedChunk, number: number, options: ScanChunkOptions): void {
  try {
    scanChunk({ ...chunk, number }, options);
  } finally {
    chunk.close();
  }
}

function explained(error: unknown): Pick<Failed, "code" | "message" | "details"> {
  if (error instanceof HotcellError) return error;
  const errno = osErrorCode(error);
  if (errno === undefined) return { code: null, message: stackOf(error), details: {} };
  return {
    code: "EXECUTION_ERROR",
    message: `Could not search: the system refused (${errno}).`,
    details: { errno },
  };
}

const stackOf = (error: unknown): string => (error instanceof Error && error.stack) || String(error);
