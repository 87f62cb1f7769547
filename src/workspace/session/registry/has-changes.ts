import { HotcellError } from "../../../core/errors.ts";
import { createFingerprintCache } from "../../fs/fingerprint.ts";
import { directoriesIn, layerDir } from "../../layers/layer-dirs.ts";
import { readRecord, type Stack, sessionDir } from "../../layers/record.ts";
import { hasRepositoryChanges } from "../../layers/repository-layer.ts";
import { type SessionDiffOptions, withDiff } from "../session-diff.ts";

/** A session with more paths in its layers counts as changed: a diff of them would take long. */
const MAX_COMPARED_PATHS = 1000;

/** Whether the session has changes, of the project or of a repository outside it; also if the project cannot be read to find out. */
export async function hasChanges(id: string, store: SessionDiffOptions): Promise<boolean> {
  const dir = sessionDir(store.stateDir, id);
  if (hasRepositoryChanges(dir)) return true;
  const { stack } = readRecord(dir);
  const count = countPaths(stack, store.stateDir);
  if (count === 0 || count > MAX_COMPARED_PATHS) return count > 0;
  try {
    return await withDiff(
      id,
      { ...store, fingerprintOf: createFingerprintCache() },
      ({ changes }) => changes.length > 0,
    );
  } catch (error) {
    if (error instanceof HotcellError) return true;
    throw error;
  }
}

/** Counts steps of the walk, which are at least as many as the paths. */
function countPaths(stack: Stack, stateDir: string): number {
  let count = 0;
  for (const layer of stack)
    for (const _ of directoriesIn(layerDir(stateDir, layer))) if (++count > MAX_COMPARED_PATHS) return count;
  return count;
}
