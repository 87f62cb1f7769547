import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openSessionCliWorld, type SessionCliWorld } from "../../../../test/kit/worlds/session-cli-world.ts";
import type { WorkspaceFS } from "../../../workspace/files/workspace-fs.ts";

const FILES = { a: "a\n", "d/x": "x\n" };
const CALLS = {
  c1: (w: WorkspaceFS) => w.write("a", "new a\n"),
  c2: (w: WorkspaceFS) => {
    w.write("b", "b\n");
    w.remove("d/x");
  },
};

const open = () => openSessionCliWorld(FILES, CALLS);
const filesIn = (root: string) => fs.readdirSync(root, { recursive: true }).sort();
const contentOf = ({ root }: SessionCliWorld, name: string) => fs.readFileSync(path.join(root, name), "utf8");

/** Once: while a plan is made Ctrl-C is listened for. */
function whenPlanned(act: () => void): void {
  const listen = (event: string | symbol) => {
    if (event !== "SIGINT") return;
    process.off("removeListener", listen);
    act();
  };
  process.on("removeListener", listen);
}

describe("hotcell session commit", () => {
  test("takes all changes into the project, and says how to take them back", async () => {
    const world = await open();
    const { id, root, run } = world;
    expect(await run(["session", "commit", id, "--yes"])).toEqual({
      code: 0,
      out: `Committed 3 changes to ${root}. To revert: hotcell session revert ${id} --tx 1\n`,
      err: "",
    });
    expect([filesIn(root), contentOf(world, "a")]).toEqual([["a", "b", "d"], "new a\n"]);
    expect(await run(["session", "commit", id, "--yes"])).toEqual({
      code: 0,
      out: "Nothing to commit.\n",
      err: "",
    });
  });

  test("--json is one document", async () => {
    const { id, run } = await open();
    const { out } = await run(["session", "commit", id, "--yes", "--json"]);
    expect(JSON.parse(out)).toEqual({
      session: id,
      tx: "1",
      committed: ["a", "b", "d/x"],
      skipped: [],
      conflicts: [],
    });
  });

  test("takes some paths, relative to the project or absolute in it", async () => {
    const { id, root, run } = await open();
    const { out } = await run(["session", "commit", id, "./d/", path.join(root, "b"), "--yes", "--json"], {
      cwd: path.join(root, "d"),
    });
    expect([JSON.parse(out).committed, filesIn(root)]).toEqual([
      ["b", "d/x"],
      ["a", "b", "d"],
    ]);
  });

  test("takes a file by the very name that it has, also when another could be shown by it", async () => {
    const name = "n\\xff";
    const { id, root, run } = await openSessionCliWorld({}, { c1: (w) => w.write(name, "text\n") });
    const { out } = await run(["session", "commit", id, name, "--yes", "--json"]);
    expect([JSON.parse(out).committed, filesIn(root)]).toEqual([[name], [name]]);
  });

  test("takes some hunks by their ids", async () => {
    const lines = (first: string, last: string) => `${first}\n${"same\n".repeat(20)}${last}\n`;
    const world = await openSessionCliWorld(
      { a: lines("1", "2") },
      { c1: (w) => w.write("a", lines("one", "two")) },
    );
    const { changes } = JSON.parse((await world.run(["session", "diff", world.id, "--json"])).out);
    const [, second] = changes[0].hunks;
    const { code, err } = await world.answer(["commit", world.id, "--hunk", second.id], ["y"]);
    expect([code, err]).toEqual([0, " a | 2 +-\n 1 changed, 1 line added, 1 line removed\n"]);
    expect(contentOf(world, "a")).toBe(lines("1", "two"));
  });

  test.each([
    [["nope"], 'Could not commit the path "nope": the session has no such change.'],
    [["../x"], 'The path "../x" is not in the project'],
    [["--hunk", "123"], 'Could not commit the hunk "123"'],
    [["--on-conflict", "force"], '--on-conflict is "force"; allowed are abort, skip, ours, theirs, merge.'],
    [["-p"], "-p needs a terminal"],
    [["-p", "--hunk", "123"], "Use one of them"],
  ])("%j is exit 2, and nothing is committed", async (args, message) => {
    const { id, root, run } = await open();
    const { code, out, err } = await run(["session", "commit", id, "--yes", "--json", ...args]);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
    expect(JSON.parse(out).error.message).toContain(message);
    expect(filesIn(root)).toEqual(["a", "d", "d/x"]);
  });

  test("without a terminal and without --yes is exit 2, and says what to add", async () => {
    const { id, root, run } = await open();
    expect(await run(["session", "commit", id])).toEqual({
      code: 2,
      out: "",
      err: "hotcell: Could not commit: there is no terminal to ask in. Add --yes.\n",
    });
    expect(filesIn(root)).toEqual(["a", "d", "d/x"]);
  });

  test("in a terminal shows the changes and asks; only yes commits", async () => {
    const { id, root, answer } = await open();
    const stat = ` a   | 2 +-
 b   | new file, 1 +
 d/x | deleted file, 1 -
 3 changed, 2 lines added, 2 lines removed
`;
    const question = `Commit to ${root}? [y/N] `;
    expect(await answer(["commit", id], ["n"])).toEqual({
      code: 1,
      out: "",
      err: `${stat}hotcell: Did not commit: the answer was no.\n`,
      questions: [question],
    });
    expect((await answer(["commit", id, "--json"], [])).out).toBe(
      '{"error":{"code":"DENIED","message":"Did not commit: the answer was no."}}\n',
    );
    expect(filesIn(root)).toEqual(["a", "d", "d/x"]);
    expect(await answer(["commit", id, "b"], ["y"])).toMatchObject({
      code: 0,
      err: " b | new file, 1 +\n 1 changed, 1 line added, 0 lines removed\n",
      questions: [question],
    });
    expect(filesIn(root)).toEqual(["a", "b", "d", "d/x"]);
  });

  test("a step that is known to fail is reported before the question: exit 1", async () => {
    const world = await open();
    const { id, root, run, answer } = world;
    fs.chmodSync(root, 0o555);
    const { code, questions, err } = await answer(["commit", id], ["y"]);
    const dry = await run(["session", "commit", id, "--dry-run"]);
    fs.chmodSync(root, 0o755);
    const problem = /its directory is read-only for (its owner|this user)/;
    expect([code, questions, err]).toEqual([
      1,
      [],
      expect.stringMatching(/^hotcell: Could not commit "a": its directory is read-only /),
    ]);
    expect([dry.code, dry.out]).toEqual([1, expect.stringMatching(problem)]);
    expect(contentOf(world, "a")).toBe("a\n");
  });

  test("somebody else's session can't be committed meanwhile: exit 1", async () => {
    const { id, run, open: openAgain } = await open();
    const session = await openAgain();
    const { code, out } = await run(["session", "commit", id, "--yes", "--json", "--wait", "0"]);
    session.close();
    const { error } = JSON.parse(out);
    expect([code, error.code]).toEqual([1, "LOCKED"]);
    expect(error.message).toContain(
      `Could not open the session "${id}": another cell of this process uses it. Close that cell, or wait longer (--wait SECONDS, or waitMs in the library). Could not lock`,
    );
  });
});

