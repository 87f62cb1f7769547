// Reads the refs of a `.git` directory that may be hostile.
import { HotcellError } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import type { RootOf } from "../fs/fingerprint.ts";
import type { Root } from "../fs/paths.ts";
import { readInGitDir } from "./git-dir.ts";
import { isRefName } from "./ref-name.ts";

const ID = /^([0-9a-f]{40}|[0-9a-f]{64})\s*$/;
const SYMBOLIC = /^ref:\s*(\S+)\s*$/;
const MAX_REF_BYTES = 4096;

export interface Refs {
  /** The id that a ref leads to; null if it leads to none. */
  resolve(name: string): string | null;
  /** Ids by name. */
  packed(): ReadonlyMap<string, string>;
}

/** Reads the packed refs once. */
export function openRefs(rootOf: RootOf): Refs {
  let known: ReadonlyMap<string, string> | null = null;
  const packed = () => {
    known ??= readPackedRefs(rootOf);
    return known;
  };
  return {
    packed,
    resolve(name) {
      let at = name;
      for (let left = LIMITS.maxGitSymbolicRefs; left > 0; left--) {
        const text = readLooseRef(rootOf, at) ?? packed().get(at) ?? "";
        const id = ID.exec(text)?.[1];
        if (id !== undefined) return id;
        at = SYMBOLIC.exec(text)?.[1] ?? "";
        if (!isRefName(at)) break;
      }
      return null;
    },
  };
}

/** The id of the commit that HEAD leads to. */
export function resolveHead(root: Root): string {
  const id = openRefs(() => root).resolve("HEAD");
  if (id !== null) return id;
  throw new HotcellError("NOT_FOUND", "Could not find a commit: HEAD of the session leads to none.");
}

/** The ref that HEAD names, such as `refs/heads/main`; null if HEAD is a commit's id. */
export function readHeadRef(root: Root): string | null {
  return SYMBOLIC.exec(readLooseRef(() => root, "HEAD") ?? "")?.[1] ?? null;
}

function readPackedRefs(rootOf: RootOf): ReadonlyMap<string, string> {
  const bytes = readFromView(rootOf, "packed-refs", LIMITS.maxGitPackedRefsBytes);
  const refs = new Map<string, string>();
  for (const [, id, name] of (bytes?.toString("utf8") ?? "").matchAll(PACKED)) refs.set(name!, id!);
  return refs;
}

const PACKED = /^([0-9a-f]{40}|[0-9a-f]{64}) (\S+)$/gm;

function readLooseRef(rootOf: RootOf, name: string): string | null {
  return readFromView(rootOf, name, MAX_REF_BYTES)?.toString("utf8") ?? null;
}

function readFromView(rootOf: RootOf, at: string, maxBytes: number): Buffer | null {
  const root = rootOf(`.git/${at}`);
  return root && readInGitDir(root, at, maxBytes);
}
