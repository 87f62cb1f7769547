// The functions of WASI preview1 on a directory, called as a guest calls them, with a memory of its own. They reach the
// files by messages, as from a guest's process, or directly.
import fs from "node:fs";
import path from "node:path";
import { createAnswers } from "../../../src/runners/wasm/answer-message.ts";
import { encodeFrame, type Frame, FrameDecoder, readFrame } from "../../../src/runners/wasm/guest/frames.ts";
import type { HostChannel } from "../../../src/runners/wasm/guest/host-channel.ts";
import { openRemoteFiles } from "../../../src/runners/wasm/guest/remote-files.ts";
import { errnoOf, WasiFault } from "../../../src/runners/wasm/wasi/errno.ts";
import type { GuestFiles } from "../../../src/runners/wasm/wasi/guest-files.ts";
import { createPreview1 } from "../../../src/runners/wasm/wasi/preview1.ts";
import { machineSurroundings } from "../../../src/runners/wasm/wasi/surroundings.ts";
import { serveFiles } from "../../../src/runners/wasm/workspace-files.ts";
import type { FileAccess } from "../../../src/tools/wasm/guests.ts";
import { openHostWorkspace } from "../../../src/workspace/directory/host.ts";
import { tempDir } from "./temp-cell.ts";

const NAMES = new Map(
  "ok EACCES EBADF EEXIST EFAULT EFBIG EINVAL EISDIR ELOOP ENAMETOOLONG ENOENT ENOTCAPABLE ENOTDIR ENOTEMPTY ENOTSOCK ENOTSUP EPERM EROFS ESPIPE"
    .split(" ")
    .map((name) => [name === "ok" ? 0 : errnoOf(name), name]),
);
/** Places in the memory. */
const [RESULT, LIST, PATH, OTHER, DATA] = [0, 64, 1024, 8192, 16_384];
const ROOT = 3;

export interface FixtureOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly access?: FileAccess;
  /** Without messages. */
  readonly isDirect?: boolean;
}

interface ListedEntry {
  readonly name: string;
  readonly inode: bigint;
}

interface OpenOptions {
  readonly fd?: number;
  readonly follow?: boolean;
  readonly flags?: number;
  readonly rights?: bigint;
  /** The same as the rights if omitted. */
  readonly inherited?: bigint;
  readonly fdFlags?: number;
}

