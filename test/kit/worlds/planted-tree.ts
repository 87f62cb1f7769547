// Trees as data: written to disk, read back completely, and compared name by name.
import fs from "node:fs";
import { decodeName, osPath } from "../../../src/workspace/fs/names.ts";

export type Planted =
  | { readonly kind: "file"; readonly mode: number; readonly content: string }
  | { readonly kind: "directory"; readonly mode: number }
  | { readonly kind: "symlink"; readonly target: string }
  | { readonly kind: "other" };

/** Entries by path. Contents are latin1: one character for each byte. */
export type PlantedTree = ReadonlyMap<string, Planted>;

export const file = (content: string, mode = 0o644): Planted => ({ kind: "file", mode, content });
export const directory = (mode = 0o755): Planted => ({ kind: "directory", mode });
export const symlink = (target: string): Planted => ({ kind: "symlink", target });

/** Creates parent directories as needed. */
export function plant(root: string, tree: PlantedTree): void {
  fs.mkdirSync(root, { recursive: true });
  const modes: [string | Buffer, number][] = [];
  for (const [path, planted] of [...tree].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const at = osPath(`${root}/${path}`);
    fs.mkdirSync(osPath(`${root}/${path}`.replace(/\/[^/]*$/, "")), { recursive: true });
    if (planted.kind === "directory") fs.mkdirSync(at, { recursive: true });
    if (planted.kind === "file") fs.writeFileSync(at, planted.content, "latin1");
    if (planted.kind === "symlink") fs.symlinkSync(osPath(planted.target), at);
    if (planted.kind === "directory" || planted.kind === "file") modes.push([at, planted.mode]);
  }
  for (const [at, mode] of modes.reverse()) fs.chmodSync(at, mode);
}

/** Everything below a directory, with all contents. */
export function survey(root: string, at = "", found = new Map<string, Planted>()): Map<string, Planted> {
  for (const name of fs.readdirSync(osPath(`${root}/${at}`), "buffer").map(decodeName)) {
    const path = at === "" ? name : `${at}/${name}`;
    found.set(path, lookAt(osPath(`${root}/${path}`)));
    if (found.get(path)!.kind === "directory") survey(root, path, found);
  }
  return found;
}

function lookAt(at: string | Buffer): Planted {
  const stat = fs.lstatSync(at);
  const mode = stat.mode & 0o7777;
  if (stat.isFile()) return file(fs.readFileSync(at, "latin1"), mode);
  if (stat.isDirectory()) return directory(mode);
  return stat.isSymbolicLink() ? symlink(decodeName(fs.readlinkSync(at, "buffer"))) : { kind: "other" };
}

/** Brute-force comparison: every path that differs, with the kind of difference. */
export function bruteForce(before: PlantedTree, after: PlantedTree): string[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  return paths.flatMap((path) => {
    const kind = changeAt(before.get(path), after.get(path));
    return kind === null ? [] : [`${kind} ${path}`];
  });
}

function changeAt(old: Planted | undefined, now: Planted | undefined): string | null {
  if (old === undefined) return "added";
  if (now === undefined) return "deleted";
  if (old.kind !== now.kind) return "type";
  if (old.kind === "symlink" && now.kind === "symlink") return old.target === now.target ? null : "symlink";
  if (old.kind === "file" && now.kind === "file" && old.content !== now.content) return "modified";
  return "mode" in old && "mode" in now && old.mode !== now.mode ? "mode" : null;
}

/** A layer as an overlay would have it: all changed entries, some unchanged entries, and whiteouts. */
export function layerOf(
  before: PlantedTree,
  after: PlantedTree,
  alsoTouched: readonly string[] = [],
): PlantedTree {
  const layer = new Map<string, Planted>();
  const touch = (path: string): void => {
    const isDirectory = after.get(path)?.kind === "directory";
    layer.set(path, isDirectory ? directory() : file(""));
  };
  const paths = bruteForce(before, after).map((line) => line.slice(line.indexOf(" ") + 1));
  for (const path of [...paths, ...alsoTouched]) {
    const names = path.split("/");
    const trail = names.map((_, index) => names.slice(0, index + 1).join("/"));
    // There is nothing below a whiteout or a file.
    const end = trail.findIndex((prefix) => after.get(prefix)?.kind !== "directory");
    for (const prefix of end < 0 ? trail : trail.slice(0, end + 1)) touch(prefix);
  }
  return layer;
}
