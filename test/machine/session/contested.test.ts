// A diff compares the session with the project as it is now: what the user has changed too is shown as undone.
import fs from "node:fs";
import { describe, expect, test } from "vitest";
import { withDiff } from "../../../src/workspace/session/session-diff.ts";
import { begin } from "../../kit/worlds/session-with-user.ts";
import { STRATEGIES } from "../../kit/worlds/session-world.ts";

type World = Awaited<ReturnType<typeof begin>>;

/** As another process sees it, which takes no part in the session's lock. */
function marked({ session, place }: World): Promise<string[]> {
  return withDiff(session.record.id, place, ({ changes }) =>
    changes.map(({ kind, path, contested }) => `${kind} ${path}${contested ? " contested" : ""}`),
  );
}

describe.each(STRATEGIES)("with the strategy %s", (strategy) => {
  test("a diff marks what the user has changed too, and a patch leaves that out; what was committed is not marked", async () => {
    const { session, call, inProject, tick } = await begin(strategy, { "d/f": "one\n", "d/g": "one\n" });
    const contested = () =>
      session.diff(({ changes }) => changes.filter((change) => change.contested).map(({ path }) => path));
    await call((workspace) => {
      for (const name of ["d/f", "d/g", "made"]) workspace.write(name, "agent\n");
    });
    expect(await contested()).toEqual([]);
    fs.writeFileSync(inProject("d/f"), "mine\n");
    fs.writeFileSync(inProject("made"), "mine\n");
    await tick();
    expect(await contested()).toEqual(["d/f", "made"]);
    const patch = await session.diff((diff) => Buffer.concat([...diff.patch()]).toString());
    expect(patch.match(/^diff .*$/gm)).toEqual(["diff --git a/d/g b/d/g"]);
    await session.commit({ onConflict: "ours" });
    await call((workspace) => workspace.write("d/f", "agent again\n"));
    expect(await contested()).toEqual([]);
  });

  test("what a call that runs has changed, and the user too, is marked", async () => {
    const world = await begin(strategy, { f: "one\n", g: "one\n" });
    const { session, inProject, tick } = world;
    await session.checkpoint();
    const release = session.hold();
    for (const name of ["f", "g", "new"])
      fs.writeFileSync(`/proc/self/fd/${session.view.fd}/${name}`, "agent\n");
    await tick();
    fs.writeFileSync(inProject("f"), "user\n");
    const found = await session.diff(({ changes }) =>
      changes.filter(({ contested }) => contested).map(({ path }) => path),
    );
    release();
    expect(found).toEqual(["f"]);
  });

  test("a file that got its size and time back is marked all the same", async () => {
    const world = await begin(strategy, { f: "one\n" });
    const { call, inProject, edit } = world;
    await call((workspace) => workspace.write("f", "agent\n"));
    const { atime, mtime } = fs.statSync(inProject("f"));
    await edit("f", "two\n");
    fs.utimesSync(inProject("f"), atime, mtime);
    expect(await marked(world)).toEqual(["modified f contested"]);
  });

  test("nothing is marked in a directory of which the session itself has committed a part", async () => {
    const world = await begin(strategy, { "d/x": "one\n", "d/s/z": "one\n", "d/s/y": "one\n" });
    const { session, call, tick } = world;
    await call((workspace) => workspace.remove("d", { recursive: true }));
    await session.commit({ selection: { paths: ["d/s/z"], hunks: [] } });
    await tick();
    expect((await marked(world)).filter((line) => line.endsWith("contested"))).toEqual([]);
  });
});
