// A real editor saves a file at a random time during a commit that replaces the file. No edit may be lost. The control
// replaces the file by a plain rename, which loses edits.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import type { ConflictPolicy } from "../../../src/workspace/commit/plan/plan.ts";
import { runToEnd } from "../../../src/workspace/fs/cooperative.ts";
import { fingerprintOf } from "../../../src/workspace/fs/fingerprint.ts";
import { compile } from "../native/compile.ts";
import { type CommitWorld, editOf, inOnePiece, makeCommitWorld } from "../worlds/commit-world.ts";

const FILE = "file.txt";
const OTHER = "other.txt";
const STYLES = ["rename", "truncate", "overwrite"] as const;

export interface RaceCount {
  lost: number;
  /** Rounds in which the commit met the edit. */
  met: number;
  /** Rounds in which the commit did not meet the edit. */
  unmet: number;
}

interface Editor {
  /** Begins to save after a delay. */
  save(round: number, delayNs: number): void;
  /** Waits until the file is saved. */
  awaitSaved(): void;
  close(): Promise<void>;
}

/** Prepares everything before the editor may begin. Returns the commit, which reports whether it met the edit. */
type Prepare = (world: CommitWorld, round: number) => () => Promise<boolean>;

export async function raceCommits(rounds: number, policy: ConflictPolicy): Promise<RaceCount> {
  return race(rounds, (world, round) => {
    const txDir = path.join(world.top, `tx-${round}`);
    const base = new Map([FILE, OTHER].map((at) => [at, runToEnd(fingerprintOf(world.project, at))]));
    const plan = world.plan({
      changes: [FILE, OTHER].map(editOf),
      baseOf: (at) => inOnePiece(base.get(at) ?? null),
      policy,
    });
    return async () => (await world.apply(plan, { txDir })).conflicts.length > 0;
  });
}

export async function raceRenames(rounds: number): Promise<RaceCount> {
  return race(rounds, ({ project, view }) => async () => {
    const staged = `${project.path}/staged`;
    fs.copyFileSync(`${view.path}/${FILE}`, staged);
    fs.renameSync(staged, `${project.path}/${FILE}`);
    return false;
  });
}

async function race(rounds: number, prepare: Prepare): Promise<RaceCount> {
  const world = makeCommitWorld();
  const editor = await startEditor(world);
  const count: RaceCount = { lost: 0, met: 0, unmet: 0 };
  let typicalNs = 1e6;
  try {
    for (let round = 0; round < rounds; round++) {
      for (const at of [FILE, OTHER]) {
        fs.writeFileSync(path.join(world.project.path, at), `base ${round}\n`);
        fs.writeFileSync(path.join(world.view.path, at), `session ${round}\n`);
      }
      const commit = prepare(world, round);
      editor.save(round, Math.floor(Math.random() * typicalNs * 1.2));
      const start = process.hrtime.bigint();
      const met = await commit();
      typicalNs = 0.95 * typicalNs + 0.05 * Number(process.hrtime.bigint() - start);
      editor.awaitSaved();
      count[met ? "met" : "unmet"]++;
      if (!isSomewhere(world, round)) count.lost++;
      clear(world, round);
    }
    return count;
  } finally {
    await editor.close();
    world.remove();
  }
}

function isSomewhere({ project, top }: CommitWorld, round: number): boolean {
  const edit = `edit ${String(round).padStart(8, "0")}\n`;
  if (fs.readFileSync(path.join(project.path, FILE), "utf8").startsWith(edit)) return true;
  const tx = path.join(top, `tx-${round}`);
  if (!fs.existsSync(tx)) return false;
  const kept = fs
    .readdirSync(tx, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && path.basename(entry.parentPath) === "undo");
  return kept.some((entry) =>
    fs.readFileSync(path.join(entry.parentPath, entry.name), "utf8").startsWith(edit),
  );
}

function clear({ project, top }: CommitWorld, round: number): void {
  fs.rmSync(path.join(top, `tx-${round}`), { recursive: true, force: true });
  for (const name of fs.readdirSync(project.path)) fs.rmSync(path.join(project.path, name));
}

async function startEditor({ top, project }: CommitWorld): Promise<Editor> {
  const program = compile("edit", top);
  const fifos = ["requests", "answers"].map((name) => path.join(top, name));
  execFileSync("mkfifo", fifos);
  const child: ChildProcess = spawn(program, [path.join(project.path, FILE), ...fifos], { stdio: "inherit" });
  await once(child, "spawn");
  const [requests, answers] = fifos.map((fifo) => fs.openSync(fifo, "r+")) as [number, number];
  const answer = Buffer.alloc(16);
  return {
    save: (round, delayNs) =>
      fs.writeSync(requests, `${round} ${delayNs} ${STYLES[round % STYLES.length]}\n`),
    awaitSaved() {
      const said = answer.toString("latin1", 0, fs.readSync(answers, answer));
      if (said !== "saved\n") throw new Error(`the editor said ${said}`);
    },
    async close() {
      child.kill("SIGKILL");
      await once(child, "close");
      for (const fd of [requests, answers]) fs.closeSync(fd);
    },
  };
}
