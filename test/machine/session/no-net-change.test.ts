// A file that a session created and removed again, or only touched, is not a change, and the user loses nothing by it.
import fs from "node:fs";
import { describe, expect, test } from "vitest";
import type { Session } from "../../../src/workspace/session/session-types.ts";
import { begin } from "../../kit/worlds/session-with-user.ts";
import { STRATEGIES } from "../../kit/worlds/session-world.ts";

const shownBy = (session: Session) =>
  session.read(async () =>
    Array.from(session.workspace.walk("."), ({ path: at, kind }) =>
      kind === "file" ? `${at} ${session.workspace.read(at)}` : at,
    ),
  );

describe.each(STRATEGIES)("with the strategy %s", (strategy) => {
  /** The session has made and removed these; then the user makes them. */
  async function remade(work: (inProject: (at: string) => string) => void) {
    const world = await begin(strategy, { "d/x": "old" });
    const { call, inProject, tick } = world;
    await call((workspace) => {
      for (const at of ["n", "d/n", "made/n"]) workspace.write(at, "session");
    }, "c1");
    await call((workspace) => {
      for (const at of ["n", "d/n"]) workspace.remove(at);
      workspace.remove("made", { recursive: true });
    }, "c2");
    work(inProject);
    await tick();
    return world;
  }

  const makeAll = (inProject: (at: string) => string) => {
    fs.mkdirSync(inProject("made"));
    for (const at of ["n", "d/n", "made/u"]) fs.writeFileSync(inProject(at), "user");
  };
  const ALL = ["d", "d/n user", "d/x old", "made", "made/u user", "n user"];

  test("what the session has made and removed again, and the user makes then, is no change, and is seen after a commit", async () => {
    const { session, shown, read } = await remade(makeAll);
    expect(await shown()).toEqual([]);
    expect((await session.commit()).committed).toEqual([]);
    expect(["n", "d/n", "made/u"].map(read)).toEqual(["user", "user", "user"]);
    expect(await shownBy(session)).toEqual(ALL);
  });

  test("what the session writes where it had made and removed something is a conflict with what the user has made since", async () => {
    const { session, call, read } = await remade(makeAll);
    await call((workspace) => workspace.write("n", "session"));
    const { conflicts } = await session.commit();
    expect(conflicts.map(({ path: at }) => at)).toEqual(["n"]);
    expect(read("n")).toBe("user");
  });

  test("what the session had made is there again when its removal is rewound, and a conflict with what the user has made", async () => {
    const { session, read } = await remade(makeAll);
    await session.read(async () => {});
    await session.rewind("c2");
    expect(session.workspace.read("n").toString()).toBe("session");
    const { conflicts } = await session.commit({ onConflict: "skip" });
    expect(conflicts.map(({ path: at }) => at)).toEqual(["d/n", "n"]);
    expect(read("n")).toBe("user");
  });

  test("what the session has seen in a directory that both made, and removed with it, does not come back with a new file", async () => {
    const { session, call, inProject, edit } = await begin(strategy, {});
    await call((workspace) => workspace.write("a/s", "session"));
    fs.mkdirSync(inProject("a"));
    await edit("a/u", "user");
    await call((workspace) => workspace.remove("a", { recursive: true }));
    await edit("a/v", "user");
    await edit("other", "user");
    expect(await shownBy(session)).not.toContain("a/u user");
  });

  test("a file that the session has rewritten with its content keeps it from a user's edit until all changes are committed", async () => {
    const { session, call, edit, shown, read } = await begin(strategy, { a: "old", b: "old", same: "old" });
    await call((workspace) => {
      for (const at of ["a", "b"]) workspace.write(at, "session");
      workspace.write("same", "old");
    });
    await edit("same", "user");
    await session.commit({ selection: { paths: ["a"], hunks: [] } });
    const seen = () => session.read(async () => session.workspace.read("same").toString());
    expect([await shown(), await seen()]).toEqual([["modified b"], "old"]);
    expect((await session.commit()).committed).toEqual(["b"]);
    expect([await shown(), await seen(), read("same")]).toEqual([[], "user", "user"]);
  });

  test("a file that the session has rewritten with its content shows a user's edit after its discard", async () => {
    const { session, call, edit } = await begin(strategy, { same: "old" });
    await call((workspace) => workspace.write("same", "old"));
    await edit("same", "user");
    await session.discard(["same"]);
    expect(await session.read(async () => session.workspace.read("same").toString())).toBe("user");
  });

  const TOUCHES: readonly [what: string, touch: (workspace: Session["workspace"], view: string) => void][] = [
    ["only touched", (_, view) => fs.utimesSync(`${view}/d`, 1, 1)],
    [
      "made something in, and removed it",
      (workspace) => {
        workspace.write("d/n", "");
        workspace.remove("d/n");
      },
    ],
  ];

  test.each(TOUCHES)(
    "a directory that the session has %s is no change when the user removes it",
    async (_, touch) => {
      const { session, call, inProject, tick, shown } = await begin(strategy, { "d/x": "old" });
      await call((workspace) => touch(workspace, `/proc/self/fd/${session.view.fd}`));
      fs.rmSync(inProject("d"), { recursive: true });
      await tick();
      expect(await shown()).toEqual([]);
      await session.commit();
      expect([fs.existsSync(inProject("d")), await shownBy(session)]).toEqual([false, []]);
    },
  );

  const REMOVALS: readonly [what: string, remove: (workspace: Session["workspace"]) => void][] = [
    ["removed", (workspace) => workspace.remove("d/n")],
    ["moved away", (workspace) => workspace.rename("d/n", "n")],
  ];

  test.each(REMOVALS)(
    "what one call has made and the next has %s is there again when that is rewound, also where the user has removed the directory",
    async (_, remove) => {
      const { session, call, inProject, tick } = await begin(strategy, { "d/x": "old" });
      await call((workspace) => workspace.write("d/n", "session"), "c1");
      await call(remove, "c2");
      fs.rmSync(inProject("d"), { recursive: true });
      await tick();
      await session.read(async () => {});
      await session.rewind("c2");
      expect(session.workspace.read("d/n").toString()).toBe("session");
    },
  );

  test("what one call has made and the next has removed is there again when that is rewound, also where the directory was away for a while", async () => {
    const { session, call, inProject, tick } = await begin(strategy, { "d/x": "old" });
    await call((workspace) => workspace.write("d/n", "session"), "c1");
    await call((workspace) => workspace.remove("d/n"), "c2");
    fs.renameSync(inProject("d"), inProject("away"));
    await tick();
    await session.read(async () => session.workspace.list("."));
    fs.renameSync(inProject("away"), inProject("d"));
    await tick();
    await session.rewind("c2");
    expect(session.workspace.read("d/n").toString()).toBe("session");
  });

  const CHANGES: readonly [what: string, change: (workspace: Session["workspace"]) => void, left: unknown][] =
    [
      ["removed a file", (workspace) => workspace.remove("d/x"), [0o755, ["d", "d/y old"]]],
      [
        "recreated it",
        (workspace) => {
          workspace.remove("d", { recursive: true });
          workspace.mkdir("d");
        },
        [0o755, ["d"]],
      ],
      ["changed the mode", (workspace) => workspace.chmod("d", 0o700), [0o700, ["d", "d/x old", "d/y old"]]],
      [
        "added a file",
        (workspace) => workspace.write("d/n", "session"),
        [0o755, ["d", "d/n session", "d/x old", "d/y old"]],
      ],
    ];

  test.each(CHANGES)(
    "that the session has %s is not forgotten where the user removes the directory and puts it back",
    async (_, change, left) => {
      const { session, call, inProject, tick } = await begin(strategy, { "d/x": "old", "d/y": "old" });
      await call(change);
      fs.renameSync(inProject("d"), inProject("../away"));
      await tick();
      await call(() => {}, "c2");
      fs.renameSync(inProject("../away"), inProject("d"));
      await tick();
      expect([session.workspace.stat("d").mode & 0o777, await shownBy(session)]).toEqual(left);
    },
  );
});
