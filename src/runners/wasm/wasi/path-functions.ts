// The functions of preview1 on paths. What a path leads to is decided where the files are served.
import { type DescriptorTable, DIRECTORY_RIGHTS, FILE_RIGHTS, FLAG, RIGHT } from "./descriptors.ts";
import { fault } from "./errno.ts";
import type { GuestMemory } from "./memory.ts";
import { kindNumber, putStat, timesOf } from "./stat.ts";

export interface PathParts {
  readonly memory: GuestMemory;
  readonly descriptors: DescriptorTable;
  readonly now: () => bigint;
}

const FOLLOW = 1;
const MAX_PATH_BYTES = 4096;

export function createPathFunctions({ memory, descriptors, now }: PathParts) {
  const pathAt = (at: number, length: number): string => {
    if (length >>> 0 > MAX_PATH_BYTES) fault("ENAMETOOLONG");
    const path = memory.text(at, length);
    if (path === "") fault("ENOENT");
    if (path.includes("\0")) fault("EINVAL");
    return path.startsWith("/") ? fault("EPERM") : path;
  };

  return {
    path_create_directory(fd: number, at: number, length: number) {
      const { files, path } = descriptors.directory(fd, RIGHT.createDirectory);
      files.createDirectory(path, pathAt(at, length));
    },
    path_filestat_get(fd: number, flags: number, at: number, length: number, result: number) {
      const { files, path } = descriptors.directory(fd, RIGHT.pathStat);
      const stat = files.stat(path, pathAt(at, length), (flags & FOLLOW) !== 0);
      putStat(memory, result, kindNumber(stat.kind), stat);
    },
    path_filestat_set_times(
      fd: number,
      flags: number,
      at: number,
      length: number,
      accessed: bigint,
      modified: bigint,
      timeFlags: number,
    ) {
      const { files, path } = descriptors.directory(fd, RIGHT.pathSetTimes);
      const times = timesOf(accessed, modified, timeFlags, now);
      files.setTimes(path, pathAt(at, length), (flags & FOLLOW) !== 0, times);
    },
    path_link(
      fd: number,
      flags: number,
      at: number,
      length: number,
      toFd: number,
      toAt: number,
      toLength: number,
    ) {
      const from = descriptors.directory(fd, RIGHT.linkSource);
      const to = descriptors.directory(toFd, RIGHT.linkTarget);
      if ((flags & FOLLOW) !== 0) fault("EINVAL");
      if (from.files !== to.files) fault("EXDEV");
      from.files.link(from.path, pathAt(at, length), to.path, pathAt(toAt, toLength));
    },
    path_open(
      fd: number,
      dirFlags: number,
      at: number,
      length: number,
      openFlags: number,
      base: bigint,
      inheriting: bigint,
      fdFlags: number,
      result: number,
    ) {
      const from = descriptors.directory(fd, RIGHT.open);
      const rights = BigInt.asUintN(64, base);
      const inherited = BigInt.asUintN(64, inheriting);
      if ((fdFlags & ~FLAG.all) !== 0) fault("EINVAL");
      const [create, directory, exclusive, truncate] = [1, 2, 4, 8].map(
        (flag) => (openFlags & flag) !== 0,
      ) as [boolean, boolean, boolean, boolean];
      if (create && (from.rights & RIGHT.createFile) === 0n) fault("ENOTCAPABLE");
      if (truncate && (from.rights & RIGHT.pathSetSize) === 0n) fault("ENOTCAPABLE");
      if (directory && create) fault("EINVAL");
      const write = (rights & (RIGHT.write | RIGHT.allocate | RIGHT.setSize)) !== 0n;
      const isWriting = (rights & RIGHT.write) !== 0n;
      const request = {
        follow: (dirFlags & FOLLOW) !== 0 && !(create && exclusive),
        create,
        directory,
        exclusive,
        truncate,
        write: write || truncate,
      };
      const opened = from.files.open(from.path, pathAt(at, length), request);
      if (opened.kind === "directory") {
        if (isWriting) fault("EISDIR");
        const kept = {
          rights: rights & from.inherited & DIRECTORY_RIGHTS,
          inherited: inherited & from.inherited,
        };
        const entry = {
          kind: "directory",
          files: from.files,
          path: opened.path,
          mount: null,
          names: null,
          flags: 0,
          ...kept,
        } as const;
        return memory.setU32(result, descriptors.add({ ...entry }));
      }
      const read = (rights & (RIGHT.read | RIGHT.readdir)) !== 0n || !write;
      const withoutWrite = write
        ? 0n
        : RIGHT.write | RIGHT.allocate | RIGHT.setSize | RIGHT.datasync | RIGHT.sync;
      const withoutRead = read ? 0n : RIGHT.read;
      const number = descriptors.add({
        kind: "file",
        files: from.files,
        file: opened.file,
        canRead: (rights & RIGHT.read) !== 0n,
        canWrite: write,
        position: 0,
        rights: rights & from.inherited & FILE_RIGHTS & ~withoutWrite & ~withoutRead,
        inherited: inherited & from.inherited & FILE_RIGHTS,
        flags: fdFlags,
      });
      memory.setU32(result, number);
    },
    path_readlink(fd: number, at: number, length: number, into: number, size: number, result: number) {
      const { files, path } = descriptors.directory(fd, RIGHT.readlink);
      const target = Buffer.from(files.readLink(path, pathAt(at, length))).subarray(0, size >>> 0);
      memory.range(into, target.length).set(target);
      memory.setU32(result, target.length);
    },
    path_remove_directory(fd: number, at: number, length: number) {
      const { files, path } = descriptors.directory(fd, RIGHT.removeDirectory);
      files.removeDirectory(path, pathAt(at, length));
    },
    path_rename(fd: number, at: number, length: number, toFd: number, toAt: number, toLength: number) {
      const from = descriptors.directory(fd, RIGHT.renameSource);
      const to = descriptors.directory(toFd, RIGHT.renameTarget);
      if (from.files !== to.files) fault("EXDEV");
      from.files.rename(from.path, pathAt(at, length), to.path, pathAt(toAt, toLength));
    },
    path_symlink(targetAt: number, targetLength: number, fd: number, at: number, length: number) {
      const { files, path } = descriptors.directory(fd, RIGHT.symlink);
      if (targetLength >>> 0 > MAX_PATH_BYTES) fault("ENAMETOOLONG");
      const target = memory.text(targetAt, targetLength);
      if (target === "") fault("ENOENT");
      if (target.includes("\0")) fault("EINVAL");
      if (target.startsWith("/")) fault("EPERM");
      files.symlink(target, path, pathAt(at, length));
    },
    path_unlink_file(fd: number, at: number, length: number) {
      const { files, path } = descriptors.directory(fd, RIGHT.unlink);
      files.removeFile(path, pathAt(at, length));
    },
  };
}
