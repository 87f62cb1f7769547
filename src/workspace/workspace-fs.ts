// The one interface behind which a cell's files stand. Every mode passes the same contract suite.
// Paths are relative to the workspace (or absolute beneath it), `/`-separated; `""` and `.` are its root.

export type FileKind = "file" | "directory" | "symlink" | "fifo" | "socket" | "device";

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
  /** Whether to go on below this directory (relative to the workspace); all of them when left out. */
  readonly enter?: (path: string) => boolean;
}

export interface Resolved {
  /** Canonical, relative to the workspace; `""` is its root. */
  readonly path: string;
  /** Null when nothing is there. */
  readonly kind: FileKind | null;
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
  readonly mode: "host";
  /** The project's own path. */
  readonly root: string;

  /** Where the path leads after every link is followed; also for what does not exist yet. */
  resolve(path: string): Resolved;
  stat(path: string, options?: { readonly follow?: boolean }): FileStat;
  /** The whole file, which must not be over 1 MiB; with `maxBytes` at most that much of its beginning. */
  read(path: string, options?: { readonly maxBytes?: number }): Buffer;
  /** Chunks of at most 1 MiB. A chunk is valid only until the next one is asked for. */
  stream(path: string): Generator<Buffer, void, void>;
  list(path: string, options?: { readonly limit?: number }): Listing;
  walk(path: string, options?: WalkOptions): Generator<WalkEntry, void, void>;

  /** Replaces or creates the file in one step, with its parent directories. */
  write(path: string, data: Uint8Array | string, options?: WriteOptions): Written;
  append(path: string, data: Uint8Array | string): void;
  mkdir(path: string): void;
  remove(path: string, options?: { readonly recursive?: boolean }): void;
  rename(from: string, to: string): void;
  copy(from: string, to: string): void;
  symlink(target: string, path: string): void;
  readlink(path: string): string;
  chmod(path: string, mode: number): void;

  close(): void;
}
