import { createHash } from "node:crypto";
import fs from "node:fs";
import { HotcellError } from "../../core/errors.ts";
import { replaceFile, writeAll } from "../fs/atomic-write.ts";
import { runToEnd } from "../fs/cooperative.ts";
import { createCursor } from "../fs/cursor.ts";
import type { Leftovers } from "../fs/leftovers.ts";
import { osPath, showName } from "../fs/names.ts";
import {
  appendAll,
  checkReplaceable,
  copyBytes,
  hashFile,
  O_APPEND,
  O_RDONLY,
  O_WRONLY,
  withOpenFile,
  writeAt,
} from "../fs/open-file.ts";
import { ownerOfNew, ownerOfReplaced } from "../fs/owner.ts";
import { joinPath, parentOf } from "../fs/path-text.ts";
import {
  atExistingEntry,
  atResolvedPath,
  childPath,
  fdPath,
  type OpenEntry,
  type ResolvedPath,
} from "../fs/paths.ts";
import { copyTree, makeDirectory, makeLink, removeBelow } from "../fs/tree-change.ts";
import {
  alreadyExists,
  notADirectory,
  notAFile,
  refuseIntoItself,
  refuseRoot,
  requireExisting,
} from "./refusals.ts";
import { renameDirectory } from "./rename-directory.ts";
import type { View } from "./view.ts";
import type { WorkspaceFS, WriteOptions } from "./workspace-fs.ts";

type ChangeOperations = Pick<
  WorkspaceFS,
  "write" | "append" | "mkdir" | "remove" | "rename" | "copy" | "symlink" | "chmod"
>;

/** Replaces a file by a copy of it, which has no other hard link. */
export type SeparateFile = (found: OpenEntry, place: ResolvedPath) => void;

