// Reads the project with layers on top, without a mount. The result is what overlayfs would show.
import fs from "node:fs";
import { joinPath, splitPath } from "../fs/path-text.ts";
import { openRoot, type Root } from "../fs/paths.ts";
import { openTreeReader, type ReadTree, type TreeReader, unlessVanished } from "../fs/tree-reader.ts";
import type { LayerEntry } from "./layer-tree.ts";

export interface StackReader extends ReadTree {
  /** The root that has the visible entry at a path; null if there is none. */
  rootOf(path: string): Root | null;
  close(): void;
}

/** The directories that are merged at a path, topmost first. */
interface MergedDirectory {
  readonly parts: readonly LayerEntry[];
  /** Whether the project's entries are visible there. */
  readonly showsProject: boolean;
}

/** Takes the layers oldest first, and the directory of the one that others may write to, if any. The caller closes the project's root. */
export function openStackReader(
  project: Root,
  layers: readonly LayerEntry[],
  written: string | null = null,
): StackReader {
  const known = new Map<string, MergedDirectory>([["", { parts: layers.toReversed(), showsProject: true }]]);
  const opened = new Map<string, Root>();
  const readers = new Map<Root, TreeReader>();

  const mergedAt = (directory: string): MergedDirectory => {
    const names: string[] = [];
    let at = directory;
    for (; !known.has(at); at = splitPath(at).directory) names.push(splitPath(at).name);
    let merged = known.get(at)!;
    for (const name of names.reverse()) {
      merged = descend(merged, name);
      at = joinPath(at, name);
      known.set(at, merged);
    }
    return merged;
  };
  const rootAt = (dir: string): Root => {
    // In the other layers nobody can replace a directory with a link.
    const root = opened.get(dir) ?? { ...openRoot(dir), followsNoLinks: dir !== written };
    opened.set(dir, root);
    return root;
  };
  const rootOf = (path: string): Root | null => {
    const { directory, name } = splitPath(path);
    const { parts, showsProject } = mergedAt(directory);
    const entry = parts.map(({ below }) => below!.get(name)).find((found) => found !== undefined);
    if (entry === undefined) return showsProject ? project : null;
    return entry.kind === "gone" ? null : rootAt(entry.from as string);
  };
  const readerIn = (root: Root): TreeReader => {
    const reader = readers.get(root) ?? openTreeReader(root);
    readers.set(root, reader);
    return reader;
  };
  /** Callers look at a file before they read it. */
  const readerOf = (path: string): TreeReader => readerIn(rootOf(path) ?? project);
  return {
    rootOf,
    look: (path) => (rootOf(path) === null ? null : readerOf(path).look(path)),
    open: (path) => readerOf(path).open(path),
    withFile: (path, work) => readerOf(path).withFile(path, work),
    read: (path) => readerOf(path).read(path),
    list(directory) {
      const { parts, showsProject } = mergedAt(directory);
      const names = new Map<string, LayerEntry>();
      for (const [name, entry] of parts.toReversed().flatMap(({ below }) => [...below!]))
        names.set(name, entry);
      const own = [...names].filter(([, { kind }]) => kind !== "gone");
      const others = showsProject ? unlessVanished(() => readerIn(project).list(directory), []) : [];
      return [
        ...own.map(([name, { kind }]) => ({ name, kind: kind as "file" })),
        ...others.filter(({ name }) => !names.has(name)),
      ];
    },
    close() {
      for (const reader of readers.values()) reader.close();
      for (const { fd } of opened.values()) fs.closeSync(fd);
    },
  };
}

function descend({ parts, showsProject }: MergedDirectory, name: string): MergedDirectory {
  const found: LayerEntry[] = [];
  for (const { below } of parts) {
    const entry = below!.get(name);
    if (entry === undefined) continue;
    if (entry.below === null) return { parts: found, showsProject: false };
    found.push(entry);
    if (entry.isOpaque) return { parts: found, showsProject: false };
  }
  return { parts: found, showsProject };
}
