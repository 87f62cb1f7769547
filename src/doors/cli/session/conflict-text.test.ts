import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openSessionCliWorld, type SessionCliWorld } from "../../../../test/kit/worlds/session-cli-world.ts";

const open = () =>
  openSessionCliWorld(
    { a: "a\n", "d/x": "x\n" },
    {
      c1: (w) => w.write("a", "new a\n"),
      c2: (w) => {
        w.write("b", "b\n");
        w.remove("d/x");
      },
    },
  );

const filesIn = (root: string) => fs.readdirSync(root, { recursive: true }).sort();
const contentOf = ({ root }: SessionCliWorld, name: string) => fs.readFileSync(path.join(root, name), "utf8");

describe("a conflict", () => {
  async function clash() {
    const world = await open();
    fs.writeFileSync(path.join(world.root, "a"), "theirs\n");
    return world;
  }

  test("is exit 1: both versions are named, what to do is said, nothing is committed or asked", async () => {
    const world = await clash();
    const { id, root, answer, run } = world;
    const ran = await answer(["commit", id], ["y"]);
    expect(ran).toEqual({
      code: 1,
      out: "Nothing was committed.\n",
      err: expect.stringMatching(
        new RegExp(
          `^conflict at a: changed in the project; nothing is committed\n {2}- in the project, \\+ in the session:\n {2}-theirs\n {2}\\+new a\nCompare both versions with hotcell session diff ${id}, then add --on-conflict merge \\(.*\\), ours \\(.*\\), theirs \\(.*\\) or skip \\(.*\\)\\.\n$`,
        ),
      ),
      questions: [],
    });
    expect([filesIn(root), contentOf(world, "a")]).toEqual([["a", "d", "d/x"], "theirs\n"]);
    const { code, out } = await run(["session", "commit", id, "--yes", "--json"]);
    expect([code, JSON.parse(out)]).toEqual([
      1,
      {
        session: id,
        tx: null,
        committed: [],
        skipped: [],
        conflicts: [
          expect.objectContaining({ path: "a", reason: "changed in the project", resolution: "none" }),
        ],
      },
    ]);
    expect((await run(["session", "commit", id, "--dry-run"])).code).toBe(1);
  });

  test.each([
    ["skip", 1, "theirs\n", "the commit skips it"],
    [
      "theirs",
      0,
      "theirs\n",
      "the project's version stays in the project, and the session keeps its version",
    ],
    ["ours", 0, "new a\n", "the session's version is taken"],
  ])("with --on-conflict %s: exit %d, and the project has %j", async (policy, code, content, told) => {
    const world = await clash();
    const ran = await world.run(["session", "commit", world.id, "--yes", "--on-conflict", policy]);
    expect([ran.code, contentOf(world, "a"), filesIn(world.root)]).toEqual([code, content, ["a", "b", "d"]]);
    expect(ran.err).toMatch(new RegExp(`^conflict at a: changed in the project; ${told}[\n;]`));
  });

  test("that keeps the project's version says how to take it into the session, and so it ends", async () => {
    const name = "it's a";
    const world = await openSessionCliWorld({ [name]: "a\n" }, { c1: (w) => w.write(name, "ours\n") });
    const { id, run } = world;
    fs.writeFileSync(path.join(world.root, name), "theirs\n");
    const { err } = await run(["session", "commit", id, "--yes", "--on-conflict", "theirs"]);
    expect(err).toContain(
      `; to use the project's version in the session: hotcell session discard ${id} 'it'\\''s a'\n`,
    );
    expect((await run(["session", "discard", id, name])).code).toBe(0);
    expect(await run(["session", "commit", id, "--yes"])).toEqual({
      code: 0,
      out: "Nothing to commit.\n",
      err: "",
    });
  });

  test("that can't be merged is named by those that could be, and merging is not advised again", async () => {
    const lines = (first: string, last: string) => `${first}\n${"same\n".repeat(9)}${last}\n`;
    const world = await openSessionCliWorld(
      { a: "a\n", b: lines("1", "2"), c: "c\n" },
      {
        c1: (w) => {
          w.write("a", "ours\n");
          w.write("b", lines("ours", "2"));
          w.write("c", "ours\n");
        },
      },
    );
    const { id, root, run } = world;
    for (const name of ["a", "c"]) fs.writeFileSync(path.join(root, name), "theirs\n");
    fs.writeFileSync(path.join(root, "b"), lines("1", "theirs"));
    const merging = (...paths: string[]) =>
      run(["session", "commit", id, ...paths, "--yes", "--on-conflict", "merge"]);
    const { code, out, err } = await merging();
    expect([code, out]).toEqual([1, "Nothing was committed.\n"]);
    expect(err.match(/^conflict.*|^Compare.*/gm)).toEqual([
      "conflict at a: changed in the project; nothing is committed",
      "conflict at b: changed in the project; the versions could be merged, but nothing is committed because of a and 1 more",
      "conflict at c: changed in the project; nothing is committed",
      `Compare both versions with hotcell session diff ${id}, then add --on-conflict ours (the session's), theirs (the project's) or skip (the rest).`,
    ]);
    expect((await merging("a", "b")).err).toContain("because of a\n");
    expect((await merging("b")).err).toContain(
      "conflict at b: changed in the project; the versions are merged\n",
    );
  });
});
