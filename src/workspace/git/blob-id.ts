import { createHash } from "node:crypto";

export type ObjectFormat = "sha1" | "sha256";

export const HASH_BYTES: Readonly<Record<ObjectFormat, number>> = { sha1: 20, sha256: 32 };

/** The object id that git gives a file's content. */
export function blobId(content: Buffer, format: ObjectFormat = "sha1"): string {
  return createHash(format).update(`blob ${content.length}\0`).update(content).digest("hex");
}
