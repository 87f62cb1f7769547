// Open files with offsets, and what the system knows of an entry: for programs, which expect the operations of POSIX.
import fs from "node:fs";
import { openNewFile } from "../fs/atomic-write.ts";
import { checkReplaceable, openFile } from "../fs/open-file.ts";
import { explainErrors } from "../fs/os-error.ts";
import { ownerOfNew } from "../fs/owner.ts";
import { atExistingEntry, atResolvedPath, childPath, fdPath, type ResolvedPath } from "../fs/paths.ts";
import { kindOf, readNamesForTool } from "../fs/tree.ts";
import type { SeparateFile } from "./change-operations.ts";
import { alreadyExists, notADirectory, notAFile, requireExisting } from "./refusals.ts";
import type { View } from "./view.ts";
import type { EntryName, EntryStat, FileHandle, HandleOptions, WorkspaceFS } from "./workspace-fs.ts";

type HandleOperations = Pick<WorkspaceFS, "statEntry" | "listEntries" | "openHandle" | "link" | "setTimes">;

const { O_RDONLY, O_RDWR, O_TRUNC } = fs.constants;

export function createHandleOperations(
  { root, runRead, runChange, guard }: View,
  separate: SeparateFile,
): HandleOperations {
  const openExisting = (
    input: string,
    place: ResolvedPath,
    { write = false, truncate = false }: HandleOptions,
  ): number => {
    const found = requireExisting(place, "open");
    if (!write) return openFile(found, place.path, O_RDONLY);
    checkReplaceable(found, place.path);
    if (found.stat.nlink === 1) return openFile(found, place.path, truncate ? O_RDWR | O_TRUNC : O_RDWR);
    separate(found, place);
    return atResolvedPath(root, input, { follow: false }, (again) =>
      openExisting(input, again, { write, truncate }),
    );
  };

  return {
    statEntry: (input) =>
      runRead("read the attributes of", input, () =>
        atResolvedPath(root, input, { follow: false }, (place) =>
          entryStat(fs.fstatSync(requireExisting(place, "read the attributes of").fd, BIG)),
        ),
      ),

    listEntries: (input) =>
      runRead("list", input, () =>
        atExistingEntry(root, input, ({ fd, stat }, at) => {
          if (!stat.isDirectory()) throw notADirectory("list", at);
          guard(`${at}/`, "read");
          return readNamesForTool(fd).flatMap(({ name }) => entryNamed(fd, name));
        }),
      ),

    openHandle(input, options = {}) {
      const run = options.write || options.create ? runChange : runRead;
      return run("open", input, () =>
        atResolvedPath(root, input, { follow: false }, (place) => {
          guard(place.path, options.write || options.create ? "write" : "read");
          if (place.namesDirectory) throw notAFile("open", place.path, "the path names a directory");
          if (place.found !== null && options.exclusive) throw alreadyExists("open", place.path);
          if (place.found === null && options.create && place.missingBelow.length === 0)
            return createHandle(createNew(place, ownerOfNew(root.fd)), place.path);
          return createHandle(openExisting(input, place, options), place.path);
        }),
      );
    },

    link(from, to) {
      runChange("link", from, () =>
        atResolvedPath(root, from, { follow: false }, (source) =>
          atResolvedPath(root, to, { follow: false }, (target) => {
            const { stat } = requireExisting(source, "link");
            if (!stat.isFile() && !stat.isSymbolicLink())
              throw notAFile("link", source.path, "it is neither a file nor a symbolic link");
            // The new name shows the old one's content, and takes part in its changes.
            guard(source.path, "read");
            guard(source.path, "write");
            guard(target.path, "write");
            if (target.found !== null || target.namesDirectory) throw alreadyExists("link to", target.path);
            if (target.missingBelow.length > 0) throw notADirectory("link to", target.path);
            fs.linkSync(childPath(source.dir, source.name), childPath(target.dir, target.name));
          }),
        ),
      );
    },

    setTimes(input, times) {
      runChange("set the times of", input, () =>
        atResolvedPath(root, input, { follow: false }, (place) => {
          const found = requireExisting(place, "set the times of");
          guard(found.stat.isDirectory() ? `${place.path}/` : place.path, "write");
          const { accessed, modified } = entryStat(fs.fstatSync(found.fd, BIG));
          const [atime, mtime] = [seconds(times.accessed ?? accessed), seconds(times.modified ?? modified)];
          if (found.stat.isSymbolicLink()) fs.lutimesSync(childPath(place.dir, place.name), atime, mtime);
          else fs.utimesSync(fdPath(found.fd), atime, mtime);
        }),
      );
    },
  };
}

const BIG = { bigint: true } as const;

const seconds = (nanoseconds: bigint): number => Number(nanoseconds) / 1e9;

function entryStat(stat: fs.BigIntStats): EntryStat {
  const { size, ino, dev, nlink, atimeNs, mtimeNs, ctimeNs } = stat;
  const kind = kindOf(stat) ?? "device";
  return {
    kind,
    size,
    inode: ino,
    device: dev,
    links: nlink,
    accessed: atimeNs,
    modified: mtimeNs,
    changed: ctimeNs,
  };
}

/** Empty if the name has vanished: the directory may change during the listing. */
function entryNamed(dir: number, name: string): EntryName[] {
  const stat = fs.lstatSync(childPath(dir, name), { ...BIG, throwIfNoEntry: false });
  return stat === undefined ? [] : [{ name, kind: kindOf(stat) ?? "device", inode: stat.ino }];
}

/** The file is opened again by its descriptor, for reading too. */
function createNew({ dir, name }: ResolvedPath, owner: ReturnType<typeof ownerOfNew>): number {
  const created = openNewFile(childPath(dir, name), { mode: null, owner });
  try {
    return fs.openSync(fdPath(created), O_RDWR);
  } finally {
    fs.closeSync(created);
  }
}

function createHandle(fd: number, at: string): FileHandle {
  return {
    stat: () => explainErrors("read the attributes of", at, () => entryStat(fs.fstatSync(fd, BIG))),
    read: (into, offset) => explainErrors("read", at, () => fs.readSync(fd, into, 0, into.length, offset)),
    write: (bytes, offset) =>
      explainErrors("write", at, () => fs.writeSync(fd, bytes, 0, bytes.length, offset)),
    truncate: (size) => explainErrors("write", at, () => fs.ftruncateSync(fd, size)),
    setTimes(times) {
      const { accessed, modified } = entryStat(fs.fstatSync(fd, BIG));
      explainErrors("set the times of", at, () =>
        fs.futimesSync(fd, seconds(times.accessed ?? accessed), seconds(times.modified ?? modified)),
      );
    },
    sync: () => explainErrors("write", at, () => fs.fsyncSync(fd)),
    close: () => fs.closeSync(fd),
  };
}
