// File operations as messages. What a guest sends is checked as if it came from anybody.
import type { Json, JsonObject } from "../../../core/json.ts";
import type { EntryName, EntryStat, EntryTimes, FileKind } from "../../../workspace/files/workspace-fs.ts";
import { fault } from "../wasi/errno.ts";
import type { GuestFiles, OpenRequest } from "../wasi/guest-files.ts";
import { NO_BYTES } from "./frames.ts";

export interface FileAnswer {
  readonly value: Json;
  readonly body: Uint8Array;
}

/** The most that one message reads. */
export const MAX_READ_BYTES = 256 * 1024;

type Answer = (files: GuestFiles, args: Arguments, body: Uint8Array) => unknown;

const ANSWERS: ReadonlyMap<string, Answer> = new Map<string, Answer>([
  ["open", (files, args) => ({ ...files.open(args.text(0), args.text(1), openRequest(args.flags(2, 6))) })],
  ["stat", (files, args) => encodeStat(files.stat(args.text(0), args.text(1), args.flag(2)))],
  ["setTimes", (files, args) => files.setTimes(args.text(0), args.text(1), args.flag(2), args.times(3))],
  [
    "list",
    (files, args) => files.list(args.text(0)).map(({ name, kind, inode }) => [name, kind, `${inode}`]),
  ],
  ["createDirectory", (files, args) => files.createDirectory(args.text(0), args.text(1))],
  ["removeDirectory", (files, args) => files.removeDirectory(args.text(0), args.text(1))],
  ["removeFile", (files, args) => files.removeFile(args.text(0), args.text(1))],
  ["readLink", (files, args) => files.readLink(args.text(0), args.text(1))],
  ["symlink", (files, args) => files.symlink(args.text(0), args.text(1), args.text(2))],
  ["rename", (files, args) => files.rename(args.text(0), args.text(1), args.text(2), args.text(3))],
  ["link", (files, args) => files.link(args.text(0), args.text(1), args.text(2), args.text(3))],
  ["statFile", (files, args) => encodeStat(files.statFile(args.number(0)))],
  ["setFileTimes", (files, args) => files.setFileTimes(args.number(0), args.times(1))],
  ["truncate", (files, args) => files.truncate(args.number(0), args.number(1))],
  ["read", (files, args) => readAnswer(files, args)],
  ["write", (files, args, body) => files.write(args.number(0), body, args.number(1))],
  ["sync", (files, args) => files.sync(args.number(0))],
  ["close", (files, args) => files.close(args.number(0))],
]);

/** Does what the guest asks for. Throws a WasiFault where it fails. */
export function answerFileMessage(
  files: GuestFiles,
  { method, args }: JsonObject,
  body: Uint8Array,
): FileAnswer {
  const answer = ANSWERS.get(`${method}`) ?? fault("EINVAL");
  const given = answer(files, new Arguments(Array.isArray(args) ? args : []), body) ?? null;
  return isFileAnswer(given) ? given : { value: given as Json, body: NO_BYTES };
}

function isFileAnswer(given: unknown): given is FileAnswer {
  return typeof given === "object" && given !== null && "body" in given;
}

function readAnswer(files: GuestFiles, args: Arguments): FileAnswer {
  const buffer = Buffer.allocUnsafe(Math.min(args.number(1), MAX_READ_BYTES));
  const read = files.read(args.number(0), buffer, args.number(2));
  return { value: read, body: buffer.subarray(0, read) };
}

class Arguments {
  private readonly list: readonly Json[];

  constructor(list: readonly Json[]) {
    this.list = list;
  }

  text(index: number): string {
    const value = this.list[index];
    return typeof value === "string" ? value : fault("EINVAL");
  }

  flag(index: number): boolean {
    return this.list[index] === true;
  }

  flags(from: number, count: number): boolean[] {
    return Array.from({ length: count }, (_, index) => this.flag(from + index));
  }

  /** A whole number of bytes, or the number of a file. */
  number(index: number): number {
    const value = this.list[index];
    return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : fault("EINVAL");
  }

  times(from: number): EntryTimes {
    return { accessed: this.time(from), modified: this.time(from + 1) };
  }

  private time(index: number): bigint | null {
    const value = this.list[index];
    if (value === null) return null;
    return typeof value === "string" && /^\d{1,20}$/.test(value) ? BigInt(value) : fault("EINVAL");
  }
}

const openRequest = ([
  follow,
  create,
  directory,
  exclusive,
  truncate,
  write,
]: readonly boolean[]): OpenRequest => ({
  follow: follow!,
  create: create!,
  directory: directory!,
  exclusive: exclusive!,
  truncate: truncate!,
  write: write!,
});

export const openFlags = (request: OpenRequest): boolean[] => [
  request.follow,
  request.create,
  request.directory,
  request.exclusive,
  request.truncate,
  request.write,
];

export const encodeTimes = ({ accessed, modified }: EntryTimes): Json[] => [
  accessed === null ? null : `${accessed}`,
  modified === null ? null : `${modified}`,
];

function encodeStat({ kind, ...numbers }: EntryStat): Json {
  const { size, inode, device, links, accessed, modified, changed } = numbers;
  return [kind, ...[size, inode, device, links, accessed, modified, changed].map(String)];
}

export function decodeStat(value: Json): EntryStat {
  const [kind, ...numbers] = value as [FileKind, ...string[]];
  const [size, inode, device, links, accessed, modified, changed] = numbers.map(BigInt) as [
    bigint,
    bigint,
    bigint,
    bigint,
    bigint,
    bigint,
    bigint,
  ];
  return { kind, size, inode, device, links, accessed, modified, changed };
}

export function decodeNames(value: Json): EntryName[] {
  return (value as [string, FileKind, string][]).map(([name, kind, inode]) => ({
    name,
    kind,
    inode: BigInt(inode),
  }));
}
