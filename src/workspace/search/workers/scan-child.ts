// The program of a search worker: it executes one order after the other. It opens no file before the parent process
// has allowed it, and ends with the parent.
import fs from "node:fs";
import { runInNewContext } from "node:vm";
import { HotcellError, osErrorCode } from "../../../core/errors.ts";
import { LIMITS } from "../../../core/limits.ts";
import { createNamesCache } from "../../fs/names-cache.ts";
import { O_PATH } from "../../fs/paths.ts";
import type { NamesIn } from "../../fs/tree.ts";
import { createDirectories } from "../scan/create-directories.ts";
import { createLineFinder, type LineFinder } from "../scan/line-finder.ts";
import { type ScanChunkOptions, scanAlone, scanChunk } from "../scan/scan-chunk.ts";
import { createScanMemory, type ScanMemory } from "../scan/scan-memory.ts";
import { createScanText } from "../scan/scan-text.ts";
import { createFileWalk, readInOrder } from "../walk-files.ts";
import { leadWalk } from "./lead-walk.ts";
import type { ScanHelpTask, SearchFailed, SearchOrder } from "./messages.ts";
import { createOutbox } from "./outbox.ts";
import { packHits } from "./packed-hits.ts";
import { unpackRuns, withoutFiles } from "./packed-walk.ts";
import { openParentChannel, type ParentChannel } from "./parent-channel.ts";

const { O_RDONLY, O_DIRECTORY, O_NONBLOCK, O_NOCTTY } = fs.constants;
/** The time in which the parent can end the worker before the worker ends itself. */
const GRACE_MS = 1000;

await serve();

interface Kept {
  readonly channel: ParentChannel;
  readonly memory: ScanMemory;
  readonly namesIn: NamesIn;
  /** The path prefix by which other processes reach this worker's open directories. */
  readonly descriptors: string;
}

async function serve(): Promise<never> {
  const kept: Kept = {
    channel: openParentChannel(),
    memory: createScanMemory(),
    namesIn: createNamesCache(readInOrder),
    descriptors: `/proc/${fs.readlinkSync("/proc/self")}/fd`,
  };
  for (let scanning: Scanning | null = null; ; ) {
    const task = kept.channel.next();
    if (task.kind === "search") scanning = await begin(task, kept);
    else if (task.kind === "help" && scanning !== null) help(task, scanning, kept);
  }
}

/** A search in progress. */
interface Scanning extends Omit<ScanChunkOptions, "directories"> {
  readonly search: number;
  readonly engine: LineFinder["engine"];
}

/** Null if this worker has nothing more to do for the search. */
async function begin(order: SearchOrder, kept: Kept): Promise<Scanning | null> {
  const { search, query, part } = order;
  const { channel, memory, descriptors } = kept;
  try {
    memory.clear();
    const finder = await createLineFinder(memory, query);
    const { engine } = finder;
    channel.post({ kind: "begun", search, engine, descriptors });
    const scanning = { search, engine, ...createScanning(order, finder, kept) };
    if (part === 1) return scanning;
    const chunks = withTimeout(engine, () => lead(order, scanning, kept));
    channel.post({ kind: "done", search, chunks });
  } catch (error) {
    channel.post({ kind: "failed", search, chunk: null, ...explain(error) });
  }
  return null;
}

function createScanning(
  { search, query, readsToTheEnd }: SearchOrder,
  finder: LineFinder,
  { channel, memory }: Kept,
): Omit<ScanChunkOptions, "directories"> {
  const { taken, wait, stopped } = channel;
  const outbox = createOutbox(
    {
      post: ({ files, ...results }) =>
        channel.post({ kind: "found", search, ...results, hits: packHits(files) }),
      ...{ taken, wait, stopped },
    },
    query.maxMatches,
  );
  return { outbox, stopped, readsToTheEnd, scan: createScanText({ memory, finder, query, stopped }) };
}

/** Returns the number of chunks. */
function lead(order: SearchOrder, scanning: Scanning, kept: Kept): number {
  const { start, isDirectory, path } = order;
  const flags = isDirectory ? O_PATH | O_DIRECTORY : O_RDONLY | O_NONBLOCK | O_NOCTTY;
  return withOpen(start, flags, (fd) => {
    if (isDirectory) return leadFrom(fd, order, scanning, kept);
    scanAlone(fd, path, scanning);
    return 1;
  });
}

function leadFrom(fd: number, order: SearchOrder, scanning: Scanning, kept: Kept): number {
  const { channel, namesIn } = kept;
  return withOpen(order.root, O_PATH | O_DIRECTORY, (root) => {
    const walk = createFileWalk({ ...order, fd, root, namesIn });
    const directories = createDirectories("/proc/self/fd");
    try {
      return leadWalk(walk, order.search, channel, { ...scanning, directories });
    } finally {
      walk.close();
    }
  });
}

function help(given: ScanHelpTask, scanning: Scanning, { channel }: Kept): void {
  const { search, engine } = scanning;
  const { number, unreadable, refused, descriptors } = given;
  const chunk = { number, unreadable, runs: withoutFiles(unpackRuns(given), refused) };
  try {
    // Fails here if the descriptors are out of reach; otherwise every file would count as unreadable.
    fs.readlinkSync(`${descriptors}/0`);
    const directories = createDirectories(descriptors);
    withTimeout(engine, () => scanChunk(chunk, { ...scanning, directories }));
  } catch (error) {
    channel.post({ kind: "failed", search, chunk: number, ...explain(error) });
  }
}

function withOpen<T>(name: string, flags: number, work: (fd: number) => T): T {
  const fd = fs.openSync(name, flags);
  try {
    return work(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** While V8 matches, the worker cannot notice that the parent is gone. So it ends itself after a timeout. */
function withTimeout<T>(engine: LineFinder["engine"], work: () => T): T {
  if (engine === "linear") return work();
  try {
    return runInNewContext("work()", { work }, { timeout: LIMITS.backtrackingMs + GRACE_MS });
  } catch (error) {
    if (osErrorCode(error) === "ERR_SCRIPT_EXECUTION_TIMEOUT") process.exit();
    throw error;
  }
}

function explain(error: unknown): Pick<SearchFailed, "code" | "message" | "details"> {
  if (error instanceof HotcellError) {
    const { code, message, details } = error;
    return { code, message, details };
  }
  const errno = osErrorCode(error);
  if (errno === undefined) return { code: null, message: stackOf(error), details: {} };
  return {
    code: "EXECUTION_ERROR",
    message: `Could not search: the system refused (${errno}).`,
    details: { errno },
  };
}

function stackOf(error: unknown): string {
  return (error instanceof Error && error.stack) || String(error);
}
