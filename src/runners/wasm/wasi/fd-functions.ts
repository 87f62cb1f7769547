// The functions of preview1 on descriptors.

import { parentOf } from "../../../workspace/fs/path-text.ts";
import { type DescriptorTable, type FileDescriptor, FLAG, type ListedName, RIGHT } from "./descriptors.ts";
import { errnoOf, fault } from "./errno.ts";
import type { GuestMemory } from "./memory.ts";
import { kindNumber, putStat, STREAM_STAT, timesOf, UNKNOWN_KIND } from "./stat.ts";

export interface FdParts {
  readonly memory: GuestMemory;
  readonly descriptors: DescriptorTable;
  /** Fills the buffer from standard input; 0 at its end. */
  readonly stdin: (into: Uint8Array) => number;
  readonly now: () => bigint;
}

const MAX_OFFSET = BigInt(Number.MAX_SAFE_INTEGER);
const DIRECTORY_ENTRY_BYTES = 24;

export function createFdFunctions({ memory, descriptors, stdin, now }: FdParts) {
  const readInto = ({ files, file }: FileDescriptor, buffers: readonly Uint8Array[], from: number): number =>
    inBuffers(buffers, (buffer, done) => files.read(file, buffer, from + done));

  const writeFrom = ({ files, file }: FileDescriptor, buffers: readonly Uint8Array[], from: number): number =>
    inBuffers(buffers, (buffer, done) => files.write(file, buffer, from + done));

  const sizeOf = ({ files, file }: FileDescriptor): number => Number(files.statFile(file).size);

  const sync = (fd: number): void => {
    const found = descriptors.get(fd);
    if (found.kind === "file") found.files.sync(found.file);
  };

  return {
    fd_close: (fd: number) => descriptors.close(fd),
    fd_renumber: (from: number, to: number) => descriptors.renumber(from, to),
    fd_advise(fd: number, offset: bigint, length: bigint, advice: number) {
      if (descriptors.get(fd).kind !== "file") fault("EBADF");
      if (advice > 5 || offset < 0n || length < 0n) fault("EINVAL");
    },
    fd_allocate(fd: number) {
      const found = descriptors.get(fd);
      if (found.kind !== "file" || (found.rights & RIGHT.allocate) === 0n) fault("EBADF");
      fault("ENOTSUP");
    },
    fd_datasync: sync,
    fd_sync: sync,
    fd_fdstat_get(fd: number, at: number) {
      const { kind, flags, rights, inherited } = descriptors.get(fd);
      const view = memory.view(at, 24);
      view.setUint8(0, kind === "file" || kind === "directory" ? kindNumber(kind) : UNKNOWN_KIND);
      view.setUint8(1, 0);
      view.setUint16(2, flags, true);
      view.setUint32(4, 0, true);
      view.setBigUint64(8, rights, true);
      view.setBigUint64(16, inherited, true);
    },
    fd_fdstat_set_flags(fd: number, flags: number) {
      const found = descriptors.get(fd);
      if ((flags & ~FLAG.all) !== 0) fault("EINVAL");
      if (found.kind === "directory") fault("EBADF");
      found.flags = flags;
    },
    fd_fdstat_set_rights(fd: number, base: bigint, inheriting: bigint) {
      const found = descriptors.get(fd);
      const [rights, inherited] = [BigInt.asUintN(64, base), BigInt.asUintN(64, inheriting)];
      if ((rights & ~found.rights) !== 0n || (inherited & ~found.inherited) !== 0n) fault("ENOTCAPABLE");
      found.rights = rights;
      found.inherited = inherited;
    },
    fd_filestat_get(fd: number, at: number) {
      const found = descriptors.get(fd);
      if (found.kind === "input" || found.kind === "output")
        return putStat(memory, at, UNKNOWN_KIND, STREAM_STAT);
      const stat =
        found.kind === "file" ? found.files.statFile(found.file) : found.files.stat(found.path, ".", false);
      putStat(memory, at, kindNumber(stat.kind), stat);
    },
    fd_filestat_set_size(fd: number, size: bigint) {
      const found = descriptors.get(fd);
      if (found.kind !== "file") fault("EBADF");
      if ((found.rights & RIGHT.setSize) === 0n || !found.canWrite || size < 0n) fault("EINVAL");
      if (size > MAX_OFFSET) fault("EFBIG");
      found.files.truncate(found.file, Number(size));
    },
    fd_filestat_set_times(fd: number, accessed: bigint, modified: bigint, flags: number) {
      const found = descriptors.get(fd);
      const times = timesOf(accessed, modified, flags, now);
      if (found.kind === "file") found.files.setFileTimes(found.file, times);
      else if (found.kind === "directory") found.files.setTimes(found.path, ".", false, times);
      else fault("EBADF");
    },
    fd_read(fd: number, list: number, count: number, result: number) {
      const found = descriptors.get(fd);
      if (found.kind === "directory") fault("EISDIR");
      if (found.kind === "output" || (found.rights & RIGHT.read) === 0n) fault("EBADF");
      const buffers = memory.buffers(list, count);
      if (found.kind === "input") return memory.setU32(result, inBuffers(buffers, stdin));
      if (!found.canRead) fault("EBADF");
      const read = readInto(found, buffers, found.position);
      found.position += read;
      memory.setU32(result, read);
    },
    fd_pread(fd: number, list: number, count: number, offset: bigint, result: number) {
      const found = descriptors.seekable(fd);
      if (!found.canRead) fault("EBADF");
      memory.setU32(result, readInto(found, memory.buffers(list, count), offsetOf(offset)));
    },
    fd_write(fd: number, list: number, count: number, result: number) {
      const found = descriptors.get(fd);
      if (found.kind === "directory" || found.kind === "input" || (found.rights & RIGHT.write) === 0n)
        fault("EBADF");
      const buffers = memory.buffers(list, count);
      if (found.kind === "output") return memory.setU32(result, inBuffers(buffers, writeTo(found.write)));
      if (!found.canWrite) fault("EBADF");
      if ((found.flags & FLAG.append) !== 0) found.position = sizeOf(found);
      const written = writeFrom(found, buffers, found.position);
      found.position += written;
      memory.setU32(result, written);
    },
    fd_pwrite(fd: number, list: number, count: number, offset: bigint, result: number) {
      const found = descriptors.seekable(fd);
      if (!found.canWrite) fault("EBADF");
      const from = (found.flags & FLAG.append) !== 0 ? sizeOf(found) : offsetOf(offset);
      memory.setU32(result, writeFrom(found, memory.buffers(list, count), from));
    },
    fd_seek(fd: number, offset: bigint, whence: number, result: number) {
      const found = descriptors.seekable(fd);
      const bases = [() => 0n, () => BigInt(found.position), () => BigInt(sizeOf(found))];
      const target = (bases[whence] ?? (() => fault("EINVAL")))() + offset;
      if (target < 0n || target > MAX_OFFSET) fault("EINVAL");
      found.position = Number(target);
      memory.setU64(result, target);
    },
    fd_tell(fd: number, result: number) {
      memory.setU64(result, BigInt(descriptors.seekable(fd).position));
    },
    fd_prestat_get(fd: number, at: number) {
      const found = descriptors.get(fd);
      if (found.kind !== "directory" || found.mount === null) fault("EBADF");
      memory.setU32(at, 0);
      memory.setU32(at + 4, found.mount.length);
    },
    fd_prestat_dir_name(fd: number, at: number, length: number) {
      const found = descriptors.get(fd);
      if (found.kind !== "directory" || found.mount === null) fault("EBADF");
      if (length >>> 0 < found.mount.length) fault("ENAMETOOLONG");
      memory.range(at, found.mount.length).set(found.mount);
    },
    fd_readdir(fd: number, at: number, length: number, cookie: bigint, result: number) {
      const found = descriptors.get(fd);
      if (found.kind !== "directory") fault("ENOTDIR");
      if ((found.rights & RIGHT.readdir) === 0n) fault("EBADF");
      if (cookie === 0n || found.names === null) {
        const self = found.files.stat(found.path, ".", false).inode;
        const parent = found.path === "" ? self : found.files.stat(parentOf(found.path), ".", false).inode;
        const dots = [
          { name: ".", kind: "directory" as const, inode: self },
          { name: "..", kind: "directory" as const, inode: parent },
        ];
        found.names = [...dots, ...found.files.list(found.path)].map((entry) => ({
          ...entry,
          bytes: Buffer.from(entry.name),
        }));
      }
      const into = memory.range(at, length);
      memory.setU32(result, putNames(found.names, Number(BigInt.asUintN(53, cookie)), into));
    },
    sock_shutdown(fd: number): number {
      descriptors.get(fd);
      return errnoOf("ENOTSOCK");
    },
  };
}

