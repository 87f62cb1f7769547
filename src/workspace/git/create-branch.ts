import { HotcellError, osErrorCode } from "../../core/errors.ts";
import { quote } from "../../core/quote.ts";
import { atExactPath, type EntryRef, entryExists } from "../fs/no-follow.ts";
import type { Root } from "../fs/paths.ts";
import { isBranchName } from "./ref-name.ts";
import { openRefs, readHeadRef } from "./refs.ts";
import { blockedError, linkNew, makeDirectories, writeNew } from "./write-objects.ts";

/** Throws if the name is no branch name, or the project has such a branch. */
export function checkNewBranch(project: Root, name: string): void {
  if (!isBranchName(name)) {
    const why = "git does not allow this name";
    throw new HotcellError("INVALID_ARGUMENTS", `Could not create the branch ${quote(name)}: ${why}.`, {
      name,
    });
  }
  const ref = `refs/heads/${name}`;
  const packed = [
    ...openRefs(() => project)
      .packed()
      .keys(),
  ];
  const isTaken = packed.some((known) => isSameOrAbove(known, ref) || isSameOrAbove(ref, known));
  const isLoose = atExactPath(
    project,
    `.git/${ref}`,
    (at) => at === "blocked" || (at !== "missing" && entryExists(at)),
  );
  // Without a commit, HEAD names a branch that does not exist yet: to create it would be to move HEAD.
  if (isTaken || isLoose || readHeadRef(project) === ref) throw existsError(name);
}

/** Creates the ref as git does, with a lock file. It replaces nothing. */
export function createBranch(project: Root, name: string, commit: string): void {
  const path = `.git/refs/heads/${name}`;
  checkNewBranch(project, name);
  makeDirectories(project, path);
  atExactPath(project, path, (ref) => {
    if (typeof ref === "string") throw blockedError(path);
    const lock = { dir: ref.dir, name: `${ref.name}.lock` };
    takeLock(project, lock, commit, path);
    if (!linkNew(lock, ref)) throw existsError(name);
  });
}

/** A ref cannot be another one's directory. */
const isSameOrAbove = (one: string, other: string) => other === one || other.startsWith(`${one}/`);

function takeLock(project: Root, lock: EntryRef, commit: string, path: string): void {
  try {
    writeNew(project, lock, Buffer.from(`${commit}\n`), null);
  } catch (error) {
    if (osErrorCode(error) !== "EEXIST") throw error;
    const message = `Could not create the branch: "${path}.lock" exists. If no git is running, remove it.`;
    throw new HotcellError("LOCKED", message, { path: `${path}.lock` });
  }
}

function existsError(name: string): HotcellError {
  const why = "the project has a branch at this name, or above or below it. Choose another name";
  return new HotcellError("ALREADY_EXISTS", `Could not create the branch ${quote(name)}: ${why}.`, { name });
}
