// Searches the index of a pack (https://git-scm.com/docs/gitformat-pack), version 2, without reading all of it.
import fs from "node:fs";
import { HotcellError } from "../../core/errors.ts";
import { readInto } from "../fs/open-file.ts";

const MAGIC = Buffer.from([0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2]);
/** After the magic: for each first byte of an id, the number of ids up to it. */
const FANOUT_BYTES = 256 * 4;
const IDS_AT = MAGIC.length + FANOUT_BYTES;
const CHECKSUM_BYTES = 4;
const OFFSET_BYTES = 4;
/** From here on an offset is the number of an entry in a second table, of offsets of eight bytes. */
const FIRST_LARGE = 0x8000_0000;

/** Where an object is in the pack; null if the pack does not have it. */
export type FindOffset = (id: Buffer) => number | null;

/** `fd` stays open as long as the function is used. */
export function openPackIndex(fd: number): FindOffset {
  const head = readInto(fd, Buffer.alloc(IDS_AT));
  if (head.length < IDS_AT || !head.subarray(0, MAGIC.length).equals(MAGIC)) {
    const why = "a pack of the project has an index of another version than 2";
    throw new HotcellError("NOT_SUPPORTED", `Could not read the project's objects: ${why}. Run git gc.`);
  }
  const countUpTo = (byte: number) => (byte < 0 ? 0 : head.readUInt32BE(MAGIC.length + byte * 4));
  return (id) => {
    const found = search(fd, id, countUpTo(id[0]! - 1), countUpTo(id[0]!));
    return found === null ? null : readOffset(fd, found, countUpTo(0xff), id.length);
  };
}

function search(fd: number, id: Buffer, first: number, end: number): number | null {
  const found = Buffer.alloc(id.length);
  let low = first;
  let high = end;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    fs.readSync(fd, found, 0, id.length, IDS_AT + middle * id.length);
    const order = Buffer.compare(found, id);
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return null;
}

/** The tables of checksums and of offsets follow the ids. */
function readOffset(fd: number, entry: number, count: number, idBytes: number): number {
  const offsetsAt = IDS_AT + count * (idBytes + CHECKSUM_BYTES);
  const bytes = Buffer.alloc(8);
  fs.readSync(fd, bytes, 0, OFFSET_BYTES, offsetsAt + entry * OFFSET_BYTES);
  const offset = bytes.readUInt32BE();
  if (offset < FIRST_LARGE) return offset;
  fs.readSync(fd, bytes, 0, 8, offsetsAt + count * OFFSET_BYTES + (offset - FIRST_LARGE) * 8);
  return Number(bytes.readBigUInt64BE());
}
