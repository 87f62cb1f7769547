import fs from "node:fs";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { openSessionCliWorld } from "../../../../test/kit/worlds/session-cli-world.ts";

const lines = (first: string, last: string) => `${first}\n${"same\n".repeat(9)}${last}\n`;

/** The session and the project both change `both` (at different lines) and `same` (at the same line); the session also changes `own`. */
async function open() {
  const world = await openSessionCliWorld(
    { both: lines("1", "9"), same: "old\n", own: "old\n" },
    {
      c1(workspace) {
        workspace.write("both", lines("session", "9"));
        workspace.write("own", "session\n");
        workspace.write("same", "session\n");
      },
    },
  );
  const at = (name: string) => path.join(world.root, name);
  fs.writeFileSync(at("both"), lines("1", "project"));
  fs.writeFileSync(at("same"), "project\n");
  return { ...world, read: (name: string) => fs.readFileSync(at(name), "utf8") };
}

test("commit -p offers a conflict as a merge when its turn comes; what does not merge stays, and no answer is lost", async () => {
  const { answer, id, read } = await open();
  const { code, questions, out, ...ran } = await answer(["commit", id, "-p"], ["y", "y"]);
  const err = stripVTControlCharacters(ran.err);
  expect(questions).toEqual(["Merge both? [y,n,q,a,d,?] ", "Change own? [y,n,q,a,d,?] "]);
  expect(err).toContain(
    "both also changed in the project. This is the merge of both, compared with the project.",
  );
  expect(err).toContain("\n-1\n+session\n");
  expect(err).toContain(
    "same also changed in the project, and the versions do not merge. It stays in the session",
  );
  expect([code, out]).toEqual([0, expect.stringMatching(/^Committed 2 changes /)]);
  expect([read("both"), read("own"), read("same")]).toEqual([
    lines("session", "project"),
    "session\n",
    "project\n",
  ]);
});

test("answers of commit -p that could not be committed are given back as a command", async () => {
  const world = await open();
  let asked = 0;
  const ask = async () => {
    // The project changes after the question was shown.
    if (++asked === 2) fs.writeFileSync(path.join(world.root, "both"), lines("other", "project"));
    return "y";
  };
  const { code, err } = await world.run(["session", "commit", world.id, "-p"], { interactive: true, ask });
  expect(code).toBe(1);
  expect(err).toContain(
    `To commit what you chose: hotcell session commit ${world.id} both own --on-conflict merge\n`,
  );
  expect(world.read("own")).toBe("old\n");
});

test.each([
  ["--protected", ["--protected"], ["y", "y"], "--on-conflict merge --protected"],
  ["a second y for files that execute automatically", [], ["y", "y", "y"], "--on-conflict merge --protected"],
  ["neither", [], ["y", "y", "n"], "--on-conflict merge"],
  ["--on-conflict", ["--on-conflict", "skip"], ["y", "y", "n"], "--on-conflict skip"],
])("that command commits the same as before: with %s", async (_, flags, answers, words) => {
  const world = await openSessionCliWorld(
    { ".npmrc": "old\n", own: "old\n" },
    {
      c1(workspace) {
        for (const name of [".npmrc", "own"]) workspace.write(name, "session\n");
      },
    },
  );
  const left = [...answers];
  const ask = async () => {
    const answer = left.shift()!;
    if (left.length === 0) fs.writeFileSync(path.join(world.root, "own"), "other\n");
    return answer;
  };
  const ran = await world.run(["session", "commit", world.id, "-p", ...flags], { interactive: true, ask });
  expect([ran.code, left, ran.err]).toEqual([
    1,
    [],
    expect.stringContaining(`hotcell session commit ${world.id} .npmrc own ${words}\n`),
  ]);
});

test("a conflict shows the lines that differ, not hashes", async () => {
  const { run, id } = await open();
  const { err } = await run(["session", "commit", id, "same", "--yes"]);
  expect(err.split("\n").slice(0, 4)).toEqual([
    "conflict at same: changed in the project; nothing is committed",
    "  - in the project, + in the session:",
    "  -project",
    "  +session",
  ]);
  expect(err).not.toContain("sha256");
});

test("the stat of a merge shows what will be written", async () => {
  const { answer, id } = await open();
  const { err } = await answer(["commit", id, "both", "--on-conflict", "merge"], ["n"]);
  expect(err.split("\n").slice(0, 2)).toEqual([" both | 2 +-", " 1 changed, 1 line added, 1 line removed"]);
});
