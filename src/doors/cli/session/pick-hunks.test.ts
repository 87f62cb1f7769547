import { describe, expect, test } from "vitest";
import { makeDiffWorld } from "../../../../test/kit/worlds/diff-world.ts";
import { directory, file, type Planted, symlink } from "../../../../test/kit/worlds/planted-tree.ts";
import type { Change } from "../../../workspace/diff/changes.ts";
import type { Io } from "../io.ts";
import { pickHunks } from "./pick-hunks.ts";

type Tree = Record<string, Planted>;

function changesOf(before: Tree, after: Tree): Change[] {
  const world = makeDiffWorld(new Map(Object.entries(before)), new Map(Object.entries(after)));
  try {
    world.makeLayer("call-1");
    return world.diff(["call-1"]);
  } finally {
    world.remove();
  }
}

/** Answers one letter after the other; beyond the last one the input is at its end. */
async function pick(changes: readonly Change[], answers: string) {
  const questions: string[] = [];
  let err = "";
  const letters = [...answers];
  const io = {
    env: {},
    errIsTerminal: false,
    err: (text: string) => {
      err += text;
    },
    async ask(question: string) {
      questions.push(question.replace(" [y,n,q,a,d,?] ", ""));
      return letters.shift()?.trim() ?? "";
    },
  } as unknown as Io;
  return { selection: await pickHunks(io, changes, null), questions, err };
}

const numbers = Array.from({ length: 40 }, (_, index) => `${index + 1}\n`);
const edited = (...at: number[]) =>
  file(numbers.map((line, n) => (at.includes(n) ? `new ${line}` : line)).join(""));

/** `a` has three hunks, `b` two, `c` is new. */
const THREE_FILES = changesOf(
  { a: edited(), b: edited() },
  { a: edited(0, 20, 39), b: edited(0, 39), c: file("c\n") },
);
const [A1, A2, A3, B1, B2] = THREE_FILES.flatMap(({ hunks }) => hunks.map(({ id }) => id));

describe("picking hunks", () => {
  test("says once of a file that the project was changed there too", async () => {
    const [a, ...others] = THREE_FILES;
    const { err } = await pick([{ ...a!, contested: true }, ...others], "nnnnnn");
    expect(err.match(/^.*also changed in the project.*$/gm)).toEqual([
      "a also changed in the project. Lines that only the project has are shown as removed.",
    ]);
  });

  test.each<[answers: string, asked: number, paths: string[], hunks: (string | undefined)[]]>([
    ["yyyyyy", 6, ["a", "b", "c"], []],
    ["nnnnnn", 6, [], []],
    ["ynynyy", 6, ["c"], [A1, A3, B2]],
    ["nynyyn", 6, ["b"], [A2]],
    ["aay", 3, ["a", "b", "c"], []],
    ["nadn", 4, [], [A2, A3]],
    ["ydyny", 5, ["c"], [A1, B1]],
    ["yq", 2, [], [A1]],
    ["q", 1, [], []],
    ["", 6, [], []],
    ["Y", 6, [], [A1]],
    ["x?yq", 4, [], [A1]],
  ])("takes and leaves as the answers %j say", async (answers, asked, paths, hunks) => {
    const { selection, questions } = await pick(THREE_FILES, answers);
    expect(selection).toEqual({ paths, hunks });
    expect(questions.length).toBe(asked);
  });

  test("shows each hunk by itself above the question that names it", async () => {
    const { questions, err } = await pick(THREE_FILES, "nq");
    expect(questions).toEqual(["Change a, hunk 1 of 3?", "Change a, hunk 2 of 3?"]);
    expect(err.match(/^[-+].*$/gm)).toEqual([
      "--- a/a",
      "+++ b/a",
      "-1",
      "+new 1",
      "--- a/a",
      "+++ b/a",
      "-21",
      "+new 21",
    ]);
  });

  test("says what the letters mean when it is asked or does not understand", async () => {
    const { err } = await pick(THREE_FILES, "?q");
    expect(err).toContain("a  commit it and the rest of this file\n");
  });

  test("asks one question for what has no hunks, and says what is to be done", async () => {
    const before = {
      bin: file("\0"),
      gone: file("x\n"),
      link: symlink("a"),
      mode: file(""),
      old: file("same\n"),
    };
    const after = { bin: file("\0\0"), link: symlink("b"), mode: file("", 0o755), new: file("same\n") };
    const { selection, questions } = await pick(changesOf(before, after), "yyyyy");
    expect(questions).toEqual([
      "Change bin?",
      "Delete gone?",
      "Change the target of link?",
      "Change the mode of mode?",
      "Rename to new?",
    ]);
    expect(selection).toEqual({ paths: ["bin", "gone", "link", "mode", "new"], hunks: [] });
  });

  test("a removed directory goes with the last of what was in it, and stays with what is left", async () => {
    const changes = changesOf({ d: directory(), "d/x": file("x\n"), "d/y": file("y\n") }, {});
    expect(await pick(changes, "yy")).toMatchObject({
      questions: ["Delete d/x?", "Delete d/y?"],
      selection: { paths: ["d/x", "d/y", "d"], hunks: [] },
    });
    expect((await pick(changes, "yn")).selection).toEqual({ paths: ["d/x"], hunks: [] });
  });

  test("a directory's mode, about which nobody is asked, is not taken with what changed in it", async () => {
    const changes = changesOf(
      { d: directory(), "d/x": file("1\n") },
      { d: directory(0o700), "d/x": file("2\n") },
    );
    expect((await pick(changes, "y")).selection).toEqual({ paths: ["d/x"], hunks: [] });
    expect((await pick(changes, "n")).selection).toEqual({ paths: [], hunks: [] });
  });

  test("what is in a directory that took a file's place is one question with it", async () => {
    const changes = changesOf({ t: file("t\n") }, { t: directory(), "t/x": file("x\n") });
    expect(await pick(changes, "y")).toMatchObject({
      questions: ["Replace t?"],
      selection: { paths: ["t"], hunks: [] },
    });
    expect((await pick(changes, "n")).selection).toEqual({ paths: [], hunks: [] });
  });

  test("nothing in a name or a line reaches the terminal as more than text", async () => {
    const { questions, err } = await pick(
      changesOf({}, { "a\u001b[2J\nb": file(Buffer.from("\u001b]0;x\u0007\t\u202e\n").toString("latin1")) }),
      "n",
    );
    expect(questions).toEqual(["Add a\\u{1b}[2J\\u{a}b?"]);
    expect(err).toContain("+\\u{1b}]0;x\\u{7}\t\\u{202e}\n");
    expect(err).not.toMatch(/[\u001b\u0007\u202e]/);
  });
});
