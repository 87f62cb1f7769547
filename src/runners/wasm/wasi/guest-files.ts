// The files of a guest, in the operations of WASI preview1. Each operation is one step, because it may be a message to
// another process. A directory is known by its path below the mount (`""` is the mount itself), an open file by a number.
import type { EntryName, EntryStat, EntryTimes } from "../../../workspace/files/workspace-fs.ts";

export interface OpenRequest {
  readonly follow: boolean;
  readonly create: boolean;
  readonly directory: boolean;
  readonly exclusive: boolean;
  readonly truncate: boolean;
  readonly write: boolean;
}

export type OpenedEntry =
  | { readonly kind: "directory"; readonly path: string }
  | { readonly kind: "file"; readonly file: number };

/** Every method throws a WasiFault where it fails. */
export interface GuestFiles {
  open(dir: string, path: string, request: OpenRequest): OpenedEntry;
  stat(dir: string, path: string, follow: boolean): EntryStat;
  setTimes(dir: string, path: string, follow: boolean, times: EntryTimes): void;
  list(dir: string): readonly EntryName[];
  createDirectory(dir: string, path: string): void;
  removeDirectory(dir: string, path: string): void;
  removeFile(dir: string, path: string): void;
  readLink(dir: string, path: string): string;
  symlink(target: string, dir: string, path: string): void;
  rename(dir: string, path: string, toDir: string, toPath: string): void;
  link(dir: string, path: string, toDir: string, toPath: string): void;

  statFile(file: number): EntryStat;
  setFileTimes(file: number, times: EntryTimes): void;
  truncate(file: number, size: number): void;
  /** May read less; nothing at the end of the file. */
  read(file: number, into: Uint8Array, offset: number): number;
  write(file: number, bytes: Uint8Array, offset: number): number;
  sync(file: number): void;
  close(file: number): void;
}
