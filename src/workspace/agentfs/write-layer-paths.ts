// Writes the paths of one layer of a view into a database that has the layers below it.
import type { ComparedTrees, PairOptions } from "../diff/compare-entries.ts";
import type { Cooperative } from "../fs/cooperative.ts";
import { isTooDeep, joinPath } from "../fs/path-text.ts";
import { unlessVanished } from "../fs/tree-reader.ts";
import { directoriesIn } from "../layers/layer-dirs.ts";
import type { OpenDelta } from "./delta.ts";
import { createEntryWriter, type IdentityOf, type IsSecret, type WrittenView } from "./write-entry.ts";

/** Trusts no list of deleted names: a directory may have been recreated, so what it lacks is found by its listing. */
export function* writeLayerPaths(
  layer: string,
  trees: ComparedTrees,
  { isMounted, isHidden }: Pick<PairOptions, "isMounted" | "isHidden">,
  isSecret: IsSecret,
  delta: OpenDelta,
  identityOf: IdentityOf,
): Cooperative<WrittenView> {
  const { before: project, after: view } = trees;
  const { write, written } = createEntryWriter(trees, isSecret, delta, identityOf);
  const projectAt = (path: string) => project.look(path)?.side ?? null;
  for (const { directory, names } of yield* directoriesIn(layer)) {
    if (!delta.hasDirectory(directory)) continue;
    const shown = new Set(namesIn(view, directory));
    const own = isMounted(directory) ? [] : namesIn(project, directory);
    for (const name of new Set([...delta.names(directory), ...own])) {
      if (shown.has(name)) continue;
      yield;
      const path = joinPath(directory, name);
      const before = isMounted(directory) || isHidden(path) ? null : projectAt(path);
      delta.remove(path);
      if (before !== null) write({ path, before, after: null });
    }
    for (const { name } of names) {
      yield;
      const path = joinPath(directory, name);
      const after = view.look(path)?.side ?? null;
      if (after === null) continue;
      const isDirectory = after.kind === "directory";
      if (!isDirectory || !delta.hasDirectory(path)) delta.remove(path);
      const unlisted = isDirectory && isTooDeep(path) && ({ unlisted: true } as const);
      write({ path, before: projectAt(path), after, ...unlisted });
    }
  }
  return written();
}

function namesIn(tree: ComparedTrees["before"], directory: string): string[] {
  return unlessVanished(() => tree.list(directory), []).map(({ name }) => name);
}
