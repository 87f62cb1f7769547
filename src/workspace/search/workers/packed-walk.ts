// The message format of a walk: a long string is serialized much faster than many small objects.
import type { EnteredDirectory, SearchRun } from "./messages.ts";

export interface PackedRuns {
  /** Open directories. */
  readonly dirs: readonly number[];
  /** For each directory its path and its names, both terminated by NUL; the names are separated by `/`. */
  readonly files: string;
}

export function packRuns(runs: readonly SearchRun[]): PackedRuns {
  const texts = runs.map(({ path, names }) => `${path}\0${names.join("/")}\0`);
  return { dirs: runs.map(({ dir }) => dir), files: texts.join("") };
}

export function unpackRuns({ dirs, files }: PackedRuns): SearchRun[] {
  const texts = files.split("\0");
  return dirs.map((dir, at) => ({ dir, path: texts[2 * at]!, names: texts[2 * at + 1]!.split("/") }));
}

/** Omits files, by their indexes among all files of the runs. */
export function withoutFiles(runs: readonly SearchRun[], places: readonly number[]): readonly SearchRun[] {
  if (places.length === 0) return runs;
  const refused = new Set(places);
  let file = 0;
  return runs.map((run) => ({ ...run, names: run.names.filter(() => !refused.has(file++)) }));
}

export interface PackedEntered {
  /** Paths, each terminated by NUL. */
  readonly entered: string;
  /** For each directory its link count and change time. */
  readonly stamps: readonly number[];
}

export function packEntered(entered: readonly EnteredDirectory[]): PackedEntered {
  return {
    entered: entered.map(({ path }) => `${path}\0`).join(""),
    stamps: entered.flatMap(({ nlink, ctimeMs }) => [nlink, ctimeMs]),
  };
}

export function unpackEntered({ entered, stamps }: PackedEntered): EnteredDirectory[] {
  const paths = entered.split("\0").slice(0, -1);
  return paths.map((path, at) => ({ path, nlink: stamps[2 * at]!, ctimeMs: stamps[2 * at + 1]! }));
}