const writeTo =
  (write: (bytes: Uint8Array) => void) =>
  (buffer: Uint8Array): number => {
    write(buffer);
    return buffer.length;
  };

function offsetOf(offset: bigint): number {
  if (offset < 0n) fault("EINVAL");
  if (offset > MAX_OFFSET) fault("EFBIG");
  return Number(offset);
}

/** Moves bytes buffer by buffer, until one is not filled. */
function inBuffers(
  buffers: readonly Uint8Array[],
  move: (buffer: Uint8Array, done: number) => number,
): number {
  let done = 0;
  for (const buffer of buffers) {
    if (buffer.length === 0) continue;
    const moved = move(buffer, done);
    done += moved;
    if (moved < buffer.length) break;
  }
  return done;
}

/** The last entry may be cut: the guest then asks again with a larger buffer. */
function putNames(names: readonly ListedName[], from: number, into: Uint8Array): number {
  let filled = 0;
  const put = (bytes: Uint8Array) => {
    const part = bytes.subarray(0, into.length - filled);
    into.set(part, filled);
    filled += part.length;
  };
  for (let index = from; index < names.length && filled < into.length; index++) {
    const { inode, kind, bytes } = names[index]!;
    const head = new DataView(new ArrayBuffer(DIRECTORY_ENTRY_BYTES));
    head.setBigUint64(0, BigInt(index + 1), true);
    head.setBigUint64(8, BigInt.asUintN(64, inode), true);
    head.setUint32(16, bytes.length, true);
    head.setUint8(20, kindNumber(kind));
    put(new Uint8Array(head.buffer));
    put(bytes);
  }
  return filled;
}
