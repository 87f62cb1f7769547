// The cost of creating a second copy of a project, and of removing it.
import { takeTurns } from "./measure.js";
import { CALL, makeChanges } from "./sessions-changes.js";
import { sideHere } from "./sessions-sides.js";

export async function measureCreate({ tree, sessions, copies }) {
  const create = async (count) => {
    for (let made = 0; made < count; made++) await sessions.create(tree.dir);
  };
  const hotcell = sideHere("hotcell", create, sessions.removeAll);
  const others = [
    sideHere("git worktree add", copies.addWorktree),
    sideHere("cp -a", copies.addCopy),
    sideHere("shadow git snapshot", copies.addSnapshot),
  ];
  return {
    ...(await takeTurns([hotcell], { warmUpRounds: 2, rounds: 10, count: 5, maxMs: 10_000 })),
    ...(await takeTurns(others, { warmUpRounds: 0, rounds: 2, count: 1, maxMs: 60_000 })),
  };
}

/** Removes the copies that `measureCreate` has created. */
export function measureDiscard({ tree, sessions, copies }) {
  let session;
  const prepare = async () => {
    sessions.removeAll();
    session = await sessions.create(tree.dir);
    await session.change(CALL, async () => makeChanges(session.workspace, tree.sources));
  };
  const sides = [
    sideHere("hotcell", () => session.discard(), prepare),
    sideHere("git worktree remove", copies.removeWorktree),
    sideHere("rm -rf", copies.removeCopy),
  ];
  return takeTurns(sides, { warmUpRounds: 0, rounds: copies.count(), count: 1, maxMs: 60_000 });
}
