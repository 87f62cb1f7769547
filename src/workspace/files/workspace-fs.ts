// The one interface behind which a cell's files stand. Every mode passes the same contract suite.
// Paths are relative to the workspace (or absolute beneath it), `/`-separated; `.` is its root. Names are
// bytes: what is not UTF-8 stands as lone surrogates (names.ts).

import type { FileKind } from "../fs/tree.ts";
import type { SearchOptions, SearchQuery, SearchResult } from "./search-query.ts";

export type { FileKind };

export interface FileStat {
  readonly kind: FileKind;
  readonly size: number;
  readonly mode: number;
  readonly modifiedMs: number;
  readonly links: number;
}

export interface DirectoryEntry extends FileStat {
  readonly name: string;
}

export interface Listing {
  readonly entries: readonly DirectoryEntry[];
  /** How many there are, also when `entries` has fewer. */
  readonly total: number;
}

export interface WalkEntry {
  /** Relative to the workspace. */
  readonly path: string;
  readonly kind: FileKind;
  /** To be asked before the next entry is. */
  stat(): FileStat;
}

export interface WalkOptions {
  /** Told of each directory that may not be entered, or can't be read. */
  readonly refused?: (path: string) => void;
  /** Whether to go on below this directory (relative to the workspace); all of them when left out. */
  readonly enter?: (path: string) => boolean;
}

export interface CanonicalPath {
  /** Canonical, relative to the workspace; `""` is its root. */
  readonly path: string;
  /** Null when nothing is there. */
  readonly kind: FileKind | null;
}

export interface OpenedFile {
  /** Canonical, relative to the workspace. */
  readonly path: string;
  readonly size: number;
  /** From the beginning each time; a chunk is valid only until the next one is asked for. */
  chunks(): Generator<Buffer, void, void>;
  close(): void;
}

export interface WriteOptions {
  /** Only write when the file's present bytes have this SHA-256 (hex). */
  readonly ifMatchSha256?: string;
}

export interface Written {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly created: boolean;
}

export interface WorkspaceFS {
  readonly mode: "host" | "overlay";
  /** The project's own path. */
  readonly root: string;

  /** Where the path leads after every link is followed; also for what does not exist yet. */
  resolve(path: string): CanonicalPath;
  stat(path: string, options?: { readonly follow?: boolean }): FileStat;
  /** The whole file, which must not be over 1 MiB; with `maxBytes` at most that much of its beginning. */
  read(path: string, options?: { readonly maxBytes?: number }): Buffer;
  /** Opens a file once, for several looks at it; the caller closes it. */
  open(path: string): OpenedFile;
  /** Chunks of at most 1 MiB. A chunk is valid only until the next one is asked for. */
  stream(path: string): Generator<Buffer, void, void>;
  list(path: string, options?: { readonly limit?: number }): Listing;
  walk(path: string, options?: WalkOptions): Generator<WalkEntry, void, void>;
  /** Finds lines in a file, or in the files below a directory; follows no link there. */
  search(path: string, query: SearchQuery, options?: SearchOptions): Promise<SearchResult>;

  /** Replaces or creates the file in one step, with its parent directories. */
  write(path: string, data: Uint8Array | string, options?: WriteOptions): Written;
  /** Makes the file when it is not there. Another name of the same file keeps what it has. */
  append(path: string, data: Uint8Array | string): void;
  /** With its parents; content when it is there. */
  mkdir(path: string): void;
  /** A link itself, not what it leads to. A directory that is not empty only when recursive. */
  remove(path: string, options?: { readonly recursive?: boolean }): void;
  /** A link itself; over a file or an empty directory that is there. */
  rename(from: string, to: string): void;
  /** A file, over one that is there too; or a directory, to a new one. Links are copied as links, FIFOs and the like not at all. */
  copy(from: string, to: string): void;
  /** Refused when it would lead outside. */
  symlink(target: string, path: string): void;
  readlink(path: string): string;
  /** Permissions only: no set-user-id and the like. */
  chmod(path: string, mode: number): void;

  /**
   * The same files, with one more check on every path where it really leads, links followed: it is asked
   * after the path was walked and before anything is read or changed, and throws to refuse.
   */
  guardedBy(check: (at: string, access: "read" | "write") => void): WorkspaceFS;

  close(): void;
}
