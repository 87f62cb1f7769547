// A real attacker exchanges a name in the workspace with a link that leads outside, as fast as it can,
// while we work through that name. The naive way (look where the path leads, then use it) leaks in the same
// world; ours must never.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HotcellError } from "../../src/core/errors.ts";
import { createProtection } from "../../src/policy/protected.ts";
import { openHostWorkspace } from "../../src/workspace/directory/host.ts";
import type { SearchQuery } from "../../src/workspace/files/search-query.ts";
import type { WorkspaceFS } from "../../src/workspace/files/workspace-fs.ts";
import { compile } from "./compile.ts";
import { MEMORY_DIR } from "./memory-dir.ts";
import { buildWorld, type PathRow, readCorpus, type World } from "./path-fixture.ts";
import { createSwappedPair, type SwappedPair } from "./swapped-pair.ts";

/** On a busy machine a victim waits long for an attacker that was stopped in the middle of a rename. */
const TIMEOUT_MS = 600_000;
const MOST_CONTROL_ROUNDS = 1_000_000;
const SECRET = /CANARY-OUTSIDE|secret\.txt/;

interface Race {
  readonly row: PathRow;
  readonly title: string;
  /** Gives what a model would be shown. */
  attempt(workspace: WorkspaceFS, input: string): string | Promise<string>;
  /** The same, after a check that the path leads inside. */
  naively(path: string): string;
  /** Of the usual rounds, where one takes long. */
  readonly share?: number;
  /** The attempt uses up what is swapped, so it is put back before each round. */
  readonly restores?: "directory" | "file";
}

const rows = new Map(readCorpus<PathRow>("paths").map((row) => [row.id, row]));
const rowOf = (id: string): PathRow => rows.get(id)!;

/** The same world with everything one directory down: then the whole of that directory is worked on. */
const WITHIN: PathRow = {
  ...rowOf("path-325"),
  input: "p",
  fixture: [
    { mkdir: "ws/p/d" },
    { file: "ws/p/d/f", content: "BENIGN" },
    { symlink: "ws/p/e", target: "../../outside" },
  ],
  tags: ["race", "swap:ws/p/d:ws/p/e"],
};

const read = {
  attempt: (workspace: WorkspaceFS, input: string) => workspace.read(input).toString(),
  naively: (at: string) => fs.readFileSync(at, "utf8"),
};
const write = {
  attempt: (workspace: WorkspaceFS, input: string) => workspace.write(input, "W").path,
  naively(at: string) {
    fs.writeFileSync(at, "W");
    return "";
  },
};
const remove = {
  attempt(workspace: WorkspaceFS, input: string) {
    workspace.remove(input, { recursive: true });
    return "";
  },
  naively(at: string) {
    fs.rmSync(at, { recursive: true });
    return "";
  },
  restores: "directory",
} as const;

const walked = (workspace: WorkspaceFS, at: string): string =>
  Array.from(workspace.walk(at), ({ path }) => path).join();
const namesBelow = (dir: string): string[] =>
  fs
    .readdirSync(dir, { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? namesBelow(`${dir}/${entry.name}`) : [entry.name]));
const walk = { attempt: walked, naively: (at: string) => namesBelow(at).join() };
const copy = {
  ...walk,
  attempt(workspace: WorkspaceFS, input: string) {
    workspace.copy(input, "copy");
    const shown = walked(workspace, "copy");
    workspace.remove("copy", { recursive: true });
    return shown;
  },
  share: 0.2,
};

/** In what is outside, and in what is swapped with it. */
const LITERAL: SearchQuery = {
  pattern: "N",
  regex: false,
  ignoreCase: false,
  globs: [],
  hidden: "all",
  ignored: true,
  skipped: [],
  before: 0,
  after: 0,
  maxMatches: 1000,
  maxLineChars: 1000,
};
const textsBelow = (dir: string): string[] =>
  fs.readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const at = `${dir}/${entry.name}`;
    if (entry.isDirectory()) return textsBelow(at);
    return entry.isFile() ? [fs.readFileSync(at, "utf8")] : [];
  });
const searchFor = (query: SearchQuery) => ({
  async attempt(workspace: WorkspaceFS, input: string) {
    const { matches } = await workspace.search(input, query);
    return matches.map(({ path, text }) => path + text).join();
  },
  naively: (at: string) => textsBelow(at).join(),
});