export function createChangeOperations(
  { root, runChange, guard, guardTree }: View,
  leftovers: Leftovers,
): ChangeOperations & { readonly separate: SeparateFile } {
  const newOwner = () => ownerOfNew(root.fd);

  /** Creates the missing parent directories of the place, and runs `work` in the last one. */
  const inParent = (place: ResolvedPath, work: (dir: number, name: string) => void): void => {
    const names = [place.name, ...place.missingBelow];
    const last = names.pop()!;
    const cursor = createCursor(place.dir);
    try {
      for (const name of names) {
        makeDirectory(cursor.fd, name, newOwner());
        cursor.down(name);
      }
      work(cursor.fd, last);
    } finally {
      cursor.close();
    }
  };

  /** An existing file keeps its mode and owner. A new one gets `newMode`, if given. */
  const replace = (place: ResolvedPath, fill: (fd: number) => void, newMode: number | null = null): void => {
    if (place.namesDirectory) throw notAFile("write", place.path, "the path names a directory");
    if (place.found !== null) checkReplaceable(place.found, place.path);
    const { mode = newMode } = place.found?.stat ?? {};
    const owner = place.found === null ? newOwner() : ownerOfReplaced(place.found.stat);
    inParent(place, (dir, name) =>
      replaceFile({ dir, directory: parentOf(place.path), name, mode, owner }, leftovers, fill),
    );
  };

  const copyFile = (from: OpenEntry, at: string, place: ResolvedPath): void =>
    withOpenFile(from, at, O_RDONLY, (source) =>
      replace(place, (fd) => runToEnd(copyBytes(source, at, fd)), from.stat.mode),
    );

  const appendByCopy = (found: OpenEntry, place: ResolvedPath, more: Uint8Array): void =>
    withOpenFile(found, place.path, O_RDONLY, (source) =>
      replace(place, (fd) => {
        runToEnd(copyBytes(source, place.path, fd));
        writeAt(fd, more, fs.fstatSync(fd).size);
      }),
    );

  return {
    separate: (found, place) => appendByCopy(found, place, new Uint8Array()),

    write(input, data, options = {}) {
      const bytes = bytesOf(data);
      return runChange("write", input, () =>
        atResolvedPath(root, input, {}, (place) => {
          guard(place.path, "write");
          checkMatch(place, options);
          replace(place, (fd) => writeAll(fd, bytes));
          const sha256 = createHash("sha256").update(bytes).digest("hex");
          return { path: place.path, bytes: bytes.length, sha256, created: place.found === null };
        }),
      );
    },

    append(input, data) {
      const bytes = bytesOf(data);
      runChange("append to", input, () =>
        atResolvedPath(root, input, {}, (place) => {
          guard(place.path, "write");
          const { found } = place;
          if (found === null) return replace(place, (fd) => writeAll(fd, bytes));
          checkReplaceable(found, place.path);
          // A hard link of the file may be outside the workspace; an append in place would change that too.
          if (found.stat.nlink > 1) return appendByCopy(found, place, bytes);
          withOpenFile(found, place.path, O_WRONLY | O_APPEND, (fd) => appendAll(fd, bytes));
        }),
      );
    },

    mkdir(input) {
      runChange("create the directory", input, () =>
        atResolvedPath(root, input, {}, (place) => {
          guard(`${place.path}/`, "write");
          if (place.found?.stat.isDirectory()) return;
          if (place.found !== null) throw alreadyExists("create the directory", place.path);
          inParent(place, (dir, name) => makeDirectory(dir, name, newOwner()));
        }),
      );
    },

    remove(input, options) {
      runChange("remove", input, () =>
        atResolvedPath(root, input, { follow: false }, (place) => {
          const found = requireExisting(place, "remove");
          refuseRoot("remove", place.path);
          if (options?.recursive) guardTree(found, place.path, "write");
          else guard(withSlash(found, place.path), "write");
          if (!found.stat.isDirectory()) return fs.unlinkSync(childPath(place.dir, place.name));
          if (options?.recursive) removeBelow(found.fd);
          fs.rmdirSync(childPath(place.dir, place.name));
        }),
      );
    },

    rename(from, to) {
      runChange("rename", from, () =>
        atResolvedPath(root, from, { follow: false }, (source) =>
          atResolvedPath(root, to, { follow: false }, (target) => {
            const moved = requireExisting(source, "rename");
            refuseRoot("rename", source.path);
            refuseRoot("rename to", target.path);
            refuseIntoItself("rename", source.path, target.path);
            if (target.namesDirectory && !moved.stat.isDirectory())
              throw notADirectory("rename", source.path);
            guardTree(moved, source.path, "write");
            guardTree(moved, target.path, "write");
            inParent(target, (dir, name) =>
              moved.stat.isDirectory()
                ? renameDirectory(source, { dir, name })
                : fs.renameSync(childPath(source.dir, source.name), childPath(dir, name)),
            );
          }),
        ),
      );
    },

    copy(from, to) {
      runChange("copy", from, () =>
        atExistingEntry(root, from, (source, at) =>
          atResolvedPath(root, to, {}, (target) => {
            guardTree(source, at, "read");
            guardTree(source, target.path, "write");
            if (!source.stat.isDirectory()) return copyFile(source, at, target);
            refuseIntoItself("copy", at, target.path);
            if (target.found !== null) throw alreadyExists("copy to", target.path);
            inParent(target, (dir, name) => runToEnd(copyTree(source, dir, name, newOwner())));
          }),
        ),
      );
    },

    symlink(target, input) {
      runChange("make the link", input, () =>
        atResolvedPath(root, input, { follow: false }, (place) => {
          guard(place.path, "write");
          if (place.namesDirectory) throw notAFile("make the link", place.path, "the path names a directory");
          if (place.found !== null) throw alreadyExists("make the link", place.path);
          inParent(place, (dir, name) => {
            // The path must not be normalised: it may contain a link, and `..` refers to the link's target.
            const way = target.startsWith("/") ? target : joinPath(parentOf(place.path), target);
            atResolvedPath(root, way, {}, (end) => guard(end.path, "read"));
            makeLink(osPath(target), dir, name, newOwner());
          });
        }),
      );
    },

    chmod(input, mode) {
      runChange("change the mode of", input, () =>
        atResolvedPath(root, input, {}, (place) => {
          const found = requireExisting(place, "change the mode of");
          guard(withSlash(found, place.path), "write");
          fs.chmodSync(fdPath(found.fd), mode & 0o777);
        }),
      );
    },
  };
}

function bytesOf(data: Uint8Array | string): Uint8Array {
  return typeof data === "string" ? Buffer.from(data, "utf8") : data;
}

const withSlash = (found: OpenEntry, at: string): string => (found.stat.isDirectory() ? `${at}/` : at);

function checkMatch({ found, path }: ResolvedPath, { ifMatchSha256 }: WriteOptions): void {
  if (ifMatchSha256 === undefined) return;
  const present = found && withOpenFile(found, path, O_RDONLY, (fd) => runToEnd(hashFile(fd, path)));
  if (present === ifMatchSha256.toLowerCase()) return;
  throw new HotcellError(
    "PRECONDITION_FAILED",
    `Could not write "${showName(path)}": its sha256 is ${present ?? "none (no such file)"}, not "${ifMatchSha256}". Read it again.`,
    { path, sha256: present },
  );
}
