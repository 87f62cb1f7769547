// What the asking process and those that search for it tell each other.
import type { ErrorCode, ErrorDetails } from "../../../core/errors.ts";
import type { SearchQuery } from "../../files/search-query.ts";
import type { PackedHits } from "./packed-hits.ts";
import type { PackedEntered, PackedRuns } from "./packed-walk.ts";

/** The first walks and searches; the second only searches. */
export type Part = 0 | 1;

/** The beginning of a search. */
export interface SearchOrder {
  readonly kind: "search";
  readonly search: number;
  readonly query: SearchQuery;
  readonly part: Part;
  /** Where to begin, by the name of an open descriptor: a directory, or a file to be read. */
  readonly start: string;
  readonly isDirectory: boolean;
  /** Relative to the workspace. */
  readonly path: string;
  /** The workspace's own directory, likewise: ignore files above the start count too. */
  readonly root: string;
  /** Of the files below the start. */
  readonly readsToTheEnd: boolean;
}

/** What a walk has to know. */
export interface WalkOrder extends Pick<SearchOrder, "query" | "path"> {
  /** Open directories. */
  readonly fd: number;
  readonly root: number;
}

/** Files in one open directory, in their order. */
export interface SearchRun {
  readonly dir: number;
  /** The directory, relative to the workspace. */
  readonly path: string;
  readonly names: string[];
}

/** A piece of the walk. */
export interface Chunk {
  readonly number: number;
  readonly runs: readonly SearchRun[];
  readonly unreadable: number;
}

/** A directory that was entered, and what it was then. */
export interface Entered {
  readonly path: string;
  readonly nlink: number;
  readonly ctimeMs: number;
}

/** To the first: its next chunk is this one, without the files at these places. */
export interface ScanOwn {
  readonly kind: "scan";
  readonly number: number;
  readonly refused: readonly number[];
}

/** To the second, likewise. */
export interface ScanGiven extends Omit<ScanOwn, "kind">, PackedRuns {
  readonly kind: "help";
  readonly unreadable: number;
  /** What stands before the number of an open directory: they are the first's. */
  readonly descriptors: string;
}

/** To the first: the second has this chunk, or is through with it. */
export interface HelpNotice {
  readonly kind: "given" | "helped";
  readonly number: number;
}

/** So much of the results was used up. */
export interface Taken {
  readonly kind: "taken";
  readonly weight: number;
}

/** Nothing more is wanted. Every chunk is still dealt out, and comes to its end at once. */
export interface Stop {
  readonly kind: "stop";
}

/** The same beside the messages, for who does not listen. One for an earlier search may come late. */
export function stopSign(search: number): Uint8Array {
  return new Uint8Array(Uint32Array.of(search).buffer);
}

/** Of bytes that have come: signs are few, short and written whole, so they come whole. */
export function isSignedToStop(search: number, signs: Uint8Array): boolean {
  return new Uint32Array(new Uint8Array(signs).buffer).includes(search);
}

export type Task = SearchOrder | ScanOwn | ScanGiven | HelpNotice;
export type WorkerReport = Task | Taken | Stop;

export interface Hit {
  readonly line: number;
  readonly text: string;
  readonly clipped: boolean;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** Of a chunk: what was looked at up to some point. */
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

/** From the first, for each chunk in turn: which of these files may be opened? */
export interface Ask extends PackedRuns, PackedEntered {
  readonly kind: "ask";
  readonly search: number;
  readonly unreadable: number;
}

/** Results of one chunk, or the next of them. */
export interface Results {
  readonly chunk: number;
  readonly files: readonly FileHits[];
  readonly weight: number;
  /** All of the chunk, with its last results. */
  readonly counts: Counts | null;
}

/** From either. */
export interface FoundMessage extends Omit<Results, "files"> {
  readonly kind: "found";
  readonly search: number;
  readonly hits: PackedHits;
}

/** From the first, when no process has anything of the search open any more. */
export interface Done {
  readonly kind: "done";
  readonly search: number;
  readonly chunks: number;
}

/** From either, when it can't go on. */
export interface Failed {
  readonly kind: "failed";
  readonly search: number;
  /** Of the second: with which it is through in this way. */
  readonly chunk: number | null;
  /** Null: it should not have happened. */
  readonly code: ErrorCode | null;
  readonly message: string;
  readonly details: ErrorDetails;
}

/** From each, when it is ready to search. */
export interface Begun {
  readonly kind: "begun";
  readonly search: number;
  /** How the pattern is matched. */
  readonly engine: "linear" | "backtracking";
  /** What stands before the number of a directory that it has open. */
  readonly descriptors: string;
}

export type Report = Begun | Ask | FoundMessage | Done | Failed;
