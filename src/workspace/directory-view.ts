// WorkspaceFS over one directory. Every path goes through the gate (paths.ts); protected paths are judged
// on where the path really leads.
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { HotcellError, osErrorCode } from "../core/errors.ts";
import { processToken, withLock } from "../core/lock.ts";
import type { Protection } from "../policy/protected.ts";
import { type Owner, replaceFile, type Target, writeAll } from "./atomic-write.ts";
import { createCursor } from "./cursor.ts";
import { openLeftovers } from "./leftovers.ts";
import { decodeName, osPath, showName } from "./names.ts";
import {
  appendAll,
  checkReplaceable,
  chunksOf,
  hashFile,
  O_APPEND,
  O_RDONLY,
  O_WRONLY,
  openFile,
  readBytes,
  withOpenFile,
} from "./open-file.ts";
import { explaining } from "./os-error.ts";
import {
  atFound,
  atPlace,
  childPath,
  type Found,
  fdPath,
  openChildDirectory,
  type Place,
  type Root,
} from "./paths.ts";
import { kindOf, readNames, tourTree } from "./tree.ts";
import { copyTree, makeDirectory, removeBelow } from "./tree-change.ts";
import type { DirectoryEntry, FileStat, WorkspaceFS, WriteOptions, Written } from "./workspace-fs.ts";

export interface DirectoryViewOptions {
  readonly root: Root;
  /** Where this view keeps its notes and lock; outside the root. */
  readonly notesDir: string;
  readonly protectionOf: (path: string) => Protection | null;
}

type Access = "read" | "write";

