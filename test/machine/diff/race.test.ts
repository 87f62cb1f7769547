// A real attacker exchanges a name in the merged view with a link that leads outside while the trees are
// compared. The naive way (look, then read by the same path) leaks in the same world; ours must never.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Change } from "../../../src/workspace/diff/changes.ts";
import { compile } from "../../kit/native/compile.ts";
import { type DiffWorld, makeDiffWorld } from "../../kit/worlds/diff-world.ts";
import { file, type Planted, symlink } from "../../kit/worlds/planted-tree.ts";

const ROUNDS = 5000;
const MOST_CONTROL_ROUNDS = 1_000_000;
const SECRET = /CANARY-OUTSIDE|secret-name/;

let home: string;
let attacker: string;
beforeAll(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), "hotcell-diff-race-"));
  attacker = compile("swap", home);
  fs.mkdirSync(`${home}/outside`);
  fs.writeFileSync(`${home}/outside/f`, "CANARY-OUTSIDE");
  fs.writeFileSync(`${home}/outside/secret-name`, "");
});
afterAll(() => fs.rmSync(home, { recursive: true }));

test.each<[what: string, swapped: string, inside: (outside: string) => Record<string, Planted>]>([
  ["a directory", "d", (outside) => ({ "d/f": file("after"), link: symlink(outside) })],
  ["a file", "d/f", (outside) => ({ "d/f": file("after"), link: symlink(`${outside}/f`) })],
])(
  `${ROUNDS} diffs while %s is exchanged with a link show nothing of the outside`,
  async (_, swapped, inside) => {
    const after = new Map(Object.entries(inside(`${home}/outside`)));
    const world = makeDiffWorld(new Map([["d/f", file("before")]]), after);
    world.makeLayer("call-1");
    const child = await startAttacker(`${world.after}/${swapped}`, `${world.after}/link`);
    try {
      const { leaks, compared, vanished } = runRounds(world);
      expect(leaks).toBe(0);
      expect(compared).toBe(ROUNDS);
      expect(vanished).toBeGreaterThan(0);
      expect(controlLeaks(world, swapped)).toBe(true);
      expect(child.exitCode).toBeNull();
    } finally {
      child.kill("SIGKILL");
      await once(child, "close");
      world.remove();
    }
  },
);

async function startAttacker(...names: string[]): Promise<ChildProcess> {
  const child = spawn(attacker, names, { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout!, "data");
  return child;
}

function runRounds(world: DiffWorld) {
  const count = { leaks: 0, compared: 0, vanished: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const changes = world.diff(["call-1"]);
    const shown = changes.map(({ path, hunks }) => [path, hunks]);
    if (SECRET.test(JSON.stringify(shown))) count.leaks++;
    else count.compared++;
    if (hasVanished(changes)) count.vanished++;
  }
  return count;
}

/** The swapped name was the real entry when it was examined, and the link when it was read. */
function hasVanished(changes: readonly Change[]): boolean {
  const isGone = changes.some(({ kind, path }) => kind === "deleted" && path === "d/f");
  return isGone && !changes.some(({ kind }) => kind === "type");
}

/** Look, then read: until it leaks for the first time. */
function controlLeaks({ after }: DiffWorld, swapped: string): boolean {
  for (let round = 0; round < MOST_CONTROL_ROUNDS; round++) {
    try {
      if (fs.lstatSync(`${after}/${swapped}`).isSymbolicLink()) continue;
      if (SECRET.test(fs.readFileSync(`${after}/d/f`, "utf8"))) return true;
    } catch {}
  }
  return false;
}
