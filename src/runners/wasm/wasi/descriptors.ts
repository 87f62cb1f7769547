// The descriptors of a guest: its three streams, its mounts, and what it opened. Rights as in preview1.
import type { EntryName } from "../../../workspace/files/workspace-fs.ts";
import { fault } from "./errno.ts";
import type { GuestFiles } from "./guest-files.ts";

export const RIGHT = {
  datasync: 1n << 0n,
  read: 1n << 1n,
  seek: 1n << 2n,
  setFlags: 1n << 3n,
  sync: 1n << 4n,
  tell: 1n << 5n,
  write: 1n << 6n,
  advise: 1n << 7n,
  allocate: 1n << 8n,
  createDirectory: 1n << 9n,
  createFile: 1n << 10n,
  linkSource: 1n << 11n,
  linkTarget: 1n << 12n,
  open: 1n << 13n,
  readdir: 1n << 14n,
  readlink: 1n << 15n,
  renameSource: 1n << 16n,
  renameTarget: 1n << 17n,
  pathStat: 1n << 18n,
  pathSetSize: 1n << 19n,
  pathSetTimes: 1n << 20n,
  stat: 1n << 21n,
  setSize: 1n << 22n,
  setTimes: 1n << 23n,
  symlink: 1n << 24n,
  removeDirectory: 1n << 25n,
  unlink: 1n << 26n,
  poll: 1n << 27n,
} as const;

const all = (...rights: readonly bigint[]): bigint => rights.reduce((sum, right) => sum | right, 0n);

const BOTH = all(RIGHT.setFlags, RIGHT.sync, RIGHT.advise, RIGHT.stat, RIGHT.setTimes, RIGHT.poll);
export const FILE_RIGHTS = all(
  BOTH,
  RIGHT.datasync,
  RIGHT.read,
  RIGHT.seek,
  RIGHT.tell,
  RIGHT.write,
  RIGHT.allocate,
  RIGHT.setSize,
);
export const DIRECTORY_RIGHTS = all(
  BOTH,
  RIGHT.createDirectory,
  RIGHT.createFile,
  RIGHT.linkSource,
  RIGHT.linkTarget,
  RIGHT.open,
  RIGHT.readdir,
  RIGHT.readlink,
  RIGHT.renameSource,
  RIGHT.renameTarget,
  RIGHT.pathStat,
  RIGHT.pathSetSize,
  RIGHT.pathSetTimes,
  RIGHT.symlink,
  RIGHT.removeDirectory,
  RIGHT.unlink,
);
const STREAM_RIGHTS = all(RIGHT.setFlags, RIGHT.stat, RIGHT.poll);

export const FLAG = { append: 1, all: 0b11111 } as const;

interface Common {
  rights: bigint;
  /** The most that what is opened through it can have. */
  inherited: bigint;
  flags: number;
}

interface InputDescriptor extends Common {
  readonly kind: "input";
}

interface OutputDescriptor extends Common {
  readonly kind: "output";
  readonly write: (bytes: Uint8Array) => void;
}

export interface DirectoryDescriptor extends Common {
  readonly kind: "directory";
  readonly files: GuestFiles;
  readonly path: string;
  /** The name of a mount, as the guest sees it; null for other directories. */
  readonly mount: Uint8Array | null;
  /** The names of a listing that the guest reads in parts. */
  names: readonly ListedName[] | null;
}

export interface ListedName extends EntryName {
  readonly bytes: Uint8Array;
}

export interface FileDescriptor extends Common {
  readonly kind: "file";
  readonly files: GuestFiles;
  readonly file: number;
  readonly canRead: boolean;
  readonly canWrite: boolean;
  position: number;
}

export type Descriptor = InputDescriptor | OutputDescriptor | DirectoryDescriptor | FileDescriptor;

export interface Preopen {
  /** The path at which the guest sees it. */
  readonly at: string;
  readonly files: GuestFiles;
}

const MAX_DESCRIPTORS = 1024;
const FIRST_FREE = 3;

export class DescriptorTable {
  private readonly open = new Map<number, Descriptor>();

  constructor(
    mounts: readonly Preopen[],
    stdout: (bytes: Uint8Array) => void,
    stderr: (bytes: Uint8Array) => void,
  ) {
    const stream = { inherited: 0n, flags: 0 };
    this.open.set(0, { kind: "input", rights: STREAM_RIGHTS | RIGHT.read, ...stream });
    this.open.set(1, { kind: "output", write: stdout, rights: STREAM_RIGHTS | RIGHT.write, ...stream });
    this.open.set(2, { kind: "output", write: stderr, rights: STREAM_RIGHTS | RIGHT.write, ...stream });
    for (const { at, files } of mounts)
      this.add({
        kind: "directory",
        files,
        path: "",
        mount: Buffer.from(at),
        names: null,
        rights: DIRECTORY_RIGHTS,
        inherited: DIRECTORY_RIGHTS | FILE_RIGHTS,
        flags: 0,
      });
  }

  find(number: number): Descriptor | undefined {
    return this.open.get(number >>> 0);
  }

  get(number: number): Descriptor {
    return this.find(number) ?? fault("EBADF");
  }

  /** A file; a stream has no position, a directory no content. */
  seekable(number: number): FileDescriptor {
    const found = this.get(number);
    if (found.kind === "directory") fault("EBADF");
    return found.kind === "file" ? found : fault("ESPIPE");
  }

  directory(number: number, right: bigint): DirectoryDescriptor {
    const found = this.get(number);
    if (found.kind !== "directory") fault("ENOTDIR");
    return (found.rights & right) === right ? found : fault("ENOTCAPABLE");
  }

  add(descriptor: Descriptor): number {
    if (this.open.size >= MAX_DESCRIPTORS) fault("EMFILE");
    let number = FIRST_FREE;
    while (this.open.has(number)) number++;
    this.open.set(number, descriptor);
    return number;
  }

  close(number: number): void {
    const found = this.get(number);
    this.open.delete(number >>> 0);
    if (found.kind === "file") found.files.close(found.file);
  }

  renumber(from: number, to: number): void {
    const moved = this.get(from);
    this.get(to);
    if (from === to) return;
    this.close(to);
    this.open.set(to >>> 0, moved);
    this.open.delete(from >>> 0);
  }
}