describe("the plan of a commit", () => {
  test("is printed by --dry-run, which changes nothing", async () => {
    const { id, root, run } = await open();
    const { code, out, err } = await run(["session", "commit", id, "--dry-run"]);
    expect([code, err, filesIn(root)]).toEqual([0, "", ["a", "d", "d/x"]]);
    expect(out).toMatch(
      /^delete {2}d\/x\nwrite {3}a\nwrite {3}b\nTo commit only if the plan is still the same, add --plan [0-9a-f]{64}\n$/,
    );
    const plan = JSON.parse((await run(["session", "commit", id, "--dry-run", "--json"])).out);
    expect(Object.keys(plan).sort()).toEqual([
      "changesOwner",
      "conflicts",
      "hash",
      "lostSecrets",
      "obstacles",
      "policy",
      "protectedPaths",
      "skipped",
      "steps",
    ]);
    expect(out).toContain(`--plan ${plan.hash}\n`);
  });

  test("is committed by its hash as long as it is the same", async () => {
    const { id, run, change, root } = await open();
    const hashOf = async () =>
      JSON.parse((await run(["session", "commit", id, "--dry-run", "--json"])).out).hash as string;
    const old = await hashOf();
    await change({ c3: (w) => w.write("late", "") });
    const refused = await run(["session", "commit", id, "--plan", old, "--yes", "--json"]);
    expect([refused.code, JSON.parse(refused.out).error.code]).toEqual([1, "PRECONDITION_FAILED"]);
    expect(filesIn(root)).toEqual(["a", "d", "d/x"]);
    expect((await run(["session", "commit", id, "--plan", await hashOf(), "--yes"])).code).toBe(0);
    expect(filesIn(root)).toEqual(["a", "b", "d", "late"]);
  });

  test("binds nobody who has not seen it: with --yes the project may go on changing", async () => {
    const world = await open();
    const append = () => fs.appendFileSync(path.join(world.root, "a"), "more\n");
    append();
    whenPlanned(append);
    const args = ["session", "commit", world.id, "--yes", "--on-conflict", "ours"];
    expect(await world.run(args)).toMatchObject({
      code: 0,
      out: expect.stringContaining("Committed 3 changes"),
    });
    expect(contentOf(world, "a")).toBe("new a\n");
  });

  test("binds the answer: later changes are reported, and nothing is committed", async () => {
    const world = await open();
    const ask = async () => {
      fs.appendFileSync(path.join(world.root, "a"), "more\n");
      return "y";
    };
    expect(await world.run(["session", "commit", world.id], { interactive: true, ask })).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringContaining(
        "hotcell: Could not commit: the session or the project changed since hotcell showed the plan. Run the command again.\n",
      ),
    });
    expect([contentOf(world, "a"), filesIn(world.root)]).toEqual(["a\nmore\n", ["a", "d", "d/x"]]);
  });

  test("is not asked about when its hash is another", async () => {
    const { id, answer } = await open();
    expect(await answer(["commit", id, "--plan", "0"], ["y"])).toMatchObject({
      code: 1,
      questions: [],
      err: "hotcell: Could not commit: the session or the project changed since the plan of --plan was made. Run the command with --dry-run to get the new plan.\n",
    });
  });
});

