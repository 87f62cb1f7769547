// The cost of work in a session.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { takeTurns } from "./measure.js";
import { countDifferences, haveSameBytes, haveSameTime, walkPlainly } from "./sessions-brute-force.js";
import { CALL, CHANGES, DIFFERENCES, makeChanges, plainFiles } from "./sessions-changes.js";
import { replaceFile, sideHere } from "./sessions-sides.js";
import { spread } from "./sessions-tree.js";

const READS = 2000;
const EDITS = 100;

export async function measureReading({ tree, sessions }) {
  const session = await sessions.create(tree.dir);
  const { workspace } = session;
  const bare = await sessions.openBareView(session);
  const files = spread(tree.sources, READS);
  const each = (look, dir) => {
    for (const file of files) look(path.join(dir, file));
  };
  // One call reads all of them: a session checks once for each call whether the project has changed.
  const inCall = (look) => sideHere("hotcell", () => session.read(async () => each(look, "")));
  const plainly = (name, look) => [
    sideHere(name, () => each(look, tree.dir)),
    sideHere(`${name}, bare overlay`, () => each(look, bare.dir)),
  ];
  const walk = [
    sideHere("hotcell", () => session.read(async () => walkThrough(workspace))),
    sideHere("readdirSync", () => walkPlainly(tree.dir, () => {})),
    sideHere("readdirSync, bare overlay", () => walkPlainly(bare.dir, () => {})),
  ];
  const turns = { warmUpRounds: 5, rounds: 25, count: READS, maxMs: 10_000 };
  try {
    return {
      read: await takeTurns(
        [inCall((file) => workspace.read(file)), ...plainly("readFileSync", fs.readFileSync)],
        turns,
      ),
      stat: await takeTurns(
        [inCall((file) => workspace.stat(file)), ...plainly("lstatSync", fs.lstatSync)],
        turns,
      ),
      walk: await takeTurns(walk, { warmUpRounds: 2, rounds: 9, count: 1, maxMs: 16_000 }),
    };
  } finally {
    bare.close();
  }
}

function walkThrough(workspace) {
  for (const _ of workspace.walk("."));
}

/** The first walk: no directory is in the cache. */
export function measureFirstWalk({ tree, sessions }) {
  let session;
  const prepare = async () => {
    sessions.removeAll();
    session = await sessions.create(tree.dir);
  };
  const sides = [
    sideHere("hotcell", () => session.read(async () => walkThrough(session.workspace)), prepare),
    sideHere("readdirSync", () => walkPlainly(tree.dir, () => {})),
  ];
  return takeTurns(sides, { warmUpRounds: 2, rounds: 9, count: 1, maxMs: 16_000 });
}

export function measureFirstEdit({ tree, sessions, copies }) {
  const file = tree.sources[0];
  const target = path.join(copies.lastWorktree(), file);
  let session;
  const prepare = async () => {
    sessions.removeAll();
    session = await sessions.create(tree.dir);
  };
  const edit = () => session.change(CALL, async () => session.workspace.write(file, "Some text.\n"));
  const sides = [
    sideHere("hotcell", edit, prepare),
    sideHere("write, fsync, rename", () => replaceFile(target, "Some text.\n")),
  ];
  return takeTurns(sides, { warmUpRounds: 2, rounds: 15, count: 1, maxMs: 12_000 });
}

export async function measureDiff({ tree, sessions, copies }) {
  const session = await sessions.create(tree.dir);
  await session.change(CALL, async () => makeChanges(session.workspace, tree.sources));
  const copy = copies.lastCopy();
  makeChanges(plainFiles(copy), tree.sources);
  const diff = async () => check(await session.diff(({ changes }) => changes.length), CHANGES);
  const bruteForce = (isSame) => () => check(countDifferences(tree.dir, copy, isSame), DIFFERENCES);
  const sides = [
    sideHere("hotcell", diff),
    sideHere("compare contents", bruteForce(haveSameBytes)),
    sideHere("compare sizes and times", bruteForce(haveSameTime)),
  ];
  return takeTurns(sides, { warmUpRounds: 1, rounds: 5, count: 1, maxMs: 40_000 });
}

export function measureCommit({ tree, home, sessions, copies }) {
  const project = copies.lastWorktree();
  const files = spread(tree.sources, EDITS);
  const edited = path.join(home, "edited");
  let version = 0;
  let session;
  const textOf = (file) => `// Version ${version}.\n${fs.readFileSync(path.join(tree.dir, file))}`;
  const editInSession = async () => {
    sessions.removeAll();
    session = await sessions.create(project);
    version++;
    await session.change(CALL, async () => {
      for (const file of files) session.workspace.write(file, textOf(file));
    });
    execFileSync("sync");
  };
  const editApart = () => {
    version++;
    for (const file of files) {
      fs.mkdirSync(path.join(edited, path.dirname(file)), { recursive: true });
      fs.writeFileSync(path.join(edited, file), textOf(file));
    }
    execFileSync("sync");
  };
  const copyOver = () => {
    for (const file of files) replaceFile(path.join(project, file), fs.readFileSync(path.join(edited, file)));
  };
  const commit = async () => check((await session.commit()).committed.length, EDITS);
  const sides = [
    sideHere("hotcell", commit, editInSession),
    sideHere("write, fsync, rename", copyOver, editApart),
  ];
  return takeTurns(sides, { warmUpRounds: 1, rounds: 9, count: 1, maxMs: 40_000 });
}

function check(found, expected) {
  if (found !== expected) throw new Error(`${found} changes were found, there are ${expected}.`);
}