export function openHostFixture(options: FixtureOptions = {}) {
  const { args = [], env = {}, access = "write", isDirect = false } = options;
  const top = tempDir();
  const root = path.join(top, "ws");
  fs.mkdirSync(root);
  fs.mkdirSync(path.join(top, "state"));
  const workspace = openHostWorkspace({
    workspace: root,
    stateDir: path.join(top, "state"),
    protectionOf: () => null,
  });
  const denied: string[] = [];
  const served = serveFiles(workspace, { access, onDenied: (capability) => denied.push(capability) });
  const remote = openRemoteFiles(channelTo(served), 0);
  const files = isDirect ? served : remote;
  const said: Record<"stdout" | "stderr", Buffer[]> = { stdout: [], stderr: [] };
  let input = Buffer.from("input");
  const { imports, attach } = createPreview1({
    args,
    env,
    mounts: [{ at: "/workspace", files }],
    stdin(into) {
      const part = input.subarray(0, into.length);
      input = input.subarray(part.length);
      into.set(part);
      return part.length;
    },
    stdout: (bytes) => said.stdout.push(Buffer.from(bytes)),
    stderr: (bytes) => said.stderr.push(Buffer.from(bytes)),
    surroundings: machineSurroundings(),
  });
  const buffer = new ArrayBuffer(65_536);
  attach({ buffer });
  const memory = Buffer.from(buffer);

  const call = (name: string, ...given: readonly (number | bigint)[]): string => {
    const errno = imports[name]!(...(given as never[])) as number;
    return NAMES.get(errno) ?? `errno ${errno}`;
  };
  const put = (text: string, at: number): [number, number] => [at, memory.write(text, at)];
  const answer = <T>(name: string, given: readonly (number | bigint)[], read: () => T): T | string => {
    const result = call(name, ...given);
    return result === "ok" ? read() : result;
  };
  const u32 = () => memory.readUInt32LE(RESULT);
  const u64 = () => memory.readBigUInt64LE(RESULT);
  const buffers = (length: number): [number, number] => {
    memory.writeUInt32LE(DATA!, LIST!);
    memory.writeUInt32LE(length, LIST! + 4);
    return [LIST!, 1];
  };
  const withData = (text: string): [number, number] => buffers(memory.write(text, DATA!));
  const got = () => memory.toString("utf8", DATA, DATA! + u32());

  return {
    root,
    denied,
    /** What the guest wrote last may wait in its process. */
    flush: remote.flush,
    call,
    has: (name: string) => name in imports,
    said: () => ({ stdout: `${Buffer.concat(said.stdout)}`, stderr: `${Buffer.concat(said.stderr)}` }),
    bytes: (at: number, length: number) => memory.subarray(at, at + length),
    list(what: "args" | "environ"): string[] {
      call(`${what}_sizes_get`, RESULT!, RESULT! + 4);
      const [count, size] = [u32(), memory.readUInt32LE(RESULT! + 4)];
      call(`${what}_get`, LIST!, DATA!);
      const texts = memory.toString("utf8", DATA, DATA! + size).split("\0");
      return texts.slice(0, count);
    },
    time(clock: number): bigint {
      call("clock_time_get", clock, 0n, RESULT!);
      return u64();
    },
    open(name: string, options: OpenOptions) {
      const { fd = ROOT, follow = false, flags = 0, rights = 2n, inherited = rights, fdFlags = 0 } = options;
      const given = [fd, follow ? 1 : 0, ...put(name, PATH!), flags, rights, inherited, fdFlags, RESULT!];
      return answer("path_open", given, u32);
    },
    write: (fd: number, text: string) => answer("fd_write", [fd, ...withData(text), RESULT!], u32),
    pwrite: (fd: number, text: string, offset: bigint) =>
      answer("fd_pwrite", [fd, ...withData(text), offset, RESULT!], u32),
    read: (fd: number, length: number) => answer("fd_read", [fd, ...buffers(length), RESULT!], got),
    pread: (fd: number, length: number, offset: bigint) =>
      answer("fd_pread", [fd, ...buffers(length), offset, RESULT!], got),
    seek: (fd: number, offset: bigint, whence: number) =>
      answer("fd_seek", [fd, offset, whence, RESULT!], u64),
    tell: (fd: number) => answer("fd_tell", [fd, RESULT!], u64),
    fdstat: (fd: number) =>
      answer("fd_fdstat_get", [fd, RESULT!], () => ({
        kind: memory[RESULT!]!,
        flags: memory.readUInt16LE(RESULT! + 2),
        rights: memory.readBigUInt64LE(RESULT! + 8),
        inherited: memory.readBigUInt64LE(RESULT! + 16),
      })),
    prestat(fd: number): string {
      call("fd_prestat_get", fd, RESULT!);
      const length = memory.readUInt32LE(RESULT! + 4);
      call("fd_prestat_dir_name", fd, DATA!, length);
      return memory.toString("utf8", DATA, DATA! + length);
    },
    stat: (name: string, follow = false) =>
      answer("path_filestat_get", [ROOT, follow ? 1 : 0, ...put(name, PATH!), DATA!], () => {
        const [device, inode, kind, links, size, accessed, modified] = [0, 1, 2, 3, 4, 5, 6].map((index) =>
          memory.readBigUInt64LE(DATA! + index * 8),
        );
        return { device, inode, kind: kind! & 0xffn, links, size, accessed, modified };
      }),
    path: (name: string, at: string) => call(name, ROOT, ...put(at, PATH!)),
    move: (name: string, from: string, to: string) =>
      call(name, ROOT, ...put(from, PATH!), ROOT, ...put(to, OTHER!)),
    link: (from: string, to: string) =>
      call("path_link", ROOT, 0, ...put(from, PATH!), ROOT, ...put(to, OTHER!)),
    symlink: (target: string, at: string) =>
      call("path_symlink", ...put(target, OTHER!), ROOT, ...put(at, PATH!)),
    readlink: (at: string, size: number) =>
      answer("path_readlink", [ROOT, ...put(at, PATH!), DATA!, size, RESULT!], got),
    /** The whole listing of a directory, read with a buffer of this size. */
    entries(fd: number, size: number): readonly ListedEntry[] {
      const entries: ListedEntry[] = [];
      for (let cookie = 0n; ; ) {
        call("fd_readdir", fd, DATA!, size, cookie, RESULT!);
        const end = DATA! + u32();
        let at = DATA!;
        while (at + 24 <= end && at + 24 + memory.readUInt32LE(at + 16) <= end) {
          const length = memory.readUInt32LE(at + 16);
          cookie = memory.readBigUInt64LE(at);
          const name = memory.toString("utf8", at + 24, at + 24 + length);
          entries.push({ name, inode: memory.readBigUInt64LE(at + 8) });
          at += 24 + length;
        }
        if (end - DATA! < size) return entries;
      }
    },
    poll(wanted: readonly { readonly kind: number; readonly fd: number; readonly timeout?: bigint }[]) {
      wanted.forEach(({ kind, fd, timeout = 0n }, index) => {
        const at = DATA! + index * 48;
        memory.fill(0, at, at + 48);
        memory.writeBigUInt64LE(BigInt(index), at);
        memory[at + 8] = kind;
        memory.writeUInt32LE(fd, at + 16);
        memory.writeBigUInt64LE(timeout, at + 24);
      });
      call("poll_oneoff", DATA!, OTHER!, wanted.length, RESULT!);
      return Array.from({ length: u32() }, (_, event) => {
        const at = OTHER! + event * 32;
        return { index: Number(memory.readBigUInt64LE(at)), errno: NAMES.get(memory.readUInt16LE(at + 8)) };
      });
    },
  };
}

/** The channel between a guest's process and hotcell, without the process: each message and each reply is bytes. */
function channelTo(files: GuestFiles): HostChannel {
  const answer = createAnswers({
    files: [files],
    hostCall: () => Promise.reject(new Error("there are no host calls")),
  });
  return {
    receive: () => null,
    send: () => {},
    call(head, body) {
      const decoder = new FrameDecoder();
      for (const part of encodeFrame(head, body)) decoder.push(part);
      const reply = answer(decoder.next()!) as Frame;
      const bytes = Buffer.concat(encodeFrame(reply.head, reply.body));
      let at = 0;
      const fill = (into: Buffer) => {
        at += bytes.copy(into, 0, at);
        return true;
      };
      const received = readFrame({ fill })!;
      const { errno, value = null } = received.head;
      if (typeof errno === "string") throw new WasiFault(errno);
      return { value, body: received.body };
    },
  };
}
