// The session's changes of a repository outside the project. They are one layer for all calls: a rewind does not change
// it, a commit does not take it.
import fs from "node:fs";
import path from "node:path";
import { emptyDirectory } from "./session-dirs.ts";

export interface RepositoryOverlay {
  /** The real path of the repository. */
  readonly path: string;
  /** The directory of the session's layer for it. */
  readonly layer: string;
}

/** Relative to the directory that `repositoryLayer` returns. */
export const REPOSITORY_UPPER = { name: "upper", work: "work" } as const;

export function repositoryLayer(sessionDir: string): string {
  return path.join(sessionDir, "repository");
}

/** overlayfs takes the owner and mode of the mounted root from the upper layer. */
export function makeRepositoryLayer({ path: repository, layer }: RepositoryOverlay): void {
  const upper = path.join(layer, REPOSITORY_UPPER.name);
  for (const dir of [upper, path.join(layer, REPOSITORY_UPPER.work)])
    fs.mkdirSync(dir, { recursive: true, mode: 0o700 });
  const { uid, gid, mode } = fs.lstatSync(repository);
  if (process.getuid?.() === 0) fs.chownSync(upper, uid, gid);
  fs.chmodSync(upper, mode & 0o777);
}

export function hasRepositoryChanges(sessionDir: string): boolean {
  const upper = path.join(repositoryLayer(sessionDir), REPOSITORY_UPPER.name);
  return fs.existsSync(upper) && fs.readdirSync(upper).length > 0;
}

/** The next mount of the view shows the repository without them. */
export function discardRepositoryChanges(sessionDir: string): void {
  emptyDirectory(path.join(repositoryLayer(sessionDir), REPOSITORY_UPPER.name));
}
