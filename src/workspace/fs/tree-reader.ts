// Reads a tree by canonical paths, from an open directory. It follows no link, and paths may have any length:
// it walks from directory to directory, with one open at a time. Where the kernel follows no link, it opens a path
// of moderate length in one call. The tree may change meanwhile.
import fs from "node:fs";
import { HotcellError } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { createCursor } from "./cursor.ts";
import { decodeName, showName } from "./names.ts";
import { checkRegular, O_RDONLY, type OpenFile, readBytes } from "./open-file.ts";
import { explainErrors } from "./os-error.ts";
import { joinPath, namesBelow, splitPath } from "./path-text.ts";
import { childPath, type Root } from "./paths.ts";
import { type FileKind, kindOf, type NamedKind, readNames } from "./tree.ts";

const { O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = fs.constants;
/** In characters of up to three bytes. The kernel accepts 4,096 bytes, including the path to the root. */
const LONGEST_AT_ONCE = 1024;
/** Codes that mean that a file or directory vanished. EINVAL: the entry is no longer a link. ESTALE: overlayfs reports this for an entry that is gone from a lower layer. NOT_A_FILE: the entry changed its kind. EXECUTION_ERROR, without an errno: the cursor's directory was moved. */
const VANISHED: ReadonlySet<unknown> = new Set(
  "ENOENT ENOTDIR EISDIR ENXIO ELOOP EINVAL ESTALE NOT_A_FILE EXECUTION_ERROR".split(" "),
);

/** The past or present version of an entry. */
export interface Side {
  readonly kind: FileKind;
  /** With setuid, setgid and sticky: 0o7777. */
  readonly mode: number;
  /** 0 for a directory. */
  readonly size: number;
  /** The target of a link. */
  readonly target: string | null;
}

export interface TreeEntryStat {
  readonly side: Side;
  readonly changedMs: number;
  readonly ino: number;
  readonly dev: number;
}

export interface TreeReader {
  list(directory: string): NamedKind[];
  /** The reader owns the descriptor and closes it when it moves to another directory. */
  enter(directory: string): number;
  /** Null if the entry does not exist or can no longer be reached. */
  look(path: string): TreeEntryStat | null;
  /** Null as for `look`; also accepts the start directory. */
  stat(path: string): fs.Stats | null;
  /** Opens a regular file that `look` has found; the caller closes it. */
  open(path: string): Pick<OpenFile, "fd" | "size">;
  /** Opens the file while `work` runs. */
  withFile<T>(path: string, work: (fd: number, size: number) => T): T;
  /** Reads the whole file. */
  read(path: string): Buffer;
  close(): void;
}

/** The methods that a diff needs. */
export type ReadTree = Pick<TreeReader, "list" | "look" | "open" | "withFile" | "read">;

export type TreeRoot = Pick<Root, "fd" | "followsNoLinks">;

/** A file or directory that was found before is gone, or is of another kind. */
export class Vanished extends HotcellError {
  /** The descriptor that its tree was opened with. */
  readonly root: number;

  constructor({ code, message, details }: HotcellError, root: number) {
    super(code, message, details);
    this.root = root;
  }
}

/** A vanished file or directory counts as absent. */
export function unlessVanished<T, A>(read: () => T, absent: A): T | A {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Vanished)) throw error;
    return absent;
  }
}

/** Starts in an open directory that the caller still owns. */
export function openTreeReader({ fd: root, followsNoLinks = false }: TreeRoot): TreeReader {
  const openRoot = () => explainErrors("open", ".", () => createCursor(root));
  let cursor = openRoot();
  let here = "";

  const goTo = (directory: string): number => {
    let names = namesBelow(here, directory);
    for (; names === null; names = namesBelow(here, directory)) {
      cursor.up();
      here = splitPath(here).directory;
    }
    for (const name of names) {
      cursor.down(name);
      here = joinPath(here, name);
    }
    return cursor.fd;
  };

  /** Tries once more from the root when something vanished: the cursor may be in a directory that was removed or moved. */
  const retryFromRoot = <T>(action: string, path: string, work: () => T): T => {
    for (let isRetry = false; ; isRetry = true) {
      try {
        return explainErrors(action, path || ".", work);
      } catch (error) {
        if (!(error instanceof HotcellError && VANISHED.has(error.details.errno ?? error.code))) throw error;
        if (isRetry) throw path === "" ? error : new Vanished(error, root);
        const fromRoot = openRoot();
        cursor.close();
        cursor = fromRoot;
        here = "";
      }
    }
  };

  /** Calls `work` with the path's directory, or with the root if the whole path can be opened in one call. */
  const at = <T>(action: string, path: string, work: (dir: number, name: string) => T): T =>
    retryFromRoot(action, path, () => {
      if (followsNoLinks && path.length <= LONGEST_AT_ONCE) return work(root, path);
      const { directory, name } = splitPath(path);
      return work(goTo(directory), name);
    });

  const open: TreeReader["open"] = (path) => at("read", path, (dir, name) => openRegular(dir, name, path));

  const withFile: TreeReader["withFile"] = (path, work) => {
    const { fd, size } = open(path);
    try {
      return explainErrors("read", path, () => work(fd, size));
    } finally {
      fs.closeSync(fd);
    }
  };

  return {
    list: (directory) => retryFromRoot("list", directory, () => readNames(goTo(directory))),
    enter: (directory) => retryFromRoot("open", directory, () => goTo(directory)),
    look: (path) => unlessVanished(() => at("read the attributes of", path, lookAt), null),
    stat: (path) =>
      unlessVanished(
        () => at("read the attributes of", path, (dir, name) => tryStat(dir, name || ".")),
        null,
      ),
    open,
    withFile,
    read: (path) =>
      withFile(path, (fd, size) => {
        if (size > LIMITS.maxPatchFileBytes) throw tooLarge(path, size);
        return readBytes(fd, path, LIMITS.maxPatchFileBytes, { size });
      }),
    close: () => cursor.close(),
  };
}

/** The entry may have been replaced since the look. A replacement is opened with O_NONBLOCK, and not read if it is not regular. */
function openRegular(dir: number, name: string, path: string): ReturnType<TreeReader["open"]> {
  const fd = fs.openSync(childPath(dir, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  try {
    const stat = fs.fstatSync(fd);
    checkRegular({ fd, stat }, path, "read");
    return { fd, size: stat.size };
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
}

function lookAt(dir: number, name: string): TreeEntryStat | null {
  const stat = tryStat(dir, name);
  if (stat === null) return null;
  const kind = kindOf(stat) ?? "device";
  const target = kind === "symlink" ? decodeName(fs.readlinkSync(childPath(dir, name), "buffer")) : null;
  const size = kind === "directory" ? 0 : stat.size;
  return {
    side: { kind, mode: stat.mode & 0o7777, size, target },
    changedMs: stat.ctimeMs,
    ino: stat.ino,
    dev: stat.dev,
  };
}

function tryStat(dir: number, name: string): fs.Stats | null {
  return fs.lstatSync(childPath(dir, name), { throwIfNoEntry: false }) ?? null;
}

function tooLarge(path: string, size: number): HotcellError {
  return new HotcellError(
    "FILE_TOO_LARGE",
    `Could not put "${showName(path)}" into a patch: it has ${size} bytes, the limit is ${LIMITS.maxPatchFileBytes}. Exclude it, or commit it.`,
    { path, size, maxBytes: LIMITS.maxPatchFileBytes },
  );
}
