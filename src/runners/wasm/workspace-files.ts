// The files of a guest on a WorkspaceFS. The guest's path is resolved link by link and never leaves the directory that
// it starts from. Then the workspace's own gate walks the result again, with all its checks, and without following a
// link in the last name. So a path that changes meanwhile ends in the workspace or in an error.
import { type ErrorCode, HotcellError } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import type { FileAccess } from "../../tools/wasm/guests.ts";
import type { EntryStat, FileHandle, WorkspaceFS } from "../../workspace/files/workspace-fs.ts";
import { fault, WasiFault } from "./wasi/errno.ts";
import type { GuestFiles } from "./wasi/guest-files.ts";

export interface ServedFiles extends GuestFiles {
  /** Closes what the guest left open. */
  closeAll(): void;
}

export interface ServeOptions {
  readonly access: FileAccess;
  /** Called with the capability that the guest lacks. */
  readonly onDenied: (capability: string) => void;
  /** Called with the reason if the workspace does not write. */
  readonly onWriteFailed?: (error: HotcellError) => void;
}

/** What a path leads to. */
interface Place {
  /** Below the mount. */
  readonly path: string;
  /** Null if it does not exist; its directory does. */
  readonly stat: EntryStat | null;
  /** The path is written as a directory: `new/`. */
  readonly namesDirectory: boolean;
}

export function serveFiles(
  files: WorkspaceFS | null,
  { access, onDenied, onWriteFailed }: ServeOptions,
): ServedFiles {
  // Without a workspace nothing below reaches it: `reading` refuses first.
  const workspace = files!;
  const handles = new Map<number, FileHandle>();
  let next = 1;

  const reading = <T>(work: () => T): T => {
    if (access === "none" || files === null) {
      onDenied("filesystem");
      fault("ENOTCAPABLE");
    }
    return withErrno(work);
  };
  const write = (handle: FileHandle, bytes: Uint8Array, offset: number): number => {
    try {
      return handle.write(bytes, offset);
    } catch (error) {
      if (error instanceof HotcellError) onWriteFailed?.(error);
      throw error;
    }
  };
  const changing = <T>(work: () => T): T => {
    if (access === "read") {
      onDenied("filesystem=write");
      fault("EROFS");
    }
    return reading(work);
  };
  const resolve = (dir: string, path: string, follow: boolean) =>
    resolveGuestPath(workspace, dir, path, follow);
  const existing = (dir: string, path: string, follow: boolean) => {
    const { stat, ...place } = resolve(dir, path, follow);
    return { ...place, stat: stat ?? fault("ENOENT") };
  };
  const handleOf = (file: number): FileHandle => handles.get(file) ?? fault("EBADF");
  const keep = (handle: FileHandle): number => {
    const file = next++;
    handles.set(file, handle);
    return file;
  };

  return {
    open(dir, path, { follow, create, directory, exclusive, truncate, write }) {
      return (create || truncate || write ? changing : reading)(() => {
        const place = resolve(dir, path, follow);
        const { stat } = place;
        if (stat?.kind === "symlink") fault(create && exclusive ? "EEXIST" : "ELOOP");
        if (stat === null && (!create || place.namesDirectory)) fault("ENOENT");
        if (stat !== null && create && exclusive) fault("EEXIST");
        if (directory && stat?.kind !== "directory") fault("ENOTDIR");
        if (stat?.kind === "directory") {
          if (create || truncate) fault("EISDIR");
          return { kind: "directory", path: place.path };
        }
        if (handles.size >= LIMITS.maxGuestFiles) fault("EMFILE");
        const options = { write, create, exclusive, truncate };
        return { kind: "file", file: keep(workspace.openHandle(place.path, options)) };
      });
    },
    stat: (dir, path, follow) => reading(() => existing(dir, path, follow).stat),
    setTimes: (dir, path, follow, times) =>
      changing(() => workspace.setTimes(named(existing(dir, path, follow).path), times)),
    list: (dir) => reading(() => workspace.listEntries(named(dir))),
    createDirectory: (dir, path) =>
      changing(() => {
        const place = resolve(dir, path, false);
        if (place.stat !== null) fault("EEXIST");
        workspace.mkdir(place.path);
      }),
    removeDirectory: (dir, path) =>
      changing(() => {
        const place = existing(dir, path, false);
        if (place.stat.kind !== "directory") fault("ENOTDIR");
        if (place.path === dir) fault("EINVAL");
        workspace.remove(place.path);
      }),
    removeFile: (dir, path) =>
      changing(() => {
        const place = existing(dir, path, false);
        if (place.stat.kind === "directory") fault("EISDIR");
        if (place.namesDirectory) fault("ENOTDIR");
        workspace.remove(place.path);
      }),
    readLink: (dir, path) =>
      reading(() => {
        const place = existing(dir, path, false);
        return place.stat.kind === "symlink" ? workspace.readlink(place.path) : fault("EINVAL");
      }),
    symlink: (target, dir, path) =>
      changing(() => {
        const place = resolve(dir, path, false);
        if (place.stat !== null) fault("EEXIST");
        if (place.namesDirectory) fault("ENOENT");
        workspace.symlink(target, place.path);
      }),
    rename: (dir, path, toDir, toPath) =>
      changing(() => {
        const from = existing(dir, path, false);
        const to = resolve(toDir, toPath, false);
        const isDirectory = from.stat.kind === "directory";
        if ((from.namesDirectory || to.namesDirectory) && !isDirectory) fault("ENOTDIR");
        if (to.stat !== null && isDirectory !== (to.stat.kind === "directory"))
          fault(isDirectory ? "ENOTDIR" : "EISDIR");
        if (from.path !== to.path) workspace.rename(named(from.path), named(to.path));
      }),
    link: (dir, path, toDir, toPath) =>
      changing(() => {
        const from = existing(dir, path, false);
        const to = resolve(toDir, toPath, false);
        if (to.namesDirectory && to.stat === null) fault("ENOENT");
        if (to.stat !== null) fault("EEXIST");
        if (from.stat.kind === "directory") fault("EPERM");
        workspace.link(from.path, to.path);
      }),

    statFile: (file) => reading(() => handleOf(file).stat()),
    setFileTimes: (file, times) => changing(() => handleOf(file).setTimes(times)),
    truncate: (file, size) => changing(() => handleOf(file).truncate(size)),
    read: (file, into, offset) => reading(() => handleOf(file).read(into, offset)),
    write: (file, bytes, offset) => changing(() => write(handleOf(file), bytes, offset)),
    sync: (file) => reading(() => handleOf(file).sync()),
    close(file) {
      handleOf(file).close();
      handles.delete(file);
    },
    closeAll() {
      for (const handle of handles.values()) handle.close();
      handles.clear();
    },
  };
}

