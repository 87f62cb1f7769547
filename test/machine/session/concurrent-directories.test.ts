// A directory that both the session and the user created, or that the session recreated: a file that the session has seen
// there is not a conflict, and a file that it has not seen is never overwritten.
import fs from "node:fs";
import { describe, expect, test } from "vitest";
import type { CommitResult } from "../../../src/workspace/commit/run-commit.ts";
import { begin } from "../../kit/worlds/session-with-user.ts";
import { STRATEGIES } from "../../kit/worlds/session-world.ts";

const outcome = ({ committed, conflicts }: CommitResult) => [committed, conflicts.map(({ path }) => path)];

describe.each(STRATEGIES)("with the strategy %s", (strategy) => {
  /** Both have made `a`. */
  async function bothMade() {
    const world = await begin(strategy, {});
    const { session, call, inProject, edit } = world;
    await call((workspace) => workspace.write("a/s", "session\n"));
    fs.mkdirSync(inProject("a"));
    await edit("a/u", "user\n");
    return {
      ...world,
      seen: (at: string) => session.read(async () => session.workspace.read(at).toString()),
    };
  }

  test("the session's change of a user's file, in a directory that both have made, is no conflict", async () => {
    const { session, call, seen, read } = await bothMade();
    expect(await seen("a/u")).toBe("user\n");
    await call((workspace) => workspace.append("a/u", "session\n"));
    expect(outcome(await session.commit())).toEqual([["a/s", "a/u"], []]);
    expect(read("a/u")).toBe("user\nsession\n");
  });

  test("a user's edit of what was committed into a directory that both have made is seen, and followed", async () => {
    const { session, call, edit, seen, shown } = await bothMade();
    await session.commit();
    await edit("a/s", "user\n");
    expect(await seen("a/s")).toBe("user\n");
    expect(await shown()).toEqual([]);
    await call((workspace) => workspace.append("a/s", "session\n"));
    expect(outcome(await session.commit())).toEqual([["a/s"], []]);
  });

  test("a directory that both have made is removed after a commit without a conflict", async () => {
    const { session, call, inProject } = await bothMade();
    await session.commit();
    await call((workspace) => workspace.remove("a", { recursive: true }));
    expect(outcome(await session.commit())).toEqual([["a", "a/s", "a/u"], []]);
    expect(fs.existsSync(inProject("a"))).toBe(false);
  });

  test("a user's file that came while the session made the directory is not overwritten", async () => {
    const { session, call, inProject, read } = await begin(strategy, {});
    await call((workspace) => {
      workspace.write("a/u", "session\n");
      fs.mkdirSync(inProject("a"));
      fs.writeFileSync(inProject("a/u"), "user\n");
    });
    await call((workspace) => workspace.append("a/u", "more\n"));
    expect(outcome(await session.commit({ onConflict: "skip" }))).toEqual([[], ["a/u"]]);
    expect(read("a/u")).toBe("user\n");
  });

  /** How a session comes to have a directory that shows nothing of the project's. */
  const MADE_ANEW = [
    ["in one call", ["both"]],
    ["in two", ["remove", "make"]],
    ["after a commit", ["remove", "commit", "make"]],
  ] as const;

  test.each(
    MADE_ANEW.flatMap(([how, steps]) =>
      ["the project's", "its own"].map((whose) => [whose, how, steps] as const),
    ),
  )(
    "a user's file in a directory that the session, out of %s, recreated %s is overwritten only if the session has seen it",
    async (whose, _, steps) => {
      const { session, call, inProject, edit, read } = await begin(
        strategy,
        whose === "its own" ? {} : { "d/x": "old\n" },
      );
      if (whose === "its own") await call((workspace) => workspace.write("d/x", "old\n"));
      for (const step of steps) {
        if (step === "commit") await session.commit();
        else
          await call((workspace) => {
            if (step !== "make") workspace.remove("d", { recursive: true });
            if (step !== "remove") workspace.write("d/y", "session\n");
          });
      }
      await call((workspace) => workspace.write("other", "session\n"));
      fs.mkdirSync(inProject("d"), { recursive: true });
      await edit("d/w", "user\n");
      const names = await session.read(async () =>
        session.workspace.list("d").entries.map(({ name }) => name),
      );
      await call((workspace) => workspace.write("d/w", "session\n"));
      await session.commit({ onConflict: "skip" });
      expect(read("d/w")).toBe(names.includes("w") ? "session\n" : "user\n");
    },
  );
});
