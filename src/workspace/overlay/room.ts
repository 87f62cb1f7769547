// A room: a mount namespace, and for an ordinary user the user namespace that owns it, held by descriptors.
// The helper that makes it is gone when this returns; nothing is left behind when this process is killed.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import fs from "node:fs";
import { HotcellError } from "../../core/errors.ts";

export interface Room {
  readonly mountNamespace: number;
  /** Null as root: a user namespace could not write files of other owners. */
  readonly userNamespace: number | null;
  close(): void;
}

export const ENVIRONMENT = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C" };

/**
 * Runs a shell script in a new room, and then, while the room is sure to be there, what holds on to it.
 * Within another room, the new one begins with its mounts.
 */
export async function openRoom<T>(
  script: string,
  args: readonly string[],
  within: Room | null,
  hold: (room: Room, pid: number) => T,
): Promise<T> {
  const line = [
    ...enterArgs(within),
    ...unshareArgs(within),
    "sh",
    "-c",
    `${script} && echo ready && read _`,
  ];
  const helper = spawn(line[0]!, [...line.slice(1), "sh", ...args], { env: ENVIRONMENT });
  try {
    await ready(helper);
    return holdRoom(helper.pid!, hold);
  } finally {
    helper.kill("SIGKILL");
  }
}

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

function ready(helper: ChildProcessWithoutNullStreams): Promise<void> {
  let said = "";
  helper.stderr.on("data", (chunk) => {
    said += chunk;
  });
  return new Promise((resolve, reject) => {
    helper.stdout.once("data", () => resolve());
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
  try {
    const room = { mountNamespace: open("mnt"), userNamespace: isRoot() ? null : open("user"), close };
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
  dev: "/sys/dev",
  etc: "/sys/etc",
} as const;

// What can be made once is not made for each command: its devices, and /etc without what is hidden in it.
const FURNISH = `mount -t tmpfs -o "$1" hotcell /sys && cd /sys && mkdir view etc dev && mkdir -m 700 home &&
mkdir -m 1777 tmp shm && chown "$2" home && mount -t tmpfs -o size=64k,mode=0755 hotcell dev && mkdir dev/pts dev/shm && mount --rbind "$3" view && mount --rbind /etc etc &&
for device in null zero full random urandom tty; do
  : > "dev/$device" && mount --bind "/dev/$device" "dev/$device" || exit 1
done && mount -t devpts -o newinstance,ptmxmode=0666,mode=620 hotcell dev/pts && ln -s pts/ptmx dev/ptmx &&
ln -s /proc/self/fd dev/fd && ln -s fd/0 dev/stdin && ln -s fd/1 dev/stdout && ln -s fd/2 dev/stderr && mount -o remount,bind,ro dev &&
shift 3 && for at; do
  if [ -d "/sys$at" ]; then mount -t tmpfs -o ro,size=4k,mode=0 hotcell "/sys$at"
  else mount --bind /dev/null "/sys$at"; fi || exit 1
done`;

export interface Furnishing {
  /** The directory that is the view, as seen from the room. */
  readonly view: string;
  /** Of home, /tmp and /dev/shm together. */
  readonly scratchBytes: number;
  readonly owner: { readonly uid: number; readonly gid: number };
  /** Paths in /etc that are covered. */
  readonly hidden: readonly string[];
}

/** A room with a home and temporary directories that are in memory and have a size. */
export function furnishRoom(
  within: Room | null,
  { view, scratchBytes, owner, hidden }: Furnishing,
): Promise<Room> {
  const options = `size=${scratchBytes},mode=0755`;
  const chown = isRoot() ? `${owner.uid}:${owner.gid}` : "0:0";
  return openRoom(FURNISH, [options, chown, view, ...hidden], within, (room) => room);
}
