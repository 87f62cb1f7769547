// The objects of the project's repository, loose or packed.
import { createHash } from "node:crypto";
import fs from "node:fs";
import { HotcellError } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { atExactPath, entryPath, inDirectory } from "../fs/no-follow.ts";
import { fdPath, type Root } from "../fs/paths.ts";
import type { ObjectFormat } from "./blob-id.ts";
import { tryOpenRegular } from "./git-dir.ts";
import { badObjectError, type ObjectName, tryReadLooseObject } from "./loose-object.ts";
import { type FindOffset, openPackIndex } from "./pack-index.ts";
import { readPackedObject } from "./packed-object.ts";

export interface ProjectObjects {
  has(id: string): boolean;
  /** The content that the id promises; null if the project does not have the object. */
  read(name: ObjectName, format: ObjectFormat): Buffer | null;
  close(): void;
}

const PACKS = ".git/objects/pack";

export function openProjectObjects(project: Root): ProjectObjects {
  const indexes: PackIndex[] = [];
  const close = () => {
    for (const { fd } of indexes.splice(0)) fs.closeSync(fd);
  };
  try {
    inDirectory(project, PACKS, (dir) => indexes.push(...(dir === null ? [] : openIndexes(dir))));
    const packs = indexes.map(({ fd, pack }) => ({ name: pack, find: openPackIndex(fd) }));
    const has = (id: string) =>
      hasLoose(project, id) || packs.some(({ find }) => find(Buffer.from(id, "hex")) !== null);
    const read = (name: ObjectName, format: ObjectFormat) =>
      tryReadLooseObject(project, name, format)?.content ?? readPacked(project, packs, name, format);
    return { close, has, read };
  } catch (error) {
    close();
    throw error;
  }
}

export const loosePath = (id: string): string => `.git/objects/${id.slice(0, 2)}/${id.slice(2)}`;

interface NamedPack {
  readonly name: string;
  readonly find: FindOffset;
}

/** Null also for an object of a pack that git has removed meanwhile. */
function readPacked(
  project: Root,
  packs: readonly NamedPack[],
  { id, type }: ObjectName,
  format: ObjectFormat,
): Buffer | null {
  const bytes = Buffer.from(id, "hex");
  for (const { name, find } of packs) {
    const offset = find(bytes);
    const fd =
      offset === null ? null : inDirectory(project, PACKS, (dir) => dir && tryOpenRegular(dir, name));
    if (offset === null || fd === null) continue;
    try {
      const found = readPackedObject({ fd, find, idBytes: bytes.length }, offset);
      if (found === null) throw badObjectError(id, "its pack is damaged or too large");
      const { content } = found;
      const hash = createHash(format).update(`${type} ${content.length}\0`).update(content).digest("hex");
      if (found.type !== type || hash !== id)
        throw badObjectError(id, `its pack does not have a ${type} of this id`);
      return content;
    } finally {
      fs.closeSync(fd);
    }
  }
  return null;
}

function hasLoose(project: Root, id: string): boolean {
  return atExactPath(project, loosePath(id), (ref) => {
    if (typeof ref === "string") return false;
    return fs.lstatSync(entryPath(ref), { throwIfNoEntry: false })?.isFile() === true;
  });
}

interface PackIndex {
  readonly fd: number;
  /** The name of its pack. */
  readonly pack: string;
}

function openIndexes(dir: number): PackIndex[] {
  const names = new Set(fs.readdirSync(fdPath(dir)));
  const packOf = (name: string) => name.replace(/idx$/, "pack");
  const indexes = [...names].filter((name) => name.endsWith(".idx") && names.has(packOf(name)));
  if (indexes.length > LIMITS.maxGitPacks) {
    const why = `the project has ${indexes.length} packs, the limit is ${LIMITS.maxGitPacks}`;
    throw new HotcellError("NOT_SUPPORTED", `Could not read the project's objects: ${why}. Run git gc.`);
  }
  return indexes.flatMap((name) => {
    const fd = tryOpenRegular(dir, name);
    return fd === null ? [] : [{ fd, pack: packOf(name) }];
  });
}