const named = (path: string): string => (path === "" ? "." : path);

const CODES: ReadonlyMap<ErrorCode, string> = new Map([
  ["NOT_FOUND", "ENOENT"],
  ["NOT_A_DIRECTORY", "ENOTDIR"],
  ["NOT_A_FILE", "EINVAL"],
  ["ALREADY_EXISTS", "EEXIST"],
  ["PATH_OUTSIDE_WORKSPACE", "EPERM"],
  ["SYMLINK_OUTSIDE_WORKSPACE", "EPERM"],
  ["PROTECTED_PATH", "EACCES"],
  ["DENIED", "EACCES"],
  ["INVALID_ARGUMENTS", "EINVAL"],
]);

function withErrno<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof HotcellError)) throw error;
    const { errno } = error.details;
    throw new WasiFault(typeof errno === "string" ? errno : (CODES.get(error.code) ?? "EIO"));
  }
}

/** As the specification says: `..` never leads above the directory that the path starts from, nor does a link. */
function resolveGuestPath(workspace: WorkspaceFS, dir: string, path: string, follow: boolean): Place {
  let namesDirectory = path.endsWith("/");
  const todo = namesOf(path);
  const names: string[] = [];
  let links = 0;
  const here = () => [dir, ...names].filter((part) => part !== "").join("/");
  for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
    if (name === "..") {
      if (names.pop() === undefined) fault("EPERM");
      continue;
    }
    names.push(name);
    const stat = statOrNull(workspace, here());
    if (stat === null && todo.length > 0) fault("ENOENT");
    if (stat === null) return { path: here(), stat: null, namesDirectory };
    if (stat.kind === "symlink" && (follow || todo.length > 0)) {
      if (++links > LIMITS.maxLinksFollowed) fault("ELOOP");
      const target = workspace.readlink(here());
      if (target.startsWith("/")) fault("EPERM");
      if (todo.length === 0 && target.endsWith("/")) namesDirectory = true;
      names.pop();
      todo.push(...namesOf(target));
    } else if (stat.kind !== "directory" && todo.length > 0) fault("ENOTDIR");
  }
  const stat = workspace.statEntry(named(here()));
  const isKeptLink = stat.kind === "symlink" && !follow;
  if (namesDirectory && stat.kind !== "directory" && !isKeptLink) fault("ENOTDIR");
  return { path: here(), stat, namesDirectory };
}

/** Last first. */
function namesOf(path: string): string[] {
  return path
    .split("/")
    .filter((name) => name !== "" && name !== ".")
    .reverse();
}

function statOrNull(workspace: WorkspaceFS, path: string): EntryStat | null {
  try {
    return workspace.statEntry(path);
  } catch (error) {
    if (error instanceof HotcellError && error.code === "NOT_FOUND") return null;
    throw error;
  }
}
