import { osErrorCode } from "../../core/errors.ts";
import { parentOf } from "../commit/exactly.ts";
import { expectedVersion, fingerprintOf, lookOf } from "../commit/fingerprint.ts";
import { committedIn } from "../commit/journal.ts";
import type { Pieces } from "../pieces.ts";
import { isVersion, readStack, type Trees } from "./bases.ts";
import { type SessionRecord, type Stack, sessionDir } from "./record.ts";
import { commitsIn, txDirOf } from "./session-commit.ts";

/** Files and links of the user's that were seen with the layers of before, and that the view does not show because a directory was made anew. */
export function* findOutOfSight(
  before: Stack,
  { id, stack }: SessionRecord,
  stateDir: string,
  trees: Trees,
): Pieces<string[]> {
  const { bases } = readStack(stack, stateDir);
  const { moved } = readStack(before, stateDir);
  const hidden = [...moved].filter((at) => !bases.has(at) && isHidden(at, trees));
  const found: string[] = [];
  for (const at of hidden) if (!(yield* isCommitted(at, sessionDir(stateDir, id), trees))) found.push(at);
  return found;
}

function isHidden(at: string, { project, view }: Trees): boolean {
  if (!at.includes("/")) return false;
  try {
    const mayBe = lookOf(view, at) === null && lookOf(view, parentOf(at))?.kind === "directory";
    return mayBe && ["file", "symlink"].includes(lookOf(project, at)?.kind ?? "");
  } catch (error) {
    // What may not be entered can't be brought from there.
    if (osErrorCode(error) !== "EACCES") throw error;
    return false;
  }
}

/** Whether a commit of the session has put it there as it is. */
function* isCommitted(at: string, dir: string, { project }: Trees): Pieces<boolean> {
  const found = yield* fingerprintOf(project, at);
  return commitsIn(dir).some((number) => {
    const version = committedIn(txDirOf(dir, number)).versions.get(at);
    return version !== undefined && isVersion(found, version && expectedVersion(version));
  });
}
