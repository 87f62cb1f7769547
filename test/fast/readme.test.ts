// What the documents show is run as it stands, against the built package; what they say of the
// configuration is compared with it.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findFault } from "../../src/config/find-fault.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { CONFIG_PROPERTIES, CONFIG_SCHEMA } from "../../src/config/schema.ts";
import { type DocWorld, makeDocWorld } from "../kit/doc-world.ts";
import { type Block, blocksOf, DOCUMENTS, isShownAs, ROOT, readDocument, tableOf } from "../kit/document.ts";

describe.each(["README.md", "docs/guide.md", "docs/policy.md"])("%s", (name) => {
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

test("docs/guide.md shows configurations that load", () => {
  const configs = blocksOf(readDocument("docs/guide.md"), "json").map(({ text }) => JSON.parse(text));
  expect(configs.map((config) => findFault(config, CONFIG_SCHEMA))).toEqual([null, null, null]);
});

describe("the documents", () => {
  test.each(DOCUMENTS)("%s links only to files that are there", (name) => {
    const links = [...readDocument(name).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target]) => target!);
    const missing = links.filter((target) => !existsSync(path.join(ROOT, path.dirname(name), target)));
    expect(missing).toEqual([]);
  });

  test("ARCHITECTURE.md names only files that are there", () => {
    const named = readDocument("ARCHITECTURE.md").match(/\b(?:src|test)\/[\w/-]+\.ts\b/g) ?? [];
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
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

  test("README.md has two commands and code on its first screen", () => {
    const screen = readDocument("README.md").split("\n").slice(0, 15).join("\n");
    for (const needed of ["npm ci && npm start", "npm ci && npm test", "```ts", 'from "hotcell"'])
      expect(screen).toContain(needed);
  });
});

describe("P0.7 README.md", () => {
  const rows = new Map(
    tableOf(readDocument("README.md"), "variable").map(([variable, value]) => [variable, value]),
  );

  test("names every variable that the configuration reads, and no other", () => {
    const read = new Set<string>();
    const env = new Proxy({}, { get: (_, variable) => void read.add(String(variable)) });
    loadConfig({ env, flags: {}, cwd: path.join(ROOT, "examples") });
    for (const used of ["XDG_STATE_HOME", "HOME"]) read.delete(used);
    expect([...rows.keys()].sort()).toEqual([...read].map((variable) => `\`${variable}\``).sort());
  });

  test("says the default of each", () => {
    const state = "`$XDG_STATE_HOME/hotcell`, else `~/.local/state/hotcell`";
    expect(rows).toEqual(
      new Map([...defaults()].map(([variable, value]) => [`\`${variable}\``, `\`${value}\``])).set(
        "`HOTCELL_STATE_DIR`",
        state,
      ),
    );
  });
});

/** Read from the descriptions, which say the variable of each setting. */
function defaults(): Map<string, string> {
  const found = new Map<string, string>();
  for (const setting of Object.values(CONFIG_PROPERTIES)) {
    const [, variable] = /\b([A-Z_]+) in the environment/.exec(setting.description) ?? [];
    if (variable !== undefined && "default" in setting) found.set(variable, String(setting.default));
  }
  return found;
}

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
