// The guest's files over the channel: one message for each operation. A file that is read in order is read ahead, and
// writes in order are collected: they reach hotcell before anything else does.
import type { Json } from "../../../core/json.ts";
import { WasiFault } from "../wasi/errno.ts";
import type { GuestFiles } from "../wasi/guest-files.ts";
import { decodeNames, decodeStat, encodeTimes, MAX_READ_BYTES, openFlags } from "./file-messages.ts";
import type { HostChannel } from "./host-channel.ts";

const AHEAD_BYTES = 64 * 1024;
const BEHIND_BYTES = 64 * 1024;

export interface RemoteFiles extends GuestFiles {
  /** Sends what was written. */
  flush(): void;
}

interface Ahead {
  readonly file: number;
  readonly offset: number;
  readonly bytes: Uint8Array;
}

interface Behind {
  readonly file: number;
  readonly offset: number;
  readonly bytes: Uint8Array;
  length: number;
}

export function openRemoteFiles(channel: HostChannel, mount: number): RemoteFiles {
  let ahead: Ahead | null = null;
  let behind: Behind | null = null;

  const request = (method: string, args: Json[], body?: Uint8Array) =>
    channel.call({ op: "files", mount, method, args }, body);
  const flush = (): void => {
    if (behind === null) return;
    const { file, offset, bytes, length } = behind;
    behind = null;
    for (let at = 0; at < length; )
      at += written(request("write", [file, offset + at], bytes.subarray(at, length)).value);
  };
  const ask = (method: string, ...args: Json[]): Json => {
    flush();
    return request(method, args).value;
  };
  const change = (method: string, ...args: Json[]): void => {
    ahead = null;
    ask(method, ...args);
  };
  const readDirectly = (file: number, length: number, offset: number): Uint8Array => {
    flush();
    return request("read", [file, length, offset]).body;
  };

  return {
    flush,
    open(dir, path, how) {
      if (how.truncate) ahead = null;
      return ask("open", dir, path, ...openFlags(how)) as never;
    },
    stat: (dir, path, follow) => decodeStat(ask("stat", dir, path, follow)),
    setTimes: (dir, path, follow, times) => change("setTimes", dir, path, follow, ...encodeTimes(times)),
    list: (dir) => decodeNames(ask("list", dir)),
    createDirectory: (dir, path) => change("createDirectory", dir, path),
    removeDirectory: (dir, path) => change("removeDirectory", dir, path),
    removeFile: (dir, path) => change("removeFile", dir, path),
    readLink: (dir, path) => ask("readLink", dir, path) as string,
    symlink: (target, dir, path) => change("symlink", target, dir, path),
    rename: (dir, path, toDir, toPath) => change("rename", dir, path, toDir, toPath),
    link: (dir, path, toDir, toPath) => change("link", dir, path, toDir, toPath),
    statFile: (file) => decodeStat(ask("statFile", file)),
    setFileTimes: (file, times) => change("setFileTimes", file, ...encodeTimes(times)),
    truncate: (file, size) => change("truncate", file, size),
    sync: (file) => change("sync", file),
    close(file) {
      if (ahead?.file === file) ahead = null;
      ask("close", file);
    },
    read(file, into, offset) {
      if (into.length >= AHEAD_BYTES) {
        const bytes = readDirectly(file, Math.min(into.length, MAX_READ_BYTES), offset);
        into.set(bytes);
        return bytes.length;
      }
      const isAhead =
        ahead !== null &&
        ahead.file === file &&
        offset >= ahead.offset &&
        offset < ahead.offset + ahead.bytes.length;
      if (!isAhead || behind !== null)
        ahead = { file, offset, bytes: readDirectly(file, AHEAD_BYTES, offset) };
      const from = offset - ahead!.offset;
      const part = ahead!.bytes.subarray(from, from + into.length);
      into.set(part);
      return part.length;
    },
    write(file, bytes, offset) {
      ahead = null;
      const fits = behind !== null && behind.file === file && offset === behind.offset + behind.length;
      if (!fits) flush();
      if (bytes.length >= BEHIND_BYTES) {
        flush();
        return written(request("write", [file, offset], bytes.subarray(0, MAX_READ_BYTES)).value);
      }
      // The first write of a row goes through, so that the guest is told at once if it may not write.
      if (behind === null) {
        const done = written(request("write", [file, offset], bytes).value);
        behind = { file, offset: offset + done, bytes: new Uint8Array(BEHIND_BYTES), length: 0 };
        return done;
      }
      if (behind.length + bytes.length > BEHIND_BYTES) {
        const at = behind.offset + behind.length;
        flush();
        behind = { file, offset: at, bytes: new Uint8Array(BEHIND_BYTES), length: 0 };
      }
      behind.bytes.set(bytes, behind.length);
      behind.length += bytes.length;
      return bytes.length;
    },
  };
}

/** Nothing written would be asked for again without end. */
function written(value: Json): number {
  if (typeof value === "number" && value > 0) return value;
  throw new WasiFault("EIO");
}
