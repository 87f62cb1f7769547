// Marks changes of files that git ignores, by the rules in the project. The rules in the session do not count: a command
// could hide its changes by a rule of its own.

import { joinPath, splitPath } from "../fs/path-text.ts";
import type { Root } from "../fs/paths.ts";
import { createTrackedFiles } from "../git/tracked-files.ts";
import { type IgnoreStack, isIgnored, NOTHING_IGNORED, rulesFor } from "../search/ignore/ignore-stack.ts";
import type { Change } from "./changes.ts";
import { readText } from "./read-text.ts";

/** Files that git tracks are not ignored, whatever the rules say. */
export async function markIgnored(changes: readonly Change[], project: Root): Promise<readonly Change[]> {
  const ignoredAt = createIgnoredLookup(project);
  const marked = changes.map((change) => ({ change, ignored: ignoredOf(change, ignoredAt) }));
  const candidates = new Set(marked.flatMap(({ change, ignored }) => (ignored === null ? [] : change.path)));
  if (candidates.size === 0) return changes;
  const { ids: tracked } = await createTrackedFiles(project, (path) => candidates.has(path))();
  return marked.map(({ change, ignored }) =>
    ignored === null || tracked.has(change.path) ? change : { ...change, ignored },
  );
}

type IgnoredAt = (path: string, isDirectory: boolean) => string | null;

/** A protected file is shown, unless a whole directory above it is ignored: packages contain many such files. */
function ignoredOf({ path, from, before, after, protection }: Change, ignoredAt: IgnoredAt): string | null {
  const isDirectory = (after ?? before)!.kind === "directory";
  const found = ignoredAt(path, isDirectory);
  if (found === null || (from !== undefined && ignoredAt(from, isDirectory) === null)) return null;
  return protection !== null && found === path ? null : found;
}

/** Maps a path to the topmost path that is ignored: itself, or a directory above it. */
function createIgnoredLookup(project: Root): IgnoredAt {
  const known = new Map<string, Directory>([["", enter(project, "", NOTHING_IGNORED)]]);
  const directoryAt = (path: string): Directory => {
    const missing: string[] = [];
    let at = path;
    for (; !known.has(at); at = splitPath(at).directory) missing.push(at);
    let directory = known.get(at)!;
    for (const below of missing.reverse()) {
      directory = goDown(project, directory, below);
      known.set(below, directory);
    }
    return directory;
  };
  return (path, isDirectory) => {
    const { directory, name } = splitPath(path);
    const above = directoryAt(directory);
    if (above.ignored !== null) return above.ignored;
    return isIgnored(above.rules, path, name, isDirectory) ? path : null;
  };
}

interface Directory {
  /** The topmost ignored directory that it is in. */
  readonly ignored: string | null;
  readonly rules: IgnoreStack;
}

function goDown(project: Root, { ignored, rules }: Directory, path: string): Directory {
  if (ignored !== null) return { ignored, rules };
  if (isIgnored(rules, path, splitPath(path).name, true)) return { ignored: path, rules };
  return enter(project, path, rules);
}

function enter(project: Root, path: string, above: IgnoreStack): Directory {
  const gitignore = readText(project, joinPath(path, ".gitignore"));
  return { ignored: null, rules: rulesFor(above, { gitignore, ignore: null }, path) };
}
