// What the documents show is run as it stands, against the built package.
import { execFileSync } from "node:child_process";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DocWorld, makeDocWorld, type Ran } from "../../kit/worlds/doc-world.ts";
import { type Block, blocksOf, isShownAs, PAGES, ROOT, readDocument } from "../../kit/worlds/document.ts";

/** An index and three references: nothing in them can be run. */
const WITHOUT_SAMPLES = ["docs/guide.md", "docs/options.md", "docs/errors.md", "docs/threat-model.md"];
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

test("the first program of README.md runs as the page says: saved as demo.mjs, with node", () => {
  const [program] = blocksOf(readDocument("README.md"), "ts");
  const world = makeDocWorld();
  try {
    expect(readDocument("README.md")).toContain("run `node demo.mjs`");
    world.save("demo.mjs", program!.text);
    const [{ output, status }] = world.runShell(["node demo.mjs"]) as [Ran];
    expectShown("README.md", program!, output, commentsOf(program!));
    expect(status).toBe(0);
  } finally {
    world.remove();
  }
});

test("npm start lets a script repair a failing test: calls, refusals, the session's diff, a commit, and a log that is intact", () => {
  const tour = execFileSync(process.execPath, [path.join(ROOT, "scripts/tour.js")], { encoding: "utf8" });
  expect([...tour.matchAll(/^● (.*)$/gm)].map(([, call]) => call)).toEqual([
    "run_command node --test",
    "read_file src/slug.js",
    "write_file src/slug.js",
    "run_command node --test",
    "read_file .env",
    "run_command cat ~/.ssh/id_rsa ../../LICENSE",
    "write_file .git/hooks/pre-commit",
  ]);
  expect([...tour.matchAll(/^ {2}✗ refused: /gm)]).toHaveLength(2);
  expect(tour).toContain("│ not ok 1 - every space becomes a hyphen");
  expect(tour).toContain("│ ok 1 - every space becomes a hyphen");
  expect(tour).toContain('+  return text.toLowerCase().replaceAll(" ", "-");');
  expect(tour).toContain("Committed 1 change to ");
  expect(tour).toContain("intact: 15 records");
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
