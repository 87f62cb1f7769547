// Random changes to a tree, determined by a seed: files, links and directories are created, changed, moved, removed, and
// directories recreated.
import fs from "node:fs";
import fc from "fast-check";

const NAMES = ["a", "b", "c", "d e", "é"];
const MODES = [0o755, 0o700, 0o555, 0o2775];

type Change = (root: string, path: string, other: string, nonce: number) => void;

const CHANGES: readonly Change[] = [
  (root, path, _, nonce) => fs.writeFileSync(`${root}/${path}`, `content ${nonce}`),
  (root, path, _, nonce) => fs.appendFileSync(`${root}/${path}`, `more ${nonce}`),
  (root, path) => fs.mkdirSync(`${root}/${path}`),
  (root, path, other) => fs.symlinkSync(other, `${root}/${path}`),
  (root, path, other) => fs.linkSync(`${root}/${other}`, `${root}/${path}`),
  (root, path, other) => fs.renameSync(`${root}/${other}`, `${root}/${path}`),
  (root, path) => fs.rmSync(`${root}/${path}`, { recursive: true }),
  (root, path, _, nonce) => fs.chmodSync(`${root}/${path}`, MODES[nonce % MODES.length]!),
  (root, path, _, nonce) => fs.utimesSync(`${root}/${path}`, nonce, nonce),
  (root, path, _, nonce) => {
    fs.rmSync(`${root}/${path}`, { recursive: true });
    fs.mkdirSync(`${root}/${path}`);
    fs.writeFileSync(`${root}/${path}/${NAMES[nonce % NAMES.length]}`, `anew ${nonce}`);
  },
];

const path = fc
  .array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 4 })
  .map((names) => names.join("/"));
const step = fc.tuple(fc.nat(CHANGES.length - 1), path, path, fc.nat(1_000_000));

/** Returns a function that tries so many changes in the tree at a path. Changes that are not possible there fail. */
export function randomChanges(seed: number): (root: string, count: number) => void {
  let next = seed;
  return (root, count) => {
    let made = 0;
    while (made < count) {
      for (const [change, at, other, nonce] of fc.sample(step, { numRuns: 10, seed: next++ })) {
        if (made < count && tryChange(() => CHANGES[change]!(root, at, other, nonce))) made++;
      }
    }
  };
}

function tryChange(change: () => void): boolean {
  try {
    change();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return false;
  }
}