export function openDirectoryView({ root, notesDir, protectionOf }: DirectoryViewOptions): WorkspaceFS {
  const leftovers = openLeftovers(root, path.join(notesDir, "temporary"));
  const token = processToken();
  const locked = <T>(work: () => T): T => withLock(path.join(notesDir, "write.lock"), work, token);
  const newOwner = ownerOfNew(root);
  let open = true;

  const guarded = <T>(action: string, at: string, work: () => T): T => {
    if (!open)
      throw new HotcellError(
        "WORKSPACE_UNUSABLE",
        `Could not ${action} "${showName(at)}": the workspace is closed.`,
      );
    return explaining(action, at, work);
  };

  const guard = (at: string, access: Access): void => {
    const protection = protectionOf(at);
    if (protection?.[access] === "refuse") throw protectedPath(at, access, protection);
  };

  /** What is at the path and everything below it. */
  const guardTree = (found: Found, at: string, access: Access): void => {
    const isDirectory = found.stat.isDirectory();
    guard(isDirectory ? `${at}/` : at, access);
    if (!isDirectory) return;
    for (const { path: below, kind } of tourTree(found.fd))
      guard(beneath(at, kind === "directory" ? `${below}/` : below), access);
  };

  const openToRead = (input: string): number =>
    atFound(root, input, (found, at) => {
      guard(at, "read");
      return openFile(found, at, O_RDONLY);
    });

  /** Makes the directories that the place lacks and gives the one that shall hold the file. */
  const inParent = <T>(place: Place, work: (dir: number, name: string) => T): T => {
    const names = [place.name, ...place.missingBelow];
    const last = names.pop()!;
    const cursor = createCursor(place.dir);
    try {
      for (const name of names) {
        makeDirectory(cursor.fd, name, newOwner);
        cursor.down(name);
      }
      return work(cursor.fd, last);
    } finally {
      cursor.close();
    }
  };

  const replace = (place: Place, fill: (fd: number) => void): void => {
    if (place.namesDirectory) throw notAFile("write", place.path, "it is named as a directory");
    if (place.found !== null) checkReplaceable(place.found, place.path);
    inParent(place, (dir, name) => {
      const target: Target = {
        dir,
        name,
        directory: parentOf(place.path),
        mode: place.found?.stat.mode ?? null,
        owner: place.found === null ? newOwner : ownerOfReplaced(place.found.stat),
      };
      replaceFile(target, leftovers, fill);
    });
  };

  const copyFile = (from: Found, at: string, place: Place): void =>
    withOpenFile(from, at, O_RDONLY, (source) => {
      replace(place, (fd) => {
        for (const chunk of chunksOf(source, at)) writeAll(fd, chunk);
        fs.fchmodSync(fd, from.stat.mode & 0o777);
      });
    });

  return {
    mode: "host",
    root: root.path,

    resolve(input) {
      return guarded("find", input, () =>
        atPlace(root, input, {}, ({ path: at, found }) => ({
          path: at,
          kind: found === null ? null : statOf(found.stat).kind,
        })),
      );
    },

    stat(input, options) {
      return guarded("look at", input, () =>
        atPlace(root, input, { follow: options?.follow ?? true }, (place) =>
          statOf(existing(place, "look at").stat),
        ),
      );
    },

    read(input, options) {
      return guarded("read", input, () => {
        const fd = openToRead(input);
        try {
          return readBytes(fd, input, options?.maxBytes);
        } finally {
          fs.closeSync(fd);
        }
      });
    },

    *stream(input) {
      const fd = guarded("read", input, () => openToRead(input));
      try {
        yield* chunksOf(fd, input);
      } finally {
        fs.closeSync(fd);
      }
    },

    list(input, options) {
      return guarded("list", input, () =>
        atFound(root, input, (found, at) => {
          if (!found.stat.isDirectory()) throw notADirectory("list", at);
          guard(`${at}/`, "read");
          const names = readNames(found.fd);
          const shown = names.slice(0, options?.limit ?? names.length);
          return { entries: shown.flatMap(({ name }) => entryOf(found.fd, name)), total: names.length };
        }),
      );
    },

    *walk(input, options) {
      const start = guarded("walk", input, () =>
        atFound(root, input, (found, at) => {
          if (!found.stat.isDirectory()) throw notADirectory("walk", at);
          guard(`${at}/`, "read");
          return { fd: openChildDirectory(found.fd, "."), at };
        }),
      );
      try {
        const enters = (below: string) => options?.enter?.(beneath(start.at, below)) ?? true;
        const tour = tourTree(start.fd, enters);
        for (;;) {
          const next = explaining("walk", input, () => tour.next());
          if (next.done) return;
          const { step, path: below, kind, dir, name } = next.value;
          const at = step === "enter" ? fdPath(dir) : childPath(dir, name);
          const stat = () =>
            explaining("look at", below, () => statOf(step === "enter" ? fs.statSync(at) : fs.lstatSync(at)));
          if (step !== "leave") yield { path: beneath(start.at, below), kind, stat };
        }
      } finally {
        fs.closeSync(start.fd);
      }
    },

    write(input, data, options = {}) {
      const bytes = typeof data === "string" ? Buffer.from(data, "utf8") : data;
      return guarded("write", input, () =>
        locked(() =>
          atPlace(root, input, {}, (place): Written => {
            guard(place.path, "write");
            checkMatch(place, options);
            replace(place, (fd) => writeAll(fd, bytes));
            return {
              path: place.path,
              bytes: bytes.length,
              sha256: sha256(bytes),
              created: place.found === null,
            };
          }),
        ),
      );
    },

    append(input, data) {
      const bytes = typeof data === "string" ? Buffer.from(data, "utf8") : data;
      guarded("append to", input, () =>
        locked(() =>
          atPlace(root, input, {}, (place) => {
            guard(place.path, "write");
            if (place.found === null) return replace(place, (fd) => writeAll(fd, bytes));
            checkReplaceable(place.found, place.path);
            // Another name of the same file may be outside: appending in place would write there.
            if (place.found.stat.nlink > 1) return appendByCopy(place, bytes);
            withOpenFile(place.found, place.path, O_WRONLY | O_APPEND, (fd) => appendAll(fd, bytes));
          }),
        ),
      );

      function appendByCopy(place: Place, more: Uint8Array): void {
        withOpenFile(existing(place, "append to"), place.path, O_RDONLY, (source) => {
          replace(place, (fd) => {
            for (const chunk of chunksOf(source, place.path)) writeAll(fd, chunk);
            writeAll(fd, more);
          });
        });
      }
    },

    mkdir(input) {
      guarded("make the directory", input, () =>
        atPlace(root, input, {}, (place) => {
          guard(`${place.path}/`, "write");
          if (place.found?.stat.isDirectory()) return;
          if (place.found !== null) throw alreadyExists("make the directory", place.path);
          inParent(place, (dir, name) => makeDirectory(dir, name, newOwner));
        }),
      );
    },

    remove(input, options) {
      guarded("remove", input, () =>
        atPlace(root, input, { follow: false }, (place) => {
          const found = existing(place, "remove");
          if (place.path === "") throw new HotcellError("DENIED", "Could not remove the workspace itself.");
          guardTree(found, place.path, "write");
          if (!found.stat.isDirectory()) return fs.unlinkSync(childPath(place.dir, place.name));
          if (options?.recursive) removeBelow(found.fd);
          fs.rmdirSync(childPath(place.dir, place.name));
        }),
      );
    },

    rename(from, to) {
      guarded("rename", from, () =>
        atPlace(root, from, { follow: false }, (source) =>
          atPlace(root, to, { follow: false }, (target) => {
            const moved = existing(source, "rename");
            guardTree(moved, source.path, "write");
            guardTree(moved, target.path, "write");
            if (source.path === "" || target.path === "")
              throw new HotcellError("DENIED", "Could not rename the workspace itself.");
            inParent(target, (dir, name) =>
              fs.renameSync(childPath(source.dir, source.name), childPath(dir, name)),
            );
          }),
        ),
      );
    },

    copy(from, to) {
      guarded("copy", from, () =>
        atFound(root, from, (source, at) =>
          atPlace(root, to, {}, (target) => {
            guardTree(source, at, "read");
            guardTree(source, target.path, "write");
            if (!source.stat.isDirectory()) return copyFile(source, at, target);
            if (target.found !== null) throw alreadyExists("copy to", target.path);
            if (at === "" || `${target.path}/`.startsWith(`${at}/`)) {
              throw new HotcellError("INVALID_ARGUMENTS", `Could not copy "${showName(at)}" into itself.`);
            }
            inParent(target, (dir, name) => copyTree(source.fd, dir, name, newOwner));
          }),
        ),
      );
    },

    symlink(target, input) {
      guarded("make the link", input, () =>
        atPlace(root, input, { follow: false }, (place) => {
          guard(place.path, "write");
          if (place.found !== null) throw alreadyExists("make the link", place.path);
          const way = target.startsWith("/") ? target : path.posix.join(parentOf(place.path), target);
          atPlace(root, way === "" ? "." : way, {}, ({ path: end }) => guard(end, "read"));
          inParent(place, (dir, name) => fs.symlinkSync(osPath(target), childPath(dir, name)));
        }),
      );
    },

    readlink(input) {
      return guarded("read the link", input, () =>
        atPlace(root, input, { follow: false }, (place) => {
          if (!existing(place, "read the link").stat.isSymbolicLink())
            throw notAFile("read the link", place.path, "it is no link");
          return decodeName(fs.readlinkSync(childPath(place.dir, place.name), "buffer"));
        }),
      );
    },

    chmod(input, mode) {
      guarded("change the mode of", input, () =>
        atPlace(root, input, {}, (place) => {
          const found = existing(place, "change the mode of");
          guard(place.path, "write");
          fs.chmodSync(fdPath(found.fd), mode & 0o777);
        }),
      );
    },

    close() {
      if (!open) return;
      open = false;
      fs.closeSync(root.fd);
    },
  };
}