describe("what runs by itself", () => {
  const CI = ".github/workflows/ci.yml";
  const openWithCi = () =>
    openSessionCliWorld(FILES, {
      c1: (w) => {
        w.write("a", "new a\n");
        w.mkdir(".github/workflows");
        w.write(CI, "on: push\n");
      },
    });

  test("is held back by --yes, and taken with --protected", async () => {
    const world = await openWithCi();
    const { id, run, root } = world;
    const held = await run(["session", "commit", id, "--yes"]);
    expect([held.code, held.err, contentOf(world, "a")]).toEqual([
      0,
      `not committed: ${CI} (needs confirmation: --protected)\n`,
      "new a\n",
    ]);
    expect(fs.existsSync(path.join(root, CI))).toBe(false);
    expect((await run(["session", "commit", id, "--yes", "--protected"])).code).toBe(0);
    expect(contentOf(world, CI)).toBe("on: push\n");
  });

  test.each([
    [["y", "y"], "new a\n", true],
    [["y", "n"], "new a\n", false],
    [["n"], "a\n", false],
  ])("is asked for apart: with the answers %j", async (answers, a, isThere) => {
    const world = await openWithCi();
    const { id, root, answer } = world;
    const { questions, err } = await answer(["commit", id], answers);
    const all = [`Commit to ${root}? [y/N] `, "Commit these files too? [y/N] "];
    expect(questions).toEqual(all.slice(0, answers.length));
    if (answers.length > 1)
      expect(err).toContain(
        `These files execute automatically, on this machine or another, or are secrets:\n  ${CI}\n`,
      );
    expect([contentOf(world, "a"), fs.existsSync(path.join(root, CI))]).toEqual([a, isThere]);
  });

  test("is asked for apart after -p too, and then nothing else is", async () => {
    const { id, root, answer } = await openWithCi();
    const { questions } = await answer(["commit", id, "-p"], ["y", "n", "y"]);
    expect(questions).toEqual([
      `Add ${CI}? [y,n,q,a,d,?] `,
      "Change a? [y,n,q,a,d,?] ",
      "Commit these files too? [y/N] ",
    ]);
    expect([fs.existsSync(path.join(root, CI)), fs.readFileSync(path.join(root, "a"), "utf8")]).toEqual([
      true,
      "a\n",
    ]);
  });
});

test("hotcell session commit -p commits the hunks that were taken, and nothing else", async () => {
  const lines = (first: string, last: string) => `${first}\n${"same\n".repeat(20)}${last}\n`;
  const world = await openSessionCliWorld(
    { a: lines("1", "2"), "d/x": "x\n" },
    {
      c1: (w) => {
        w.write("a", lines("one", "two"));
        w.remove("d", { recursive: true });
        w.write("new", "new\n");
      },
    },
  );
  const { questions, out } = await world.answer(["commit", world.id, "-p", "--json"], ["y", "n", "y", "n"]);
  expect(questions.map((question) => question.split("?")[0])).toEqual([
    "Change a, hunk 1 of 2",
    "Change a, hunk 2 of 2",
    "Delete d/x",
    "Add new",
  ]);
  expect(JSON.parse(out).committed).toEqual(["a", "d", "d/x"]);
  expect([filesIn(world.root), contentOf(world, "a")]).toEqual([["a"], lines("one", "2")]);
});

test("hotcell session commit -p with PATHs asks for those alone, and with q for nothing more", async () => {
  const { id, root, answer } = await open();
  expect((await answer(["commit", id, "-p", "d", "b"], ["q"])).questions).toEqual(["Add b? [y,n,q,a,d,?] "]);
  expect(filesIn(root)).toEqual(["a", "d", "d/x"]);
});

test("the number of committed changes is that of the diff: a new directory with its file is one", async () => {
  const { run, id } = await openSessionCliWorld(
    { a: "a\n" },
    {
      c1: (w) => {
        w.mkdir("new");
        w.write("new/f", "f\n");
      },
    },
  );
  expect((await run(["session", "diff", id, "--stat"])).out).toContain(" 1 changed, ");
  expect((await run(["session", "commit", id, "--yes"])).out).toMatch(/^Committed 1 change to /);
});
