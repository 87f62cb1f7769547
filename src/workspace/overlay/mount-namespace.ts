// A room: a mount namespace, and for an ordinary user the user namespace that owns it, held by descriptors.
// The helper that makes it is gone when this returns; nothing is left behind when this process is killed.
import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import type { Writable } from "node:stream";
import { promisify } from "node:util";
import { HotcellError } from "../../core/errors.ts";
import { HELPER_ENVIRONMENT } from "../fs/helper-environment.ts";
import { osPath } from "../fs/names.ts";

export interface Room {
  readonly mountNamespace: number;
  /** Null as root: a user namespace could not write files of other owners. */
  readonly userNamespace: number | null;
  close(): void;
  /** The same by another thread: who closes a view last waits until the kernel has forgotten all that was looked at. */
  leave(): Promise<void>;
}

const closeLater = promisify(fs.close);

/** What a room is made by says that it is ready, and by which process it can be held, and waits. */
export const STAY = "echo $$ && read -r _";

/**
 * Runs a program in a new room, and then, while the room is sure to be there, what holds on to it.
 * Within another room, the new one begins with its mounts.
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
  // Whoever ended before it has read everything says so by its exit.
  input.on("error", () => {});
  input.end(program.input);
  try {
    return holdRoom(await ready(helper), hold);
  } finally {
    helper.kill("SIGKILL");
  }
}

export interface HelperProgram {
  readonly argv: readonly string[];
  /** What it can read from descriptor 3. */
  readonly input?: Uint8Array;
}

const INPUT = 3;

/** The command line that goes into a room before it runs the rest. */
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

function ready(helper: ChildProcess): Promise<number> {
  let said = "";
  helper.stderr!.on("data", (chunk) => {
    said += chunk;
  });
  return new Promise((resolve, reject) => {
    helper.stdout!.once("data", (pid) => resolve(Number(pid)));
    helper.on("error", (error) => reject(cannotOpen(error.message)));
    helper.on("close", () => reject(cannotOpen(said)));
  });
}

function cannotOpen(reason: string): HotcellError {
  const said = reason
    .trim()
    .replace(/\.+$/, "")
    .replace(/\s*\n\s*/g, "; ");
  return new HotcellError("NOT_SUPPORTED", `Could not mount the session's view: ${said}.`);
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

/** In a furnished room: what commands work on, and what is theirs as long as the room lasts. Nobody's project is below /sys. */
export const FURNITURE = {
  view: "/sys/view",
  home: "/sys/home",
  tmp: "/sys/tmp",
  shm: "/sys/shm",
  /** All that is the same for every command: its root. */
  root: "/sys/root",
} as const;

export interface Furnishing {
  /** The directory that is the view, as seen from the room. */
  readonly view: string;
  /** Of home, /tmp and /dev/shm together. */
  readonly scratchBytes: number;
  readonly owner: { readonly uid: number; readonly gid: number };
  /** What bubblewrap is told to make the root. */
  readonly root: readonly string[];
}

const FURNISH = `mount -t tmpfs -o "$1" hotcell /sys && cd /sys && mkdir -m 700 home && mkdir -m 1777 tmp shm &&
chown "$2" home && exec bwrap --args ${INPUT} -- sh -c "$3"`;

/** A room with a home and temporary directories that are in memory and have a size. */
export function furnishRoom(within: Room | null, furnishing: Furnishing): Promise<Room> {
  const { uid, gid } = isRoot() ? furnishing.owner : { uid: 0, gid: 0 };
  const options = `size=${furnishing.scratchBytes},mode=0755`;
  const argv = ["sh", "-c", FURNISH, "sh", options, `${uid}:${gid}`, STAY];
  return openRoom({ argv, input: argumentsText(furnishArgs(furnishing)) }, within, (room) => room);
}

/** bubblewrap also sets the flags of what is mounted below a directory, and is faster than a program for each mount. */
function furnishArgs({ view, root }: Furnishing): string[] {
  return [
    ...["--die-with-parent", "--dev-bind", "/", "/"],
    ...["--bind", view, FURNITURE.view],
    ...["--size", `${ROOT_BYTES}`, "--tmpfs", FURNITURE.root],
    ...root,
    ...["--remount-ro", FURNITURE.root],
  ];
}

/** Directories and links only. */
const ROOT_BYTES = 1024 * 1024;

/** As bubblewrap reads them. */
export function argumentsText(args: readonly string[]): Uint8Array {
  if (args.some((arg) => arg.includes("\0"))) throw hasNul();
  return Buffer.from(osPath(args.map((arg) => `${arg}\0`).join("")));
}

/** What follows it would be an argument of its own. */
export function hasNul(): HotcellError {
  const message =
    "Could not start the command: one of its words or variables has a NUL, which no argument can hold. Remove it.";
  return new HotcellError("INVALID_ARGUMENTS", message);
}