const RACES: readonly Race[] = [
  { row: rowOf("path-320"), title: "read below a directory", ...read },
  { row: rowOf("path-321"), title: "write below a directory", ...write },
  { row: rowOf("path-322"), title: "read a file", ...read },
  {
    row: rowOf("path-323"),
    title: "list a directory",
    attempt: (workspace, input) => JSON.stringify(workspace.list(input)),
    naively: (at) => fs.readdirSync(at).join(),
  },
  { row: rowOf("path-324"), title: "search a tree around it for a text", ...searchFor(LITERAL) },
  {
    row: rowOf("path-324"),
    title: "search a tree around it for a pattern, by the crew",
    ...searchFor({ ...LITERAL, pattern: "^", regex: true }),
    share: 0.25,
  },
  { row: rowOf("path-325"), title: "remove a tree", ...remove },
  { row: rowOf("path-327"), title: "read by a link", ...read },
  {
    row: rowOf("path-320"),
    title: "stream below a directory",
    attempt: (workspace, input) => Array.from(workspace.stream(input), String).join(""),
    naively: read.naively,
  },
  { row: rowOf("path-322"), title: "write a file", ...write, restores: "file" },
  { row: WITHIN, title: "remove a tree around it", ...remove },
  { row: WITHIN, title: "walk a tree around it", ...walk },
  { row: WITHIN, title: "copy a tree around it", ...copy },
];

/** Every race, this many rounds each. */
export function raceSuite(rounds: number): void {
  let home: string;
  let attacker: string;
  beforeAll(() => {
    home = fs.mkdtempSync(path.join(os.tmpdir(), "hotcell-race-"));
    attacker = compile("swap", home);
  });
  afterAll(() => fs.rmSync(home, { recursive: true }));

  describe(`${rounds} rounds against an attacker leave nothing outside read or changed`, () => {
    test.each(RACES.map((race) => [race.row.id, race.title, race] as const))(
      "%s: %s",
      async (_id, _title, race) => {
        const world = await buildWorld(race.row, MEMORY_DIR);
        const pair = createSwappedPair(world.top, race.row, race.restores);
        const child = await startAttacker(attacker, pair);
        try {
          const before = world.outside();
          const count = Math.ceil(rounds * (race.share ?? 1));
          const { leaks, succeeded } = await runRounds(race, count, world, pair);
          expect({ leaks, outside: world.outside() }).toEqual({ leaks: 0, outside: before });
          expect(succeeded).toBeGreaterThanOrEqual(count / 10);
          expect(controlLeaks(race, world, pair)).toBe(true);
        } finally {
          child.kill("SIGKILL");
          await once(child, "close");
          world.remove();
        }
      },
      TIMEOUT_MS * Math.max(1, rounds / 20_000),
    );
  });
}

async function startAttacker(attacker: string, { names }: SwappedPair): Promise<ChildProcess> {
  const child = spawn(attacker, names, { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout!, "data");
  return child;
}

async function runRounds(
  { row, attempt }: Race,
  rounds: number,
  { root, stateDir }: World,
  pair: SwappedPair,
) {
  const workspace = openHostWorkspace({ workspace: root, stateDir, protectionOf: createProtection() });
  const count = { leaks: 0, succeeded: 0 };
  for (let round = 0; round < rounds; round++) {
    pair.awaitInside();
    try {
      const shown = await attempt(workspace, row.input);
      if (SECRET.test(shown)) count.leaks++;
      else if (!pair.onlyLinkIsGone()) count.succeeded++;
    } catch (error) {
      if (!(error instanceof HotcellError)) throw error;
    }
    pair.restore();
  }
  workspace.close();
  return count;
}

/** Check, then open: until it leaks for the first time. */
function controlLeaks({ row, naively }: Race, world: World, pair: SwappedPair): boolean {
  const given = path.join(world.root, row.input);
  const before = world.outside();
  for (let round = 0; round < MOST_CONTROL_ROUNDS; round++) {
    pair.awaitInside();
    try {
      if (leadsInside(world.root, given) && SECRET.test(naively(given))) return true;
    } catch {}
    if (world.outside() !== before) return true;
    pair.restore();
  }
  return false;
}

function leadsInside(root: string, given: string): boolean {
  const checked = fs.existsSync(given) ? given : path.dirname(given);
  return `${fs.realpathSync(checked)}/`.startsWith(`${root}/`);
}
