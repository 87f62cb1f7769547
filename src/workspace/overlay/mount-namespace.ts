// A mount namespace (`Room`), held by descriptors; for an ordinary user also the user namespace that owns it.
// A helper creates the namespace and is gone when `openRoom` returns. A kill of this process leaves nothing behind.
import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import type { Writable } from "node:stream";
import { promisify } from "node:util";
import { HotcellError } from "../../core/errors.ts";
import { HELPER_ENVIRONMENT } from "../fs/helper-environment.ts";
import { osPath } from "../fs/names.ts";

export interface Room {
  readonly mountNamespace: number;
  /** Null as root: in a user namespace, root could not write files of other owners. */
  readonly userNamespace: number | null;
  close(): void;
  /** Closes in another thread: the last close of a view waits until the kernel has dropped its cached entries. */
  leave(): Promise<void>;
}

const closeLater = promisify(fs.close);

/** The end of a helper's script: it reports that the namespace is ready and the pid by which it can be opened, then waits. */
export const STAY = "echo $$ && read -r _";

/**
 * Runs a program in a new mount namespace, then calls `hold` while the helper keeps the namespace alive.
 * Within another namespace, the new one begins with that namespace's mounts.
 */
export async function openRoom<T>(
  program: HelperProgram,
  within: Room | null,
  hold: (room: Room, pid: number) => T,
): Promise<T> {
  const line = [...enterArgs(within), ...unshareArgs(within), ...program.argv];
  const helper = spawn(line[0]!, line.slice(1), {
    env: HELPER_ENVIRONMENT,
    stdio: ["pipe", "pipe", "pipe", "pipe"],
  });
  const input = helper.stdio[INPUT] as Writable;
  // A helper that ends before it has read all input is reported by its exit.
  input.on("error", () => {});
  input.end(program.input);
  try {
    return holdRoom(await readPid(helper), hold);
  } finally {
    helper.kill("SIGKILL");
  }
}

export interface HelperProgram {
  readonly argv: readonly string[];
  /** The program can read this from descriptor 3. */
  readonly input?: Uint8Array;
}

const INPUT = 3;

/** The command line that enters a namespace before it runs the rest. */
export function enterArgs(room: Room | null, more: readonly string[] = []): string[] {
  if (room === null) return [];
  const at = (fd: number) => `/proc/${process.pid}/fd/${fd}`;
  const user =
    room.userNamespace === null ? [] : [`--user=${at(room.userNamespace)}`, "--preserve-credentials"];
  return ["nsenter", ...user, `--mount=${at(room.mountNamespace)}`, ...more, "--"];
}

export function unshareArgs(within: Room | null): string[] {
  const user = within === null && !isRoot() ? ["--user", "--map-root-user"] : [];
  return ["unshare", "--mount", "--propagation", "private", ...user];
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function readPid(helper: ChildProcess): Promise<number> {
  let errors = "";
  helper.stderr!.on("data", (chunk) => {
    errors += chunk;
  });
  return new Promise((resolve, reject) => {
    helper.stdout!.once("data", (pid) => resolve(Number(pid)));
    helper.on("error", (error) => reject(cannotOpen(error.message)));
    helper.on("close", () => reject(cannotOpen(errors)));
  });
}

function cannotOpen(reason: string): HotcellError {
  const shown = reason
    .trim()
    .replace(/\.+$/, "")
    .replace(/\s*\n\s*/g, "; ");
  return new HotcellError("NOT_SUPPORTED", `Could not mount the session's view: ${shown}.`);
}

function holdRoom<T>(pid: number, hold: (room: Room, pid: number) => T): T {
  const held: number[] = [];
  const open = (name: string): number => {
    const fd = fs.openSync(`/proc/${pid}/ns/${name}`, fs.constants.O_RDONLY);
    held.push(fd);
    return fd;
  };
  const close = () => {
    for (const fd of held.splice(0)) fs.closeSync(fd);
  };
  const leave = async () => {
    await Promise.all(held.splice(0).map((fd) => closeLater(fd)));
  };
  try {
    const room = { mountNamespace: open("mnt"), userNamespace: isRoot() ? null : open("user"), close, leave };
    return hold(room, pid);
  } catch (error) {
    close();
    throw error;
  }
}

/** Mount points in a prepared namespace: the view, and scratch directories that exist as long as the namespace. No project is below /sys. */
export const FURNITURE = {
  view: "/sys/view",
  home: "/sys/home",
  tmp: "/sys/tmp",
  shm: "/sys/shm",
  /** The root directory, which is the same for every command. */
  root: "/sys/root",
} as const;

export interface Furnishing {
  /** The view's directory, as a path in the namespace. */
  readonly view: string;
  /** Size of home, /tmp and /dev/shm together. */
  readonly scratchBytes: number;
  readonly owner: { readonly uid: number; readonly gid: number };
  /** The arguments with which bubblewrap builds the root. */
  readonly root: readonly string[];
}

const PREPARE = `mount -t tmpfs -o "$1" hotcell /sys && cd /sys && mkdir -m 700 home && mkdir -m 1777 tmp shm &&
chown "$2" home && exec bwrap --args ${INPUT} -- sh -c "$3"`;

/** A mount namespace with a home and temporary directories in memory, limited in size. */
export function furnishRoom(within: Room | null, furnishing: Furnishing): Promise<Room> {
  const { uid, gid } = isRoot() ? furnishing.owner : { uid: 0, gid: 0 };
  const options = `size=${furnishing.scratchBytes},mode=0755`;
  const argv = ["sh", "-c", PREPARE, "sh", options, `${uid}:${gid}`, STAY];
  return openRoom({ argv, input: argumentsText(mountPointArgs(furnishing)) }, within, (room) => room);
}

/** bubblewrap also sets the flags of mounts below a directory, and is faster than one program for each mount. */
function mountPointArgs({ view, root }: Furnishing): string[] {
  return [
    ...["--die-with-parent", "--dev-bind", "/", "/"],
    ...["--bind", view, FURNITURE.view],
    ...["--size", `${ROOT_BYTES}`, "--tmpfs", FURNITURE.root],
    ...root,
    ...["--remount-ro", FURNITURE.root],
  ];
}

/** Enough for directories and links, which is all the root contains. */
const ROOT_BYTES = 1024 * 1024;

/** The format of bubblewrap's `--args`. */
export function argumentsText(args: readonly string[]): Uint8Array {
  if (args.some((arg) => arg.includes("\0"))) throw hasNul();
  return Buffer.from(osPath(args.map((arg) => `${arg}\0`).join("")));
}

/** The text after a NUL would become a separate argument. */
export function hasNul(): HotcellError {
  const message =
    "Could not start the command: one of its words or variables has a NUL, which no argument can hold. Remove it.";
  return new HotcellError("INVALID_ARGUMENTS", message);
}
