// The one interface to a cell's files. Every mode passes the same contract suite.
// Paths are relative to the workspace (or absolute beneath it), `/`-separated; `.` is its root. Names are
// bytes: lone surrogates represent bytes that are not UTF-8 (names.ts).

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
  /** The number of entries in the directory, even if `entries` has fewer. */
  readonly total: number;
}

export interface WalkEntry {
  /** Relative to the workspace. */
  readonly path: string;
  readonly kind: FileKind;
  /** Must be called before the next entry is requested. */
  stat(): FileStat;
}

export interface WalkOptions {
  /** Called for each directory that may not be entered, cannot be read, or is too deep for a path to name its entries. */
  readonly refused?: (path: string) => void;
  /** Whether to enter this directory (relative to the workspace); by default the walk enters all. */
  readonly enter?: (path: string) => boolean;
}

export interface CanonicalPath {
  /** Canonical, relative to the workspace; `""` is its root. */
  readonly path: string;
  /** Null if the path does not exist. */
  readonly kind: FileKind | null;
}

export interface OpenedFile {
  /** Canonical, relative to the workspace. */
  readonly path: string;
  readonly size: number;
  /** Starts at the beginning on each call. A chunk is valid only until the next one is requested. */
  chunks(): Generator<Buffer, void, void>;
  close(): void;
}

/** All that the system knows of an entry. Times are nanoseconds since 1970. */
export interface EntryStat {
  readonly kind: FileKind;
  readonly size: bigint;
  readonly inode: bigint;
  readonly device: bigint;
  readonly links: bigint;
  readonly accessed: bigint;
  readonly modified: bigint;
  readonly changed: bigint;
}

/** Nanoseconds since 1970, which a file keeps to the microsecond; null leaves the time as it is. */
export interface EntryTimes {
  readonly accessed: bigint | null;
  readonly modified: bigint | null;
}

export interface EntryName {
  readonly name: string;
  readonly kind: FileKind;
  readonly inode: bigint;
}

export interface HandleOptions {
  readonly write?: boolean;
  /** Creates the file if it does not exist; its directory must. */
  readonly create?: boolean;
  /** With `create`: fails if the file exists. */
  readonly exclusive?: boolean;
  readonly truncate?: boolean;
}

/** An open file. Reads and writes are at an offset, and may be shorter than asked. */
export interface FileHandle {
  stat(): EntryStat;
  read(into: Uint8Array, offset: number): number;
  write(bytes: Uint8Array, offset: number): number;
  truncate(size: number): void;
  setTimes(times: EntryTimes): void;
  sync(): void;
  close(): void;
}

export interface WriteOptions {
  /** Optimistic lock: the write fails unless the file's present bytes have this SHA-256 (hex). */
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

  /** Resolves the path with all links followed; also if it does not exist yet. */
  resolve(path: string): CanonicalPath;
  stat(path: string, options?: { readonly follow?: boolean }): FileStat;
  /** Reads the whole file, which must not exceed 1 MiB; with `maxBytes` at most that much of its beginning. */
  read(path: string, options?: { readonly maxBytes?: number }): Buffer;
  /** Opens a file once for several reads; the caller closes it. */
  open(path: string): OpenedFile;
  /** Chunks of at most 1 MiB. A chunk is valid only until the next one is requested. */
  stream(path: string): Generator<Buffer, void, void>;
  list(path: string, options?: { readonly limit?: number }): Listing;
  walk(path: string, options?: WalkOptions): Generator<WalkEntry, void, void>;
  /** Finds lines in a file, or in the files below a directory, where it follows no link. */
  search(path: string, query: SearchQuery, options?: SearchOptions): Promise<SearchResult>;

  /** A link's own, not its target's. */
  statEntry(path: string): EntryStat;
  listEntries(path: string): readonly EntryName[];
  /**
   * Opens a regular file for reads and writes in place; follows no link in the last name. A file with several hard
   * links is first separated from them if it is opened for writing: another link may be outside the workspace.
   */
  openHandle(path: string, options?: HandleOptions): FileHandle;

  /** Replaces or creates the file atomically; creates its parent directories. */
  write(path: string, data: Uint8Array | string, options?: WriteOptions): Written;
  /** Creates the file if it does not exist. Other hard links of the file keep their content. */
  append(path: string, data: Uint8Array | string): void;
  /** Creates parents too; does nothing if the directory exists. */
  mkdir(path: string): void;
  /** Removes a link itself, not its target. Removes a non-empty directory only with `recursive`. */
  remove(path: string, options?: { readonly recursive?: boolean }): void;
  /** Renames a link itself. Replaces an existing file or empty directory. */
  rename(from: string, to: string): void;
  /** Copies a file, also over an existing one, or a directory to a new one. Copies links as links, and omits FIFOs and other special files. */
  copy(from: string, to: string): void;
  /** Throws if the link would lead outside the workspace. */
  symlink(target: string, path: string): void;
  readlink(path: string): string;
  /** Makes a hard link of a file or a symbolic link. Follows no link. */
  link(from: string, to: string): void;
  /** Of a link, its own times. */
  setTimes(path: string, times: EntryTimes): void;
  /** Sets permissions only, not set-user-id and similar bits. */
  chmod(path: string, mode: number): void;

  /**
   * The same files with an additional check of every resolved path. `check` runs after the path was walked and
   * before anything is read or changed, and throws to refuse.
   */
  guardedBy(check: (at: string, access: "read" | "write") => void): WorkspaceFS;

  close(): void;
}
