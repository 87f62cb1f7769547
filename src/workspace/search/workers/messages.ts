// The messages between the parent process and the search workers.
import type { ErrorCode, ErrorDetails } from "../../../core/errors.ts";
import type { SearchQuery } from "../../files/search-query.ts";
import type { PackedHits } from "./packed-hits.ts";
import type { PackedEntered, PackedRuns } from "./packed-walk.ts";

/** Worker 0 walks and searches; worker 1 only searches. */
export type Part = 0 | 1;

/** The beginning of a search. */
export interface SearchOrder {
  readonly kind: "search";
  readonly search: number;
  readonly query: SearchQuery;
  readonly part: Part;
  /** The start, as the path of an open descriptor: a directory, or a file to read. */
  readonly start: string;
  readonly isDirectory: boolean;
  /** Relative to the workspace. */
  readonly path: string;
  /** The workspace's root, likewise: ignore files above the start count too. */
  readonly root: string;
  /** The result of `readsToTheEnd` for the files below the start. */
  readonly readsToTheEnd: boolean;
}

/** The input of a walk. */
export interface WalkOrder extends Pick<SearchOrder, "query" | "path"> {
  /** Open directories. */
  readonly fd: number;
  readonly root: number;
}

/** Files in one open directory, in order. */
export interface SearchRun {
  readonly dir: number;
  /** The directory, relative to the workspace. */
  readonly path: string;
  readonly names: string[];
}

/** A part of the walk. */
export interface Chunk {
  readonly number: number;
  readonly runs: readonly SearchRun[];
  readonly unreadable: number;
}

/** A directory that the walk entered, with its stat at that time. */
export interface EnteredDirectory {
  readonly path: string;
  readonly nlink: number;
  readonly ctimeMs: number;
}

/** To worker 0: search this chunk, without the files at these indexes. */
export interface ScanChunkTask {
  readonly kind: "scan";
  readonly number: number;
  readonly refused: readonly number[];
}

/** To worker 1, likewise. */
export interface ScanHelpTask extends Omit<ScanChunkTask, "kind">, PackedRuns {
  readonly kind: "help";
  readonly unreadable: number;
  /** The path prefix for the numbers of open directories, which belong to worker 0. */
  readonly descriptors: string;
}

/** To worker 0: worker 1 got this chunk (`given`), or finished it (`helped`). */
export interface HelpNotice {
  readonly kind: "given" | "helped";
  readonly number: number;
}

/** The parent consumed results of this weight. */
export interface ResultsTaken {
  readonly kind: "taken";
  readonly weight: number;
}

/** No more results are wanted. The parent still assigns every chunk, and each ends at once. */
export interface StopSearch {
  readonly kind: "stop";
}

/** A stop signal on a separate channel, for a worker that is not reading messages. A signal for an earlier search may arrive late. */
export function stopFlag(search: number): Uint8Array {
  return new Uint8Array(Uint32Array.of(search).buffer);
}

/** Takes received bytes. Signals are few and short, and each is one write, so each arrives complete. */
export function isStopFlagSet(search: number, signs: Uint8Array): boolean {
  return new Uint32Array(new Uint8Array(signs).buffer).includes(search);
}

export type Task = SearchOrder | ScanChunkTask | ScanHelpTask | HelpNotice;
export type WorkerReport = Task | ResultsTaken | StopSearch;

export interface Hit {
  readonly line: number;
  readonly text: string;
  readonly clipped: boolean;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** The searched part of a chunk so far. */
export interface Counts {
  readonly files: number;
  readonly binary: number;
  readonly unreadable: number;
  /** Lines of which only the beginning was searched. */
  readonly partlySearched: number;
}

export interface FileHits {
  readonly path: string;
  readonly hits: readonly Hit[];
  readonly counts: Counts;
}

/** From worker 0, for each chunk in order: which of these files may be opened? */
export interface Ask extends PackedRuns, PackedEntered {
  readonly kind: "ask";
  readonly search: number;
  readonly unreadable: number;
}

/** Results of one chunk, or a part of them. */
export interface Results {
  readonly chunk: number;
  readonly files: readonly FileHits[];
  readonly weight: number;
  /** The counts of the whole chunk, in its last results only. */
  readonly counts: Counts | null;
}

/** From both workers. */
export interface FoundMessage extends Omit<Results, "files"> {
  readonly kind: "found";
  readonly search: number;
  readonly hits: PackedHits;
}

/** From worker 0, when no process has a descriptor of the search open any more. */
export interface SearchDone {
  readonly kind: "done";
  readonly search: number;
  readonly chunks: number;
}

/** From both workers, when one cannot continue. */
export interface SearchFailed {
  readonly kind: "failed";
  readonly search: number;
  /** From worker 1: the chunk that ended with this failure. */
  readonly chunk: number | null;
  /** Null for a bug. */
  readonly code: ErrorCode | null;
  readonly message: string;
  readonly details: ErrorDetails;
}

/** From each worker, when it is ready to search. */
export interface SearchStarted {
  readonly kind: "begun";
  readonly search: number;
  /** How the pattern is matched. */
  readonly engine: "linear" | "backtracking";
  /** The path prefix for the numbers of its open directories. */
  readonly descriptors: string;
}

export type Report = SearchStarted | Ask | FoundMessage | SearchDone | SearchFailed;
