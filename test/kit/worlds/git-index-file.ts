// Writes index files of git byte by byte: valid ones, and malformed ones as in a hostile project.
import { createHash } from "node:crypto";

export interface IndexEntry {
  readonly name: string | Buffer;
  readonly id?: string;
  readonly mode?: number;
  readonly stage?: number;
  /** Instead of the length of the name. */
  readonly length?: number;
  /** The second word of flags, from version 3 on. */
  readonly more?: number;
  /** Version 4: bytes cut from the name before, instead of all. */
  readonly cut?: Buffer;
  /** Instead of NULs up to a multiple of eight. */
  readonly padding?: Buffer;
}

export interface IndexFile {
  readonly magic?: string;
  readonly version?: number;
  readonly count?: number;
  readonly entries: readonly IndexEntry[];
  readonly extensions?: readonly (readonly [name: string, data: Buffer, size?: number])[];
  readonly format?: "sha1" | "sha256";
  /** Instead of the checksum. */
  readonly trailer?: Buffer;
}

export function indexBytes(file: IndexFile): Buffer {
  const { version = 2, entries, extensions = [], format = "sha1" } = file;
  const header = Buffer.alloc(12);
  header.write(file.magic ?? "DIRC", "latin1");
  header.writeUInt32BE(version, 4);
  header.writeUInt32BE(file.count ?? entries.length, 8);
  const rows = entries.map((entry, at) => entryBytes(entry, version, format, entries[at - 1]));
  const more = extensions.flatMap(([name, data, size = data.length]) => [
    Buffer.from(name, "latin1"),
    wordOf(size),
    data,
  ]);
  return sealed(Buffer.concat([header, ...rows, ...more]), format, file.trailer);
}

/** With its checksum. */
export function sealed(body: Buffer, format: "sha1" | "sha256" = "sha1", trailer?: Buffer): Buffer {
  return Buffer.concat([body, trailer ?? createHash(format).update(body).digest()]);
}

function wordOf(value: number): Buffer {
  const word = Buffer.alloc(4);
  word.writeUInt32BE(value >>> 0);
  return word;
}

function entryBytes(
  entry: IndexEntry,
  version: number,
  format: "sha1" | "sha256",
  before: IndexEntry | undefined,
): Buffer {
  const name = Buffer.from(entry.name);
  const stat = Buffer.alloc(40);
  stat.writeUInt32BE(entry.mode ?? 0o100644, 24);
  const id = Buffer.from(entry.id ?? "0".repeat(format === "sha1" ? 40 : 64), "hex");
  const flags = Buffer.alloc(entry.more === undefined ? 2 : 4);
  const length = entry.length ?? Math.min(name.length, 0xfff);
  flags.writeUInt16BE((entry.more === undefined ? 0 : 0x4000) | ((entry.stage ?? 0) << 12) | length);
  if (entry.more !== undefined) flags.writeUInt16BE(entry.more, 2);
  const start = Buffer.concat([stat, id, flags]);
  if (version === 4) {
    const cut = entry.cut ?? varint(before === undefined ? 0 : Buffer.from(before.name).length);
    return Buffer.concat([start, cut, name, Buffer.alloc(1)]);
  }
  const padding = entry.padding ?? Buffer.alloc(8 - ((start.length + name.length) % 8));
  return Buffer.concat([start, name, padding]);
}

/** git's variable-length number, as in the offsets of packs. */
export function varint(value: number): Buffer {
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift(0x80 | (--rest & 0x7f));
  return Buffer.from(bytes);
}
