// Reads git's index (https://git-scm.com/docs/index-format), versions 2 to 4. The file may be hostile: whatever is not
// exactly as git writes it makes the whole index count as unreadable.
import { createHash } from "node:crypto";
import { LIMITS } from "../../core/limits.ts";
import type { Cooperative } from "../fs/cooperative.ts";
import { decodeName } from "../fs/names.ts";
import { HASH_BYTES, type ObjectFormat } from "./blob-id.ts";

export interface GitIndex {
  readonly format: ObjectFormat;
  /** The ids of regular files that are tracked without a merge conflict, by path. */
  readonly ids: ReadonlyMap<string, string>;
}

const HEADER_BYTES = 12;
/** Times, device, inode, mode, owner and size come before the id. */
const STAT_BYTES = 40;
const MODE_AT = 24;
const ENTRIES_PER_PIECE = 1000;

class Malformed extends Error {}

/** Keeps entries with a wanted path. Null if the index is not readable. */
export function* readIndex(bytes: Buffer, isWanted: (path: string) => boolean): Cooperative<GitIndex | null> {
  for (const format of ["sha1", "sha256"] as const) {
    if (!hasChecksum(bytes, format)) continue;
    try {
      return { format, ids: yield* readEntries(bytes, format, isWanted) };
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
    }
  }
  return null;
}

/** With `index.skipHash` git writes zeros instead. Then only the structure can tell the format. */
function hasChecksum(bytes: Buffer, format: ObjectFormat): boolean {
  const end = bytes.length - HASH_BYTES[format];
  if (end < HEADER_BYTES) return false;
  const given = bytes.subarray(end);
  return (
    given.every((byte) => byte === 0) ||
    createHash(format).update(bytes.subarray(0, end)).digest().equals(given)
  );
}

function* readEntries(
  bytes: Buffer,
  format: ObjectFormat,
  isWanted: (path: string) => boolean,
): Cooperative<Map<string, string>> {
  const body = bytes.subarray(0, bytes.length - HASH_BYTES[format]);
  const version = body.readUInt32BE(4);
  check(body.toString("latin1", 0, 4) === "DIRC" && version >= 2 && version <= 4);
  const ids = new Map<string, string>();
  let at = HEADER_BYTES;
  let before: Entry | null = null;
  let nameBytes = 0;
  for (let left = body.readUInt32BE(8); left > 0; left--) {
    const entry = readEntry(body, at, { version, format, before });
    check(before === null || isInOrder(before, entry));
    nameBytes += entry.name.length;
    check(nameBytes <= LIMITS.maxGitIndexBytes);
    const path = entry.isTrackedFile ? decodeName(entry.name) : null;
    if (path !== null && isWanted(path)) ids.set(path, entry.id);
    at = entry.end;
    before = entry;
    if (left % ENTRIES_PER_PIECE === 0) yield;
  }
  checkExtensions(body, at);
  return ids;
}

interface Entry {
  readonly name: Buffer;
  readonly id: string;
  readonly stage: number;
  /** A regular file with content in git, outside a merge conflict. */
  readonly isTrackedFile: boolean;
  /** Where the next entry begins. */
  readonly end: number;
}

interface EntryContext {
  readonly version: number;
  readonly format: ObjectFormat;
  readonly before: Entry | null;
}

const FILE_MODES = [0o100644, 0o100755];
/** Links, submodules, and directories of a sparse index. */
const OTHER_MODES = [0o120000, 0o160000, 0o040000];
const EXTENDED = 0x4000;
const INTENT_TO_ADD = 0x2000;

function readEntry(body: Buffer, start: number, { version, format, before }: EntryContext): Entry {
  const idAt = start + STAT_BYTES;
  const flagsAt = idAt + HASH_BYTES[format];
  check(flagsAt + 4 < body.length);
  const mode = body.readUInt32BE(start + MODE_AT);
  const isFile = FILE_MODES.includes(mode);
  check(isFile || OTHER_MODES.includes(mode));
  const flags = body.readUInt16BE(flagsAt);
  const isExtended = (flags & EXTENDED) !== 0;
  check(!isExtended || version >= 3);
  const more = isExtended ? body.readUInt16BE(flagsAt + 2) : 0;
  const nameAt = flagsAt + (isExtended ? 4 : 2);
  const { name, end } = version === 4 ? readShared(body, nameAt, before) : readPadded(body, nameAt, start);
  checkLength(name, flags & 0xfff);
  const stage = (flags >> 12) & 3;
  return {
    name,
    id: body.toString("hex", idAt, flagsAt),
    stage,
    isTrackedFile: isFile && stage === 0 && (more & INTENT_TO_ADD) === 0,
    end,
  };
}

function checkLength(name: Buffer, length: number): void {
  check(name.length > 0 && name.length <= LIMITS.maxPathBytes);
  check(length === Math.min(name.length, 0xfff));
}

/** Versions 2 and 3: NULs up to a multiple of eight bytes follow the name. */
function readPadded(body: Buffer, at: number, start: number): { name: Buffer; end: number } {
  const nul = body.indexOf(0, at);
  check(nul >= 0);
  const end = start + Math.ceil((nul + 1 - start) / 8) * 8;
  check(end <= body.length && body.subarray(nul, end).every((byte) => byte === 0));
  return { name: body.subarray(at, nul), end };
}

/** Version 4: how many bytes to cut from the end of the name before, then the rest of this name. */
function readShared(body: Buffer, at: number, before: Entry | null): { name: Buffer; end: number } {
  const earlier = before?.name ?? Buffer.alloc(0);
  let next = at;
  let cut = 0;
  for (let byte = 0x80; (byte & 0x80) !== 0; next++) {
    check(next < body.length);
    byte = body[next]!;
    cut = (next === at ? 0 : (cut + 1) * 128) + (byte & 0x7f);
    check(cut <= earlier.length);
  }
  const nul = body.indexOf(0, next);
  check(nul >= 0 && nul - next <= LIMITS.maxPathBytes);
  const kept = earlier.subarray(0, earlier.length - cut);
  return { name: Buffer.concat([kept, body.subarray(next, nul)]), end: nul + 1 };
}

/** By name, then by stage; no entry comes twice. */
function isInOrder(before: Entry, entry: Entry): boolean {
  const order = Buffer.compare(before.name, entry.name);
  return order < 0 || (order === 0 && before.stage > 0 && before.stage < entry.stage);
}

/** An extension whose name begins with a small letter changes the meaning of the entries. Only `sdir` keeps the meaning of files: it marks an index with whole directories. */
function checkExtensions(body: Buffer, start: number): void {
  let at = start;
  while (at < body.length) {
    check(at + 8 <= body.length);
    const name = body.toString("latin1", at, at + 4);
    check(/^[A-Z]/.test(name) || name === "sdir");
    at += 8 + body.readUInt32BE(at + 4);
  }
  check(at === body.length);
}

function check(holds: boolean): void {
  if (!holds) throw new Malformed();
}
