// Trees as data: the entries of the project, the working copy and each layer, by name. A stack of trees is one view.
// Two views are compared in memory, and only where the trees differ.

/** The entry at a name. In a layer `gone` hides the entry of lower trees. */
export interface TreeEntry {
  readonly kind: "file" | "symlink" | "directory" | "gone";
  /** The entries of a directory. */
  readonly below: ReadonlyMap<string, TreeEntry> | null;
}

export interface CloneTree {
  /** The path of its directory. */
  readonly at: string;
  readonly root: TreeEntry;
}

interface Part {
  readonly tree: CloneTree;
  readonly entry: TreeEntry;
}

/** What a view has at one name: nothing, one non-directory, or all directories that are merged there, topmost first. */
export type MergedPath = readonly Part[];

/** One step of a walk through all differences: an `enter` and a `leave` for each wanted directory. */
export interface Difference {
  readonly step: "entry" | "enter" | "leave";
  readonly name: string;
  readonly have: MergedPath;
  readonly want: MergedPath;
}

interface Level extends Omit<Difference, "step"> {
  /** Not visited yet. */
  readonly names: string[];
}

export const NOTHING: MergedPath = [];

/** Topmost first. */
export function viewOf(trees: readonly CloneTree[]): MergedPath {
  return trees.map((tree) => ({ tree, entry: tree.root }));
}

export function childOf(directory: MergedPath, name: string): MergedPath {
  const found: Part[] = [];
  for (const { tree, entry } of directory) {
    const child = entry.below?.get(name);
    if (child === undefined) continue;
    if (child.kind !== "directory")
      return found.length > 0 || child.kind === "gone" ? found : [{ tree, entry: child }];
    found.push({ tree, entry: child });
  }
  return found;
}

export function isDirectory(standing: MergedPath): boolean {
  return standing[0]?.entry.kind === "directory";
}

export function namesInStanding(directory: MergedPath): string[] {
  const names = new Set(directory.flatMap(({ entry }) => [...(entry.below?.keys() ?? [])]));
  return [...names].filter((name) => childOf(directory, name).length > 0);
}

/** The steps from one view to another. If both views share an entry, nothing below it differs. */
export function* differences(have: MergedPath, want: MergedPath): Generator<Difference, void, void> {
  const levels: Level[] = [{ name: "", have, want, names: differingNames(have, want) }];
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const name = level.names.pop();
    if (name === undefined) {
      levels.pop();
      if (levels.length > 0) yield { ...level, step: "leave" };
      continue;
    }
    const pair = { name, have: childOf(level.have, name), want: childOf(level.want, name) };
    if (areSame(pair.have, pair.want)) continue;
    yield { ...pair, step: isDirectory(pair.want) ? "enter" : "entry" };
    if (isDirectory(pair.want)) levels.push({ ...pair, names: differingNames(pair.have, pair.want) });
  }
}

export function differ(have: MergedPath, want: MergedPath): boolean {
  return !differences(have, want).next().done;
}

export function countEntries(view: MergedPath): number {
  let count = 0;
  for (const { step } of differences(NOTHING, view)) if (step !== "leave") count++;
  return count;
}

/** The names in directories that only one of the views has. */
function differingNames(have: MergedPath, want: MergedPath): string[] {
  const known = new Set(have.map(({ entry }) => entry));
  const wanted = new Set(want.map(({ entry }) => entry));
  const names = new Set<string>();
  for (const { entry } of [...have, ...want]) {
    if (entry.below === null || (known.has(entry) && wanted.has(entry))) continue;
    for (const name of entry.below.keys()) names.add(name);
  }
  return [...names];
}

function areSame(have: MergedPath, want: MergedPath): boolean {
  return have.length === want.length && have.every(({ entry }, index) => entry === want[index]!.entry);
}
