// The ids in a commit or a tree. Whatever git would not write itself is refused.
import { isGitDirectoryName } from "../../policy/protected.ts";
import { decodeName } from "../fs/names.ts";
import { HASH_BYTES, type ObjectFormat } from "./blob-id.ts";
import { badObjectError, type ObjectName, type ObjectType } from "./loose-object.ts";

const HEADER =
  /^tree ([0-9a-f]+)\n((?:parent [0-9a-f]+\n)*)author [^<>\n\0]*<[^<>\n\0]*> \d+ [+-]\d{4}\ncommitter [^<>\n\0]*<[^<>\n\0]*> \d+ [+-]\d{4}\n/;

/** Its tree first, then its parents. */
export function readCommit(id: string, content: Buffer): [tree: ObjectName, ...parents: ObjectName[]] {
  const found = HEADER.exec(content.toString("latin1"));
  if (found === null) throw badObjectError(id, "it is no commit as git writes it");
  const [, tree, parents] = found;
  const ids = parents!.split("\n").slice(0, -1);
  const named = ids.map((line) => ({ id: line.slice("parent ".length), type: "commit" as const }));
  const all: [ObjectName, ...ObjectName[]] = [{ id: tree!, type: "tree" }, ...named];
  if (all.some((name) => name.id.length !== id.length))
    throw badObjectError(id, "it has an id of another length");
  return all;
}

/** Of any commit that git reads, also of one that git would not write today. */
export function readTreeOf(id: string, commit: Buffer): ObjectName {
  const tree = /^tree ([0-9a-f]+)\n/.exec(commit.toString("latin1", 0, `tree ${id}\n`.length))?.[1];
  if (tree?.length !== id.length) throw badObjectError(id, "it is no commit as git writes it");
  return { id: tree, type: "tree" };
}

export interface TreeItem {
  readonly name: string;
  readonly mode: string;
  readonly type: ObjectType | "submodule";
  readonly id: string;
}

/** The commit of a submodule is in another repository. */
export const isObject = (item: TreeItem): item is TreeItem & ObjectName => item.type !== "submodule";

const TYPES: ReadonlyMap<string, TreeItem["type"]> = new Map([
  ["40000", "tree"],
  ["100644", "blob"],
  ["100755", "blob"],
  ["120000", "blob"],
  ["160000", "submodule"],
]);

export function readTreeItems(id: string, content: Buffer, format: ObjectFormat): TreeItem[] {
  const items: TreeItem[] = [];
  const names = new Set<string>();
  let before: Buffer | null = null;
  for (let at = 0; at < content.length; ) {
    const blank = content.indexOf(" ", at);
    const nul = content.indexOf(0, at);
    const end = nul + 1 + HASH_BYTES[format];
    const mode = content.toString("latin1", at, Math.max(at, blank));
    const type = TYPES.get(mode);
    if (type === undefined || nul < blank || end > content.length)
      throw badObjectError(id, "it is no tree as git writes it");
    const bytes = content.subarray(blank + 1, nul);
    const name = checkName(id, bytes);
    // A file and a directory of one name need not be neighbours.
    if (names.has(name)) throw badObjectError(id, "a name comes twice in it");
    names.add(name);
    const key: Buffer = type === "tree" ? Buffer.concat([bytes, Buffer.from("/")]) : bytes;
    if (before !== null && Buffer.compare(before, key) >= 0)
      throw badObjectError(id, "its names are not in order");
    before = key;
    items.push({ name, mode, type, id: content.toString("hex", nul + 1, end) });
    at = end;
  }
  return items;
}

function checkName(id: string, bytes: Buffer): string {
  const name = decodeName(bytes);
  const isPlain = !["", ".", ".."].includes(name) && !name.includes("/") && !isGitDirectoryName(name);
  if (isPlain) return name;
  throw badObjectError(id, "a name in it leads to another directory or to a .git");
}
