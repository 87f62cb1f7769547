// A path that a session discards is as if the session had never changed it.
import { describe, expect, test } from "vitest";
import type { Session } from "../../../src/workspace/session/session-types.ts";
import { begin } from "../../kit/worlds/session-with-user.ts";
import { STRATEGIES } from "../../kit/worlds/session-world.ts";

const OLD = "first\n\n\n\n\n\n\nlast\n";
const [MINE, THEIRS] = [OLD.replace("first", "session"), OLD.replace("last", "user")];

describe.each(STRATEGIES)("with the strategy %s", (strategy) => {
  /** A commit that settled a conflict, and was reverted. */
  async function revertSettled(onConflict: "merge" | "ours", at: string) {
    const world = await begin(strategy, { [at]: OLD });
    await world.call((workspace) => workspace.write(at, MINE));
    await world.edit(at, THEIRS);
    await world.session.commit({ onConflict });
    await world.tick();
    await world.session.revert();
    return world;
  }

  test.each(["merge", "ours"] as const)(
    "a conflict that a commit settled by %s, and that its revert brought back, stays one when the session is opened again",
    async (how) => {
      const { session, reopen, read } = await revertSettled(how, "f");
      session.close();
      (await reopen()).close();
      const { conflicts } = await (await reopen()).commit();
      expect([read("f"), conflicts.map(({ path }) => path)]).toEqual([THEIRS, ["f"]]);
    },
  );

  const DISCARDED = [
    ["merge", "f", ["f"]],
    ["ours", "f", ["f"]],
    ["ours", "d/f", ["d"]],
    ["ours", "f", undefined],
  ] as const;

  test.each(DISCARDED.flatMap((row) => [false, true].map((isReopened) => [...row, isReopened] as const)))(
    "a conflict that a revert brought back (of a commit by %s, at %s) is none after a discard of %j (session opened again: %s)",
    async (how, at, paths, isReopened) => {
      const { session, reopen, tick, read } = await revertSettled(how, at);
      const openedAgain = async (before: Session) => {
        if (!isReopened) return before;
        before.close();
        return reopen();
      };
      await session.discard(paths);
      await tick();
      const edited = await openedAgain(session);
      expect(await edited.read(async () => edited.workspace.read(at).toString())).toBe(THEIRS);
      await edited.change({ id: "next", tool: "test" }, async () => edited.workspace.write(at, "next\n"));
      await tick();
      const { conflicts } = await (await openedAgain(edited)).commit();
      expect([read(at), conflicts]).toEqual(["next\n", []]);
    },
  );
});
