import { fileClock } from "../file-clock.ts";
import { unlessFull } from "./full-disk.ts";
import { type SessionRecord, sessionDir } from "./record.ts";
import { commitsIn, revertsIn } from "./session-commit.ts";
import type { SessionView } from "./session-view.ts";
import { restacked } from "./stack.ts";
import { emptyUnused, removeUnused } from "./unused.ts";

/** Throws all changes away. It frees the disk, and must work on a full one: nothing is noted of what is thrown away. */
export async function discardAll(
  record: SessionRecord,
  stateDir: string,
  view: SessionView,
  show: (next: SessionRecord) => Promise<void>,
): Promise<void> {
  const dir = sessionDir(stateDir, record.id);
  await unlessFull(view.capture, view.forget);
  const commits = commitsIn(dir).at(-1) ?? record.commits;
  const emptied = { ...restacked(record, [], fileClock(dir)), left: [], commits, reverts: revertsIn(dir) };
  await unlessFull(
    () => show(emptied),
    () => {
      emptyUnused(emptied, stateDir);
      return show(emptied);
    },
  );
  removeUnused(emptied, stateDir);
}
