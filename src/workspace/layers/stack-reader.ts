// Reads the project with layers on it, without mounting anything. What it says is what the kernel would show.
import fs from "node:fs";
import { joinPath, splitPath } from "../fs/path-text.ts";
import { openRoot, type Root } from "../fs/paths.ts";
import { openTreeReader, type ReadTree, type TreeReader, unlessVanished } from "../fs/tree-reader.ts";
import type { LayerEntry } from "./layer-tree.ts";

export interface StackReader extends ReadTree {
  /** Where what is seen at a path stands; null where nothing is. */
  rootOf(path: string): Root | null;
  close(): void;
}

/** The directories that are one directory there, topmost first. */
interface Standing {
  readonly parts: readonly LayerEntry[];
  /** What the project has there is seen. */
  readonly isOpen: boolean;
}

/** Takes the layers oldest first, and the directory of the one that others may be writing to, if there is one. The project's root stays the caller's. */
export function openStackReader(
  project: Root,
  layers: readonly LayerEntry[],
  written: string | null = null,
): StackReader {
  const known = new Map<string, Standing>([["", { parts: layers.toReversed(), isOpen: true }]]);
  const opened = new Map<string, Root>();
  const readers = new Map<Root, TreeReader>();

  const standingAt = (directory: string): Standing => {
    const names: string[] = [];
    let at = directory;
    for (; !known.has(at); at = splitPath(at).directory) names.push(splitPath(at).name);
    let standing = known.get(at)!;
    for (const name of names.reverse()) {
      standing = goInto(standing, name);
      at = joinPath(at, name);
      known.set(at, standing);
    }
    return standing;
  };
  const rootAt = (dir: string): Root => {
    // Nobody can put a link in place of a directory of the others.
    const root = opened.get(dir) ?? { ...openRoot(dir), followsNoLinks: dir !== written };
    opened.set(dir, root);
    return root;
  };
  const rootOf = (path: string): Root | null => {
    const { directory, name } = splitPath(path);
    const { parts, isOpen } = standingAt(directory);
    const entry = parts.map(({ below }) => below!.get(name)).find((found) => found !== undefined);
    if (entry === undefined) return isOpen ? project : null;
    return entry.kind === "gone" ? null : rootAt(entry.from as string);
  };
  const readerIn = (root: Root): TreeReader => {
    const reader = readers.get(root) ?? openTreeReader(root);
    readers.set(root, reader);
    return reader;
  };
  /** Who reads a file has looked at it before. */
  const readerOf = (path: string): TreeReader => readerIn(rootOf(path) ?? project);
  return {
    rootOf,
    look: (path) => (rootOf(path) === null ? null : readerOf(path).look(path)),
    open: (path) => readerOf(path).open(path),
    withFile: (path, work) => readerOf(path).withFile(path, work),
    read: (path) => readerOf(path).read(path),
    list(directory) {
      const { parts, isOpen } = standingAt(directory);
      const names = new Map<string, LayerEntry>();
      for (const [name, entry] of parts.toReversed().flatMap(({ below }) => [...below!]))
        names.set(name, entry);
      const own = [...names].filter(([, { kind }]) => kind !== "gone");
      const others = isOpen ? unlessVanished(() => readerIn(project).list(directory), []) : [];
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

function goInto({ parts, isOpen }: Standing, name: string): Standing {
  const found: LayerEntry[] = [];
  for (const { below } of parts) {
    const entry = below!.get(name);
    if (entry === undefined) continue;
    if (entry.below === null) return { parts: found, isOpen: false };
    found.push(entry);
    if (entry.isOpaque) return { parts: found, isOpen: false };
  }
  return { parts: found, isOpen };
}
