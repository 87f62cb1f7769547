// What the threads of a search tell each other.
import type { MessagePort } from "node:worker_threads";
import type { ErrorCode, ErrorDetails } from "../../core/errors.ts";
import type { SearchQuery } from "./search-query.ts";

/** The most files in one chunk. */
export const MAX_CHUNK_FILES = 256;
/** The most chunks that wait for their files to be judged: enough that the walk goes on while the asking thread waits for its turn. */
export const MAX_ASKED = 6;
/** Numbers for the verdicts on a chunk: a bit for each file. */
export const VERDICT_WORDS = MAX_CHUNK_FILES / 32;

/** Numbers that all threads of one search see. */
export const SHARED = {
  /** 1: nothing more is wanted. */
  stop: 0,
  /** What the asking thread has taken of each worker's results, by their weight. */
  taken: [1, 2],
  /** Whether the second worker takes part: see `HELP`. */
  help: 3,
  /** Chunks that were put into its queue, and those that it is through with. */
  queued: 4,
  helped: 5,
  /** Chunks whose files were judged. */
  judged: 6,
  /** Of the last of them, in turn. */
  verdicts: 7,
  length: 7 + MAX_ASKED * VERDICT_WORDS,
} as const;

/** The second worker joins when it is there in time, and has left when it will touch nothing more. */
export const HELP = { none: 0, joined: 1, refused: 2, left: 3 } as const;

export interface SearchOrder {
  readonly search: number;
  readonly query: SearchQuery;
  readonly shared: Int32Array;
  /** The first walks and searches; the second takes chunks from it. */
  readonly part: 0 | 1;
  readonly port: MessagePort;
  /** Where to begin: an open directory, or a file that is open for reading. */
  readonly fd: number;
  readonly isDirectory: boolean;
  /** Relative to the workspace. */
  readonly path: string;
  /** The workspace's own directory, open: ignore files above the start count too. */
  readonly root: number;
}

/** What a walk has to know. */
export type WalkOrder = Pick<SearchOrder, "query" | "fd" | "path" | "root">;

/** Files in one open directory, in their order. */
export interface Run {
  readonly dir: number;
  /** The directory, relative to the workspace. */
  readonly path: string;
  readonly names: string[];
}

/** A piece of the walk. */
export interface Chunk {
  readonly number: number;
  readonly runs: readonly Run[];
  readonly entered: readonly Entered[];
  readonly unreadable: number;
}

/** A directory that was entered, and what it was then. */
export interface Entered {
  readonly path: string;
  readonly nlink: number;
  readonly ctimeMs: number;
}

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
}

export interface FileHits {
  readonly path: string;
  readonly hits: readonly Hit[];
  readonly counts: Counts;
}

/** From the first worker, for each chunk in turn: which of these files may be opened? */
export interface Ask {
  readonly kind: "ask";
  readonly search: number;
  /** For each directory its path and its names, these with `/` between them, each with a NUL behind: one text is told faster than many. */
  readonly files: string;
}

/** Results of one chunk, or the next of them. */
export interface Part {
  readonly kind: "part";
  readonly search: number;
  readonly worker: 0 | 1;
  readonly chunk: number;
  readonly files: readonly FileHits[];
  readonly entered: readonly Entered[];
  readonly weight: number;
  /** All of the chunk, with its last part. */
  readonly counts: Counts | null;
}

/** From the first worker, when no thread touches anything any more. */
export interface Done {
  readonly kind: "done";
  readonly search: number;
  readonly chunks: number;
}

/** From either, when it can't go on. */
export interface Failed {
  readonly kind: "failed";
  readonly search: number;
  readonly worker: 0 | 1;
  /** Null: it should not have happened. */
  readonly code: ErrorCode | null;
  readonly message: string;
  readonly details: ErrorDetails;
}

/** From each worker, when it is loaded, and for each order when it has loaded what that needs. */
export interface Ready {
  readonly kind: "ready";
}

/** From the first worker: how the pattern is matched. */
export interface Begun {
  readonly kind: "begun";
  readonly search: number;
  readonly engine: "linear" | "backtracking";
}

export type Report = Begun | Ask | Part | Done | Failed;
