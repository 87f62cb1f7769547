// Searches the index of a pack (https://git-scm.com/docs/gitformat-pack), version 2, without reading all of it.
import fs from "node:fs";
import { HotcellError } from "../../core/errors.ts";
import { readInto } from "../fs/open-file.ts";

const MAGIC = Buffer.from([0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2]);
/** After the magic: for each first byte of an id, the number of ids up to it. */
const FANOUT_BYTES = 256 * 4;
const IDS_AT = MAGIC.length + FANOUT_BYTES;

export type HasId = (id: Buffer) => boolean;

/** `fd` stays open as long as the function is used. */
export function openPackIndex(fd: number): HasId {
  const head = readInto(fd, Buffer.alloc(IDS_AT));
  if (head.length < IDS_AT || !head.subarray(0, MAGIC.length).equals(MAGIC)) {
    const why = "a pack of the project has an index of another version than 2";
    throw new HotcellError("NOT_SUPPORTED", `Could not read the project's objects: ${why}. Run git gc.`);
  }
  const countUpTo = (byte: number) => (byte < 0 ? 0 : head.readUInt32BE(MAGIC.length + byte * 4));
  return (id) => search(fd, id, countUpTo(id[0]! - 1), countUpTo(id[0]!));
}

function search(fd: number, id: Buffer, first: number, end: number): boolean {
  const found = Buffer.alloc(id.length);
  let low = first;
  let high = end;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    fs.readSync(fd, found, 0, id.length, IDS_AT + middle * id.length);
    const order = Buffer.compare(found, id);
    if (order === 0) return true;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return false;
}
