// What can't be put on record has not happened: the view and the record are of one mind.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Session } from "../../../src/workspace/session/session-types.ts";
import { IS_ROOT } from "../../kit/is-root.ts";
import { file, survey } from "../../kit/worlds/planted-tree.ts";
import { STRATEGIES, tempSessionWorld } from "../../kit/worlds/session-world.ts";

const BIN = path.resolve(import.meta.dirname, "../../../bin/hotcell.js");

const OPERATIONS: readonly (readonly [string, (session: Session) => Promise<unknown>])[] = [
  ["rewind", (session) => session.rewind("c2")],
  ["rewind of a path", (session) => session.rewind("c2", ["d/x"])],
  ["undone rewind", (session) => session.undoRewind()],
  ["discard", (session) => session.discard()],
  ["discard of a path", (session) => session.discard(["d/x"])],
  ["checkpoint", (session) => session.checkpoint()],
  ["fork", (session) => session.fork()],
];

describe.each(STRATEGIES)("with the strategy %s", (strategy) => {
  test.each(OPERATIONS)("a session is as it was when it can't be recorded: %s", async (_, operation) => {
    const world = tempSessionWorld(new Map([["d/x", file("project")]]));
    const session = await world.create(strategy);
    const write = (id: string, content: string) =>
      session.change({ id, tool: "test" }, async () => void session.workspace.write("d/x", content));
    for (const id of ["c1", "c2", "c3"]) await write(id, id);
    await session.rewind("c3");
    await write("c4", "c4");
    const state = () => [session.record, survey(`/proc/self/fd/${session.view.fd}`)];
    const before = state();
    const blocked = path.join(world.stateDir, "sessions", session.record.id, "session.json.new");
    fs.mkdirSync(blocked);
    await expect(operation(session)).rejects.toThrow("EISDIR");
    expect(state()).toEqual(before);
    fs.rmdirSync(blocked);
    await write("c5", "c5");
    await session.rewind("c5");
    expect(state()[1]).toEqual(before[1]);
    expect(fs.readdirSync(path.join(world.stateDir, "sessions"))).toHaveLength(1);
  });

  test("a call whose changes can't be noted has made them and says so; the next one notes them", async () => {
    const world = tempSessionWorld(new Map([["d/x", file("project")]]));
    const session = await world.create(strategy);
    const dir = path.join(world.stateDir, "sessions", session.record.id);
    let blocked = "";
    const { result, paths, warning } = await session.change({ id: "c1", tool: "test" }, async () => {
      session.workspace.write("d/x", "session");
      blocked = path.join(dir, `${session.record.stack.at(-1)!.name}.base.new`);
      fs.mkdirSync(blocked);
      return "done";
    });
    expect([result, paths]).toEqual(["done", ["d/x"]]);
    expect(warning).toBe(
      `Could not record the changes of the session "${session.record.id}": it is a directory (EISDIR). The changes are on the disk. The next changing call records them first.`,
    );
    const next = () => session.change({ id: "c2", tool: "test" }, async () => "done");
    await expect(next()).rejects.toThrow("EISDIR");
    fs.rmdirSync(blocked);
    expect(await next()).toEqual({ result: "done", paths: [], unlisted: [], warning: null });
    expect(await session.commit()).toMatchObject({ committed: ["d/x"], conflicts: [] });
  });

  test("a commit that went through says so when it can't be noted; the next call notes it", async () => {
    const world = tempSessionWorld(new Map([["d/x", file("project")]]));
    const session = await world.create(strategy);
    const write = (content: string) =>
      session.change({ id: content, tool: "test" }, async () => void session.workspace.write("d/x", content));
    await write("one");
    const blocked = path.join(world.stateDir, "sessions", session.record.id, "session.json.new");
    const onProgress = (done: number, total: number) => {
      if (done === total) fs.mkdirSync(blocked);
    };
    expect(await session.commit({}, { onProgress })).toMatchObject({ committed: ["d/x"], conflicts: [] });
    expect(fs.readFileSync(path.join(world.project, "d/x"), "utf8")).toBe("one");
    fs.rmdirSync(blocked);
    await write("two");
    expect(await session.commit()).toMatchObject({ committed: ["d/x"], conflicts: [] });
    fs.writeFileSync(path.join(world.project, "d/x"), "edited");
    await session.read(async () => expect(session.workspace.read("d/x").toString()).toBe("edited"));
  });

  test("a call that fails, and whose changes can't be noted, says why it failed", async () => {
    const world = tempSessionWorld(new Map([["d/x", file("project")]]));
    const session = await world.create(strategy);
    const dir = path.join(world.stateDir, "sessions", session.record.id);
    const failing = session.change({ id: "c1", tool: "test" }, async () => {
      session.workspace.write("d/x", "session");
      fs.mkdirSync(path.join(dir, `${session.record.stack.at(-1)!.name}.base.new`));
      throw new Error("no more");
    });
    await expect(failing).rejects.toThrow("no more");
  });

  test.runIf(IS_ROOT)(
    "on a full disk nothing new is begun, and that is said; to discard all frees it",
    async () => {
      const { project, stateDir } = tempSessionWorld(new Map([["a", file("project")]]));
      // The state directory is a file system of its own, with little space, which ends with the shell.
      const script = `mount -t tmpfs -o size=2m none '${stateDir}' && cd '${project}' && exec 2>&1
export HOTCELL_STATE_DIR='${stateDir}'
hotcell() { '${process.execPath}' '${BIN}' "$@"; }
id=$(hotcell session create --strategy ${strategy})
hotcell exec --session "$id" -- sh -c 'cat /dev/zero > big 2> /dev/null' 2> /dev/null
hotcell session create --strategy ${strategy}; echo "exit $?"
hotcell session discard "$id" --yes; echo "exit $?"
hotcell session create --strategy ${strategy} > /dev/null; echo "exit $?"
ls '${stateDir}/sessions' | sed 's/.*[.]/left over: ./' | grep left`;
      const { stdout } = spawnSync("unshare", ["-m", "sh", "-c", script], { encoding: "utf8" });
      expect(stdout.split("\n")).toEqual([
        expect.stringMatching(
          /^hotcell: Could not create a session of ".*": the disk is full \(ENOSPC\)\. Free /,
        ),
        "exit 1",
        expect.stringMatching(/^The session \S+ now has 0 changes\.$/),
        "exit 0",
        "exit 0",
        "",
      ]);
    },
  );

  test.runIf(IS_ROOT)(
    "issue-17-8: in a full state directory a commit and a discard of a path work, with the space of the reserve",
    async () => {
      const { project, stateDir } = tempSessionWorld(new Map([["a", file("project")]]));
      const script = `mount -t tmpfs -o size=4m none '${stateDir}' && cd '${project}' && exec 2>&1
export HOTCELL_STATE_DIR='${stateDir}'
hotcell() { '${process.execPath}' '${BIN}' "$@"; }
id=$(hotcell session create --strategy ${strategy})
hotcell exec --session "$id" -- sh -c 'echo new > a; echo b > b; echo c > c' 2> /dev/null
cat /dev/zero > '${stateDir}/filler' 2> /dev/null
[ "$1" = with ] || { rm '${stateDir}/reserve'; touch '${stateDir}/reserve'; cat /dev/zero > '${stateDir}/filler2' 2> /dev/null; }
hotcell session commit "$id" a --yes | cut -d' ' -f1-3; echo "$(cat a)"
hotcell session discard "$id" b | head -n 1`;
      const run = (reserve: string) =>
        spawnSync("unshare", ["-m", "sh", "-c", script, "sh", reserve], { encoding: "utf8" }).stdout.split(
          "\n",
        );
      const isFull = expect.stringMatching(/the disk is full \(ENOSPC\)/);
      expect(run("without")).toEqual([isFull, "project", isFull, ""]);
      const left = expect.stringMatching(/^The session \S+ now has 1 change\.$/);
      expect(run("with")).toEqual(["Committed 1 change", "new", left, ""]);
    },
  );
});
