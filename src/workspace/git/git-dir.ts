// Where a project's git directory is. hotcell reads it by its own code and never runs git on the host.
import fs from "node:fs";
import path from "node:path";
import { HotcellError, osErrorCode } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { openRegularFile } from "../../core/open-regular-file.ts";
import { atExactPath, entryExists } from "../fs/no-follow.ts";
import { readInto } from "../fs/open-file.ts";
import { childPath, openChildDirectory, type Root } from "../fs/paths.ts";

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = fs.constants;

/** The path in a `.git` file, which a worktree or a submodule has; null if the project has no such file. */
export function readGitFile(project: Root): string | null {
  const bytes = readSmallFile(project.fd, ".git", LIMITS.maxPathBytes + "gitdir: \n".length);
  const found = bytes && /^gitdir: ([^\0\n]+)\n?$/.exec(bytes.toString("utf8"));
  return found ? path.resolve(project.path, found[1]!) : null;
}

/** Opens the git directory of a project; null if it has none of its own. A link named `.git` does not count. The caller closes the descriptor. */
export function openGitDir(project: Root): number | null {
  try {
    const other = readGitFile(project);
    if (other === null) return openChildDirectory(project.fd, ".git");
    return fs.openSync(other, O_RDONLY | O_DIRECTORY);
  } catch (error) {
    if (osErrorCode(error) === undefined) throw error;
    return null;
  }
}

/** Opens a regular file in an open directory; null if there is none. It never waits, as for a FIFO. The caller closes the descriptor. */
export function tryOpenRegular(dir: number, name: string): number | null {
  try {
    return openRegularFile(childPath(dir, name), O_NOFOLLOW)?.fd ?? null;
  } catch (error) {
    if (osErrorCode(error) === undefined) throw error;
    return null;
  }
}

/** The whole file; null if it is larger, or no regular file. */
export function readSmallFile(dir: number, name: string, maxBytes: number): Buffer | null {
  const fd = tryOpenRegular(dir, name);
  if (fd === null) return null;
  try {
    const { size } = fs.fstatSync(fd);
    return size > maxBytes ? null : readInto(fd, Buffer.allocUnsafe(size));
  } finally {
    fs.closeSync(fd);
  }
}

/** A file in a root's own `.git` directory, by its path there. Null if there is none; a larger or special file is an error. Follows no link. */
export function readInGitDir(root: Root, at: string, maxBytes: number): Buffer | null {
  return atExactPath(root, `.git/${at}`, (ref) => {
    if (typeof ref === "string" || !entryExists(ref)) return null;
    const bytes = readSmallFile(ref.dir, ref.name, maxBytes);
    if (bytes !== null) return bytes;
    const why = `it is no regular file of at most ${maxBytes} bytes`;
    throw new HotcellError("NOT_SUPPORTED", `Could not read ".git/${at}": ${why}.`, { maxBytes });
  });
}
