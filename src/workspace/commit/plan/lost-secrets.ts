import fs from "node:fs";
import { HotcellError } from "../../../core/errors.ts";
import type { Protection } from "../../../policy/protected.ts";
import type { Change } from "../../diff/changes.ts";
import { runCooperatively } from "../../fs/cooperative.ts";
import { atExactPath } from "../../fs/no-follow.ts";
import { tryOpenRegular } from "../../git/git-dir.ts";
import { findLostPaths } from "../../git/lost-paths.ts";
import { findMovedBranches } from "../../git/moved-branches.ts";
import { openProjectObjects } from "../../git/project-objects.ts";
import type { GitIndex } from "../../git/read-index.ts";
import { createTrackedFiles, readIndexFile } from "../../git/tracked-files.ts";
import type { PlanInput } from "./plan.ts";

const INDEX = ".git/index";
type Sources = Pick<PlanInput, "project" | "view">;
type IsSecret = (path: string) => boolean;

/**
 * Secrets that the project's git index tracks, and that the session's index or a commit on a branch of the session does
 * not have: a commit of the session's `.git` removes them from git. That happens if git runs in a command, where a secret
 * with local changes is hidden and looks deleted.
 */
export async function findLostSecrets(
  changes: readonly Change[],
  sources: Sources,
  protectionOf: (path: string) => Protection | null,
): Promise<string[]> {
  const changed = changes.flatMap(({ path }) => (path.startsWith(".git/") ? [path] : []));
  if (changed.length === 0) return [];
  const isSecret: IsSecret = (path) => protectionOf(path)?.read === "refuse";
  const tracked = await createTrackedFiles(sources.project, isSecret)();
  if (tracked.ids.size === 0) return [];
  const lost = new Set(await findLostInCommits(changed, tracked, sources));
  const left = changed.includes(INDEX) ? await readSessionIndex(sources, isSecret) : tracked;
  return [...tracked.ids.keys()].filter((path) => lost.has(path) || left?.ids.has(path) !== true);
}

/** All, if the session's branches or commits cannot be read. */
async function findLostInCommits(
  changed: readonly string[],
  { ids, format }: GitIndex,
  { project, view }: Sources,
): Promise<Iterable<string>> {
  try {
    const tips = findMovedBranches(changed, project, view);
    if (tips === null) return ids.keys();
    const objects = openProjectObjects(project);
    try {
      const lost: string[] = [];
      for (const id of tips) {
        const lostIn = findLostPaths({ id, type: "commit" }, ids.keys(), { view, project: objects, format });
        lost.push(...(await runCooperatively(lostIn)));
      }
      return lost;
    } finally {
      objects.close();
    }
  } catch (error) {
    if (error instanceof HotcellError) return ids.keys();
    throw error;
  }
}

/** Null if there is none, or none that can be read. */
async function readSessionIndex({ view }: Sources, isSecret: IsSecret): Promise<GitIndex | null> {
  const root = view(INDEX);
  const fd =
    root &&
    atExactPath(root, INDEX, (at) => (typeof at === "string" ? null : tryOpenRegular(at.dir, at.name)));
  if (fd === null) return null;
  try {
    return await readIndexFile(fd, isSecret);
  } finally {
    fs.closeSync(fd);
  }
}
