// Reads an object from a pack (https://git-scm.com/docs/gitformat-pack). The pack may be hostile: whatever is not as git
// writes it is damaged. The caller checks the hash of the result.
import fs from "node:fs";
import zlib from "node:zlib";
import { osErrorCode } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import type { FindOffset } from "./pack-index.ts";

export interface Pack {
  /** The file of the pack, open. */
  readonly fd: number;
  readonly find: FindOffset;
  readonly idBytes: number;
}

class Damaged extends Error {}

const TYPES: ReadonlyMap<number, string> = new Map([
  [1, "commit"],
  [2, "tree"],
  [3, "blob"],
]);
const OFFSET_DELTA = 6;
const ID_DELTA = 7;
/** Of the type and size of an entry, and of its base. */
const MAX_HEAD_BYTES = 64;

/** Null if it is damaged, or larger than `LIMITS` allow. */
export function readPackedObject(pack: Pack, offset: number): { type: string; content: Buffer } | null {
  try {
    return readWithBases(pack, offset);
  } catch (error) {
    if (error instanceof Damaged) return null;
    throw error;
  }
}

/** The entry of an object has its content, or a delta to another entry. */
function readWithBases(pack: Pack, offset: number): { type: string; content: Buffer } {
  const deltas: Buffer[] = [];
  let entry = readEntry(pack, offset);
  let bytes = entry.data.length;
  for (; entry.base !== null; bytes += entry.data.length) {
    deltas.push(entry.data);
    check(deltas.length <= LIMITS.maxGitDeltas && bytes <= LIMITS.maxGitBranchBytes);
    entry = readEntry(pack, entry.base);
  }
  const type = TYPES.get(entry.type);
  check(type !== undefined);
  let content = entry.data;
  for (const delta of deltas.reverse()) {
    content = applyDelta(content, delta);
    bytes += content.length;
    check(bytes <= LIMITS.maxGitBranchBytes);
  }
  return { type: type!, content };
}

interface Entry {
  readonly type: number;
  /** Where the base of a delta is. */
  readonly base: number | null;
  readonly data: Buffer;
}

function readEntry(pack: Pack, offset: number): Entry {
  const head = readAt(pack.fd, offset, MAX_HEAD_BYTES);
  const first = head[0] ?? 0;
  const type = (first >> 4) & 7;
  const more = (first & 0x80) === 0 ? { value: 0, end: 1 } : readSize(head, 1);
  const size = (first & 0xf) + more.value * 16;
  check(size <= LIMITS.maxGitObjectBytes);
  const { base, end } = readBase(pack, { head, type, at: more.end, offset });
  return { type, base, data: inflate(readAt(pack.fd, offset + end, deflateBound(size)), size) };
}

interface EntryHead {
  readonly head: Buffer;
  readonly type: number;
  /** Where the base begins in the head. */
  readonly at: number;
  /** Of the entry in the pack. */
  readonly offset: number;
}

function readBase(
  { find, idBytes }: Pack,
  { head, type, at, offset }: EntryHead,
): { base: number | null; end: number } {
  if (type === ID_DELTA) {
    const id = head.subarray(at, at + idBytes);
    const base = id.length === idBytes ? find(id) : null;
    check(base !== null);
    return { base, end: at + idBytes };
  }
  if (type !== OFFSET_DELTA) return { base: null, end: at };
  let back = head[at]! & 0x7f;
  let end = at + 1;
  for (; (head[end - 1]! & 0x80) !== 0; end++) {
    check(end < head.length);
    back = (back + 1) * 128 + (head[end]! & 0x7f);
  }
  check(back > 0 && back < offset);
  return { base: offset - back, end };
}

/** Seven bits in each byte, the lowest first. */
function readSize(bytes: Buffer, at: number): { value: number; end: number } {
  let value = 0;
  for (let end = at, unit = 1; end < bytes.length; end++, unit *= 128) {
    value += (bytes[end]! & 0x7f) * unit;
    check(value <= LIMITS.maxGitObjectBytes);
    if ((bytes[end]! & 0x80) === 0) return { value, end: end + 1 };
  }
  throw new Damaged();
}

/** Copies parts of the base, and inserts new bytes. */
function applyDelta(base: Buffer, delta: Buffer): Buffer {
  const before = readSize(delta, 0);
  const after = readSize(delta, before.end);
  check(before.value === base.length);
  const result = Buffer.alloc(after.value);
  let length = 0;
  const append = (from: Buffer, start: number, count: number) => {
    check(count > 0 && start + count <= from.length && length + count <= result.length);
    from.copy(result, length, start, start + count);
    length += count;
  };
  for (let at = after.end; at < delta.length; ) {
    const code = delta[at++]!;
    if (code < 0x80) {
      append(delta, at, code);
      at += code;
      continue;
    }
    let start = 0;
    let count = 0;
    for (let bit = 0; bit < 4; bit++) if (code & (1 << bit)) start += delta[at++]! * 256 ** bit;
    for (let bit = 0; bit < 3; bit++) if (code & (0x10 << bit)) count += delta[at++]! * 256 ** bit;
    append(base, start, count === 0 ? 0x10000 : count);
  }
  check(length === result.length);
  return result;
}

function readAt(fd: number, position: number, length: number): Buffer {
  check(Number.isSafeInteger(position));
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, fs.readSync(fd, bytes, 0, length, position));
}

/** The most bytes that zlib makes of so many, with any settings. */
const deflateBound = (size: number): number => size + Math.ceil(size / 8) + Math.ceil(size / 64) + 16;

/** What follows the compressed data belongs to the next entry. */
function inflate(bytes: Buffer, size: number): Buffer {
  try {
    const data = zlib.inflateSync(bytes, { maxOutputLength: Math.max(size, 1) });
    check(data.length === size);
    return data;
  } catch (error) {
    if (error instanceof RangeError || osErrorCode(error)?.startsWith("Z_")) throw new Damaged();
    throw error;
  }
}

function check(holds: boolean): void {
  if (!holds) throw new Damaged();
}
