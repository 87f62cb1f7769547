import { identityAtPath } from "../fs/fingerprint.ts";
import { joinPath } from "../fs/path-text.ts";
import type { Root } from "../fs/paths.ts";
import type { Base } from "../layers/layer-notes.ts";
import { directoryEntry, type LayerEntry } from "../layers/layer-tree.ts";

/** Puts an entry into the tree of a layer, and returns the bases of the missing parents that it created. An entry below a non-directory would be invisible and is left out. */
export function insertEntry(
  tree: LayerEntry,
  at: string,
  entry: LayerEntry,
  project: Root,
): Map<string, Base> {
  const made = new Map<string, Base>();
  const names = at.split("/");
  const last = names.pop()!;
  let parent = tree;
  let above = "";
  for (const name of names) {
    above = joinPath(above, name);
    const known = parent.below!.get(name);
    if (known?.below === null) return made;
    if (known === undefined) made.set(above, directoryBase(project, above));
    const directory = known ?? directoryEntry(tree.from as string);
    parent.below!.set(name, directory);
    parent = directory;
  }
  parent.below!.set(last, entry);
  return made;
}

function directoryBase(project: Root, at: string): Base {
  const found = identityAtPath(project, at);
  return found?.kind === "directory" ? { ...found, sha256: null } : null;
}
