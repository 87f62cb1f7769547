// What the documents show is run as it stands, against the built package.
import { execFileSync } from "node:child_process";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DocWorld, makeDocWorld } from "../kit/doc-world.ts";
import { type Block, blocksOf, isShownAs, PAGES, ROOT, readDocument } from "../kit/document.ts";

/** An index and two references: nothing in them can be run. */
const WITHOUT_SAMPLES = ["docs/guide.md", "docs/errors.md", "docs/threat-model.md"];
const WITH_SAMPLES = PAGES.filter((name) => !WITHOUT_SAMPLES.includes(name));

describe.each(["README.md", ...WITH_SAMPLES])("%s", (name) => {
  const page = readDocument(name);
  const programs = blocksOf(page, "ts");
  const sessions = blocksOf(page, "console");
  const commands = blocksOf(page, "sh").filter(isForHotcell);
  let world: DocWorld;
  beforeAll(() => {
    world = makeDocWorld();
  });
  afterAll(() => world.remove());

  test("shows something to run", () => {
    expect(programs.length + sessions.length + commands.length).toBeGreaterThan(0);
  });

  if (programs.length > 0)
    test("shows programs that compile, run, and print what is shown", () => {
      const run = world.compile(programs.map(({ text }) => text));
      for (const [index, block] of programs.entries())
        expectShown(name, block, run(index), commentsOf(block));
    });

  test.each(sessions)("shows a session that goes like this, at line $line", (block) => {
    runSession(world, name, block);
  });

  test.each(commands)("shows commands that work, at line $line", ({ text }) => {
    const lines = text.trimEnd().split("\n");
    expect(world.runShell(lines).map(({ status }) => status)).toEqual(lines.map(() => 0));
  });
});

test.each(WITHOUT_SAMPLES)("%s has nothing to run", (name) => {
  const page = readDocument(name);
  expect(["ts", "console", "sh"].flatMap((language) => blocksOf(page, language))).toEqual([]);
});

test.each([
  ["a b\n", "a …\n", true],
  ["a\nb\nc", "a\n…\nc", true],
  ["a", "…\na\n…", true],
  ["a.c", "a.c", true],
  ["abc", "a.c", false],
  ["a b", "a c", false],
  ["a\nb", "a…", false],
  ["a", "", false],
])("control: %j is shown as %j: %j", (text, shown, expected) => {
  expect(isShownAs(text, shown)).toBe(expected);
});

test("npm start plays a tour: reads, writes, refusals, commands, the session's diff, and a log that is intact", () => {
  const tour = execFileSync(process.execPath, [path.join(ROOT, "scripts/tour.js")], { encoding: "utf8" });
  const outcomes = [...tour.matchAll(/^ {2}(?:refused|outcome) {2}(.*)$/gm)].map(([, told]) => told);
  expect(outcomes).toEqual([
    "executed_ok",
    "executed_ok",
    "executed_ok",
    "executed_ok",
    ...["PATH_OUTSIDE_WORKSPACE", "PROTECTED_PATH"].flatMap((code) => [code, "not_executed, denied"]),
    "executed_ok",
    "executed_ok",
  ]);
  expect([...tour.matchAll(/^ {2}printed {2}(.*)$/gm)].map(([, told]) => told)).toEqual([
    "README.md answer.txt src",
    "0 lo hello",
  ]);
  expect(tour).toContain("+mine now\n");
  expect(tour).toContain("committed src/bye.js; changes left in the session: 0");
  expect(tour).toContain("intact: 14 records");
});

/** Commands that set a machine up are for people. */
function isForHotcell({ text }: Block): boolean {
  return !/^(npm|git) /m.test(text);
}

/** Lines that begin with `$ ` are typed; what follows each is what it prints. */
function runSession(world: DocWorld, name: string, block: Block): void {
  const steps = block.text
    .split(/^\$ /m)
    .slice(1)
    .map((step) => step.split(/\n(.*)/s) as [string, string]);
  const ran = world.runShell(steps.map(([command]) => command));
  for (const [index, [command, shown]] of steps.entries()) {
    expect(ran[index], command).toHaveProperty("status", 0);
    expectShown(name, block, ran[index]!.output, shown);
  }
}

function commentsOf({ text }: Block): string {
  return [...text.matchAll(/\/\/ → (.*)$/gm)].map(([, shown]) => `${shown}\n`).join("");
}

function expectShown(name: string, { line }: Block, output: string, shown: string): void {
  if (!isShownAs(output, shown)) expect(output, `${name}, block at line ${line}`).toBe(shown);
}
