// A workspace's operations on a tree in memory. The model leaves out operations that would follow a link.
import { directory, file, type Planted, symlink } from "../worlds/planted-tree.ts";

export type Tree = Map<string, Planted>;

export type Operation =
  | { readonly do: "write" | "append"; readonly at: string; readonly content: string }
  | { readonly do: "mkdir"; readonly at: string }
  | { readonly do: "remove"; readonly at: string; readonly recursive: boolean }
  | { readonly do: "rename" | "copy"; readonly at: string; readonly to: string }
  | { readonly do: "symlink"; readonly at: string; readonly target: string }
  | { readonly do: "chmod"; readonly at: string; readonly mode: number };

/** `links`: the operation would follow a link. */
type Result = "done" | "refused" | "links";

/** These operate on a link itself. */
const TAKES_LINKS = new Set<Operation["do"]>(["remove", "rename", "symlink"]);

const NEW_FILE = 0o666 & ~process.umask();
const NEW_DIRECTORY = 0o777 & ~process.umask();

const isAtOrBelow = (at: string, above: string): boolean => at === above || at.startsWith(`${above}/`);

function ancestorsOf(at: string): string[] {
  const names = at.split("/");
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join("/"));
}

export function apply(tree: Tree, operation: Operation): Result {
  const ends = "to" in operation ? [operation.at, operation.to] : [operation.at];
  const kindsOnTheWay = ends.flatMap(ancestorsOf).map((at) => tree.get(at)?.kind);
  if (kindsOnTheWay.includes("symlink")) return "links";
  if (kindsOnTheWay.includes("file")) return "refused";
  const isLink = (at: string) => tree.get(at)?.kind === "symlink";
  if (!TAKES_LINKS.has(operation.do) && ends.some(isLink)) return "links";
  return perform(tree, operation) ? "done" : "refused";
}

/** False if the operation is refused. */
function perform(tree: Tree, operation: Operation): boolean {
  const old = tree.get(operation.at);
  switch (operation.do) {
    case "write":
      return fill(tree, operation.at, () => operation.content);
    case "append":
      return fill(tree, operation.at, (content) => content + operation.content);
    case "mkdir":
      return old === undefined ? put(tree, operation.at, directory(NEW_DIRECTORY)) : old.kind === "directory";
    case "remove":
      return remove(tree, operation.at, operation.recursive);
    case "rename":
      return rename(tree, operation.at, operation.to);
    case "copy":
      return copy(tree, operation.at, operation.to);
    case "symlink":
      return old === undefined && put(tree, operation.at, symlink(operation.target));
    case "chmod":
      return (
        (old?.kind === "file" || old?.kind === "directory") &&
        put(tree, operation.at, { ...old, mode: operation.mode })
      );
  }
}

function put(tree: Tree, at: string, planted: Planted): true {
  for (const above of ancestorsOf(at)) if (!tree.has(above)) tree.set(above, directory(NEW_DIRECTORY));
  tree.set(at, planted);
  return true;
}

function fill(tree: Tree, at: string, contentOf: (old: string) => string, mode = NEW_FILE): boolean {
  const old = tree.get(at) ?? file("", mode);
  return old.kind === "file" && put(tree, at, file(contentOf(old.content), old.mode));
}

/** The paths at and below one. */
const branch = (tree: Tree, at: string): string[] => [...tree.keys()].filter((path) => isAtOrBelow(path, at));

function cut(tree: Tree, at: string): void {
  for (const path of branch(tree, at)) tree.delete(path);
}

function remove(tree: Tree, at: string, recursive: boolean): boolean {
  const found = branch(tree, at);
  if (found.length === 0 || (found.length > 1 && !recursive)) return false;
  cut(tree, at);
  return true;
}

function rename(tree: Tree, from: string, to: string): boolean {
  const moved = tree.get(from);
  const replaced = tree.get(to);
  if (moved === undefined || to.startsWith(`${from}/`)) return false;
  if (from === to) return true;
  const isFull = branch(tree, to).length > 1;
  const isOtherKind = replaced && (moved.kind === "directory") !== (replaced.kind === "directory");
  if (isFull || isOtherKind) return false;
  graft(tree, from, tree, to);
  cut(tree, from);
  return true;
}

function copy(tree: Tree, from: string, to: string): boolean {
  const source = tree.get(from);
  if (source === undefined || to.startsWith(`${from}/`)) return false;
  if (source.kind === "file") return fill(tree, to, () => source.content, source.mode);
  if (tree.has(to)) return false;
  graft(tree, from, tree, to);
  return true;
}

/** Moves a path with everything below it to another path. */
function graft(from: Tree, at: string, to: Tree, target: string): void {
  for (const path of branch(from, at)) put(to, target + path.slice(at.length), from.get(path)!);
}

/** Copies a path from another tree, with its parent directories. */
export function restore(from: Tree, at: string, to: Tree): void {
  cut(to, at);
  if (!from.has(at)) return;
  for (const above of ancestorsOf(at))
    if (to.get(above)?.kind !== "directory") to.set(above, from.get(above)!);
  graft(from, at, to, at);
}
