// Two states of a session of the clone strategy, to be compared. The newest one is the working copy; of any
// other only what differs is put together, for as long as it is needed.
import fs from "node:fs";
import path from "node:path";
import { osErrorCode } from "../../core/errors.ts";
import { processToken, tokenIsAlive } from "../../core/lock.ts";
import { fdPath, openRealRoot, openRoot, type Root } from "../paths.ts";
import { layerDir } from "../session/layers.ts";
import { removeDirectory } from "../session/make-session.ts";
import { type SessionRecord, sessionDir } from "../session/record.ts";
import type { Sides, Span } from "../session/session-view.ts";
import { seenDirectory } from "./clone-look.ts";
import { restore } from "./clone-restore.ts";
import { isUnderWay, readProjectTree } from "./clone-store.ts";
import { type Standing, type Tree, viewOf } from "./clone-tree.ts";
import { readTree } from "./layer-tree.ts";

const PREFIX = "sides.";

export async function openCloneSides(record: SessionRecord, stateDir: string, span: Span): Promise<Sides> {
  const dir = sessionDir(stateDir, record.id);
  const isAll = span.below === null && span.upTo === record.stack.length;
  if (isAll && !isUnderWay(dir, "showing"))
    return openBoth(record.workspace, path.join(dir, "merged"), record.workspace, () => {});
  removeLeftovers(dir);
  const made = path.join(dir, `${PREFIX}${processToken()}`);
  const remove = () => removeDirectory(made);
  try {
    await makeSides(made, record, stateDir, span);
    return openBoth(path.join(made, "before"), path.join(made, "after"), record.workspace, remove);
  } catch (error) {
    remove();
    throw error;
  }
}

function openBoth(before: string, after: string, given: string, remove: () => void): Sides {
  const open = (at: string): Root => ({ ...(at === given ? openRealRoot(at) : openRoot(at)), given });
  const roots = [open(before), open(after)] as const;
  const close = () => {
    for (const { fd } of roots) fs.closeSync(fd);
    remove();
  };
  return { before: roots[0], after: roots[1], close };
}

async function makeSides(made: string, record: SessionRecord, stateDir: string, span: Span): Promise<void> {
  const project = openRealRoot(record.workspace);
  try {
    // Without secrets. Before the first copy is whole there is nothing that could differ.
    const root = readProjectTree(sessionDir(stateDir, record.id)) ?? seenDirectory(0, new Map());
    const trees: Tree[] = [{ at: fdPath(project.fd), root }];
    for (const layer of record.stack.slice(0, span.upTo))
      trees.unshift(await readTree(layerDir(stateDir, layer)));
    const after = viewOf(trees);
    const before = after.slice(span.upTo - (span.below ?? 0));
    fs.mkdirSync(made, { mode: 0o700 });
    await makeSide(path.join(made, "before"), after, before);
    await makeSide(path.join(made, "after"), before, after);
  } finally {
    fs.closeSync(project.fd);
  }
}

/** What the one state has where the other is different. */
async function makeSide(at: string, other: Standing, state: Standing): Promise<void> {
  fs.mkdirSync(at, { mode: 0o700 });
  const { fd } = openRoot(at);
  try {
    await restore(other, state, { target: fd, known: new Map() });
  } finally {
    fs.closeSync(fd);
  }
}

/** What killed processes have left behind. */
function removeLeftovers(dir: string): void {
  const isLeft = (name: string) => name.startsWith(PREFIX) && !tokenIsAlive(name.slice(PREFIX.length));
  for (const name of fs.readdirSync(dir).filter(isLeft)) tryRemove(path.join(dir, name));
}

/** Another process may be removing it too. */
function tryRemove(dir: string): void {
  try {
    removeDirectory(dir);
  } catch (error) {
    if (osErrorCode(error) === undefined) throw error;
  }
}