export function protectedPath(at: string, access: Access, protection: Protection): HotcellError {
  return new HotcellError(
    "PROTECTED_PATH",
    `Could not ${access} "${showName(at)}": it is a protected path (${protection.class}) that tools may not ${access}.`,
    { path: at, reason: `protected: ${protection.class}` },
  );
}

function existing(place: Place, action: string): Found {
  if (place.found !== null) return place.found;
  throw new HotcellError("NOT_FOUND", `Could not ${action} "${showName(place.path)}": nothing is there.`, {
    path: place.path,
  });
}

function notAFile(action: string, at: string, state: string): HotcellError {
  return new HotcellError("NOT_A_FILE", `Could not ${action} "${showName(at)}": ${state}.`, { path: at });
}

function notADirectory(action: string, at: string): HotcellError {
  return new HotcellError(
    "NOT_A_DIRECTORY",
    `Could not ${action} "${showName(at)}": it is not a directory.`,
    { path: at },
  );
}

function alreadyExists(action: string, at: string): HotcellError {
  return new HotcellError(
    "ALREADY_EXISTS",
    `Could not ${action} "${showName(at)}": something is there already.`,
    { path: at },
  );
}

function checkMatch(place: Place, { ifMatchSha256 }: WriteOptions): void {
  if (ifMatchSha256 === undefined) return;
  const present =
    place.found === null
      ? null
      : withOpenFile(place.found, place.path, O_RDONLY, (fd) => hashFile(fd, place.path));
  if (present === ifMatchSha256) return;
  throw new HotcellError(
    "PRECONDITION_FAILED",
    `Could not write "${showName(place.path)}": its sha256 is ${present ?? "none (no such file)"}, not "${ifMatchSha256}". Read it again.`,
    { path: place.path, sha256: present },
  );
}

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

function statOf(stat: fs.Stats): FileStat {
  const { size, mode, mtimeMs, nlink } = stat;
  return { kind: kindOf(stat) ?? "device", size, mode: mode & 0o7777, modifiedMs: mtimeMs, links: nlink };
}

/** Empty when the name is gone by now: the directory lives while it is listed. */
function entryOf(dir: number, name: string): DirectoryEntry[] {
  try {
    return [{ name, ...statOf(fs.lstatSync(childPath(dir, name))) }];
  } catch (error) {
    if (osErrorCode(error) === "ENOENT") return [];
    throw error;
  }
}

const beneath = (at: string, below: string): string => (at === "" ? below : `${at}/${below}`);

function parentOf(at: string): string {
  const slash = at.lastIndexOf("/");
  return slash < 0 ? "" : at.slice(0, slash);
}

/** As root the cell acts as the owner of the project: what it makes belongs to that owner. */
function ownerOfNew(root: Root): Owner | null {
  if (process.getuid?.() !== 0) return null;
  const { uid, gid } = fs.fstatSync(root.fd);
  return uid === 0 && gid === 0 ? null : { uid, gid };
}

function ownerOfReplaced({ uid, gid }: fs.Stats): Owner | null {
  return process.getuid?.() === 0 ? { uid, gid } : null;
}
