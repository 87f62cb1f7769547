// Reads a loose object that may be hostile. What it returns is exactly what its id promises.
import { createHash } from "node:crypto";
import zlib from "node:zlib";
import { HotcellError } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import type { Root } from "../fs/paths.ts";
import type { ObjectFormat } from "./blob-id.ts";
import { readInGitDir } from "./git-dir.ts";

export type ObjectType = "commit" | "tree" | "blob";

export interface LooseObject {
  /** With its header, as it is hashed. */
  readonly bytes: Buffer;
  readonly content: Buffer;
}

export interface ObjectName {
  readonly id: string;
  readonly type: ObjectType;
}

export function readLooseObject(root: Root, name: ObjectName, format: ObjectFormat): LooseObject {
  const found = tryReadLooseObject(root, name, format);
  if (found === null) throw missingError(name.id);
  return found;
}

/** Null if there is no such loose object. */
export function tryReadLooseObject(
  root: Root,
  { id, type }: ObjectName,
  format: ObjectFormat,
): LooseObject | null {
  const packed = readInGitDir(root, `objects/${id.slice(0, 2)}/${id.slice(2)}`, LIMITS.maxGitObjectBytes);
  if (packed === null) return null;
  const bytes = inflate(packed, id);
  if (createHash(format).update(bytes).digest("hex") !== id)
    throw badObjectError(id, "its content has another hash");
  const end = bytes.indexOf(0);
  const content = bytes.subarray(end + 1);
  if (end < 0 || bytes.toString("latin1", 0, end) !== `${type} ${content.length}`)
    throw badObjectError(id, `it is no ${type} of its size`);
  return { bytes, content };
}

export function badObjectError(id: string, why: string): HotcellError {
  return new HotcellError("INVALID_ARGUMENTS", `Could not take the object ${id}: ${why}.`, { id });
}

function inflate(packed: Buffer, id: string): Buffer {
  try {
    return zlib.inflateSync(packed, { maxOutputLength: LIMITS.maxGitObjectBytes });
  } catch (error) {
    const isTooLarge = error instanceof RangeError;
    throw badObjectError(
      id,
      isTooLarge ? `it has more than ${LIMITS.maxGitObjectBytes} bytes` : "it is damaged",
    );
  }
}

export function missingError(id: string): HotcellError {
  const why = "it is neither in the project's repository nor a loose object of the session";
  const next = "If git packed it in the session, unpack it there with git unpack-objects";
  return new HotcellError("NOT_FOUND", `Could not take the object ${id}: ${why}. ${next}.`, { id });
}
