// Which objects the project's repository has, loose or packed. It does not read their content.
import fs from "node:fs";
import { HotcellError } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { atExactPath, entryPath, inDirectory } from "../fs/no-follow.ts";
import { fdPath, type Root } from "../fs/paths.ts";
import { tryOpenRegular } from "./git-dir.ts";
import { type HasId, openPackIndex } from "./pack-index.ts";

export interface ProjectObjects {
  has(id: string): boolean;
  close(): void;
}

export function openProjectObjects(project: Root): ProjectObjects {
  const fds: number[] = [];
  const close = () => {
    for (const fd of fds.splice(0)) fs.closeSync(fd);
  };
  try {
    inDirectory(project, ".git/objects/pack", (dir) => fds.push(...(dir === null ? [] : openIndexes(dir))));
    const packs: HasId[] = fds.map(openPackIndex);
    return { close, has: (id) => hasLoose(project, id) || packs.some((has) => has(Buffer.from(id, "hex"))) };
  } catch (error) {
    close();
    throw error;
  }
}

export const loosePath = (id: string): string => `.git/objects/${id.slice(0, 2)}/${id.slice(2)}`;

function hasLoose(project: Root, id: string): boolean {
  return atExactPath(project, loosePath(id), (ref) => {
    if (typeof ref === "string") return false;
    return fs.lstatSync(entryPath(ref), { throwIfNoEntry: false })?.isFile() === true;
  });
}

function openIndexes(dir: number): number[] {
  const names = new Set(fs.readdirSync(fdPath(dir)));
  const indexes = [...names].filter(
    (name) => name.endsWith(".idx") && names.has(name.replace(/idx$/, "pack")),
  );
  if (indexes.length > LIMITS.maxGitPacks) {
    const why = `the project has ${indexes.length} packs, the limit is ${LIMITS.maxGitPacks}`;
    throw new HotcellError("NOT_SUPPORTED", `Could not read the project's objects: ${why}. Run git gc.`);
  }
  return indexes.map((name) => tryOpenRegular(dir, name)).filter((fd) => fd !== null);
}
