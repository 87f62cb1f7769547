// A real attacker process exchanges a name in the workspace with a link that leads outside, as fast as it can, while we
// use that name. The naive control (check the path, then use it) leaks in the same world. Our operations must never leak.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { HotcellError } from "../../../src/core/errors.ts";
import { createProtection } from "../../../src/policy/protected.ts";
import { openHostWorkspace } from "../../../src/workspace/directory/host.ts";
import type { SearchQuery } from "../../../src/workspace/files/search-query.ts";
import type { WorkspaceFS } from "../../../src/workspace/files/workspace-fs.ts";
import { MEMORY_DIR } from "../memory-dir.ts";
import { compile } from "../native/compile.ts";
import { createSwappedPair, type SwappedPair } from "../swapped-pair.ts";
import { buildWorld, type PathRow, readCorpus, type World } from "../worlds/path-fixture.ts";
import { tempDir } from "../worlds/temp-cell.ts";

/** Per 20,000 rounds. On a busy machine a victim may wait long for an attacker that was preempted during a rename. */
export const RACE_TIMEOUT_MS = 600_000;
const MOST_CONTROL_ROUNDS = 1_000_000;
const SECRET = /CANARY-OUTSIDE|secret\.txt/;

export interface Race {
  readonly row: PathRow;
  readonly title: string;
  /** Returns the text that a model would see. */
  attempt(workspace: WorkspaceFS, input: string): string | Promise<string>;
  /** The naive control: the same, after a check that the path leads inside. */
  naively(path: string): string;
  /** The share of the usual rounds, if a round takes long. */
  readonly share?: number;
  /** The attempt removes the swapped entry, so it is recreated before each round. */
  readonly restores?: "directory" | "file";
}

const rows = new Map(readCorpus<PathRow>("paths").map((row) => [row.id, row]));
const rowOf = (id: string): PathRow => rows.get(id)!;

/** The same world with everything one directory deeper; the operation then works on that whole directory. */
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

/** The content outside, and the content of the entry that is swapped with the link. */
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

export const RACES: readonly Race[] = [
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
    title: "search a tree around it for a pattern, by the workers",
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

/** Runs the rounds against an attacker, and then shows that the attacker wins against naive code. */
export async function checkRace(race: Race, rounds: number): Promise<void> {
  const world = await buildWorld(race.row, MEMORY_DIR);
  const pair = createSwappedPair(world.top, race.row, race.restores);
  const child = await startAttacker(compile("swap", tempDir()), pair);
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

/** Runs the naive control until its first leak. */
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
