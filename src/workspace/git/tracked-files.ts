// The files that the project's own git index tracks. The session's index does not count: commands can write it.
import fs from "node:fs";
import { LIMITS } from "../../core/limits.ts";
import { runCooperatively } from "../fs/cooperative.ts";
import { fileVersion } from "../fs/file-clock.ts";
import { readInto } from "../fs/open-file.ts";
import type { Root } from "../fs/paths.ts";
import { openGitDir, tryOpenRegular } from "./git-dir.ts";
import { type GitIndex, readIndex } from "./read-index.ts";

const NOTHING: GitIndex = { format: "sha1", ids: new Map() };

/** Reads the index again only if it has changed: then the result is another object. */
export function createTrackedFiles(
  project: Root,
  isWanted: (path: string) => boolean,
): () => Promise<GitIndex> {
  let known: GitIndex = NOTHING;
  let version: string | null = null;
  return async () => {
    const fd = openIndex(project);
    if (fd === null) {
      version = null;
      known = known.ids.size === 0 ? known : NOTHING;
      return known;
    }
    try {
      const found = fileVersion(fs.fstatSync(fd));
      if (found !== null && found === version) return known;
      version = found;
      known = (await readIndexFile(fd, isWanted)) ?? NOTHING;
      return known;
    } finally {
      fs.closeSync(fd);
    }
  };
}

/** Of an open index file: what it tracks, or null if it is not readable. */
export async function readIndexFile(
  fd: number,
  isWanted: (path: string) => boolean,
): Promise<GitIndex | null> {
  const { size } = fs.fstatSync(fd);
  if (size > LIMITS.maxGitIndexBytes) return null;
  return runCooperatively(readIndex(readInto(fd, Buffer.allocUnsafe(size)), isWanted));
}

function openIndex(project: Root): number | null {
  const dir = openGitDir(project);
  if (dir === null) return null;
  try {
    return tryOpenRegular(dir, "index");
  } finally {
    fs.closeSync(dir);
  }
}
