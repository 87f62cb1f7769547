// A mount namespace, held by descriptors; for an ordinary user also the user namespace that owns it.
// A helper creates the namespace and is gone when `openMountNamespace` returns. A kill of this process leaves nothing behind.
import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import type { Writable } from "node:stream";
import { promisify } from "node:util";
import { HotcellError } from "../../core/errors.ts";
import { HELPER_OPTIONS } from "../fs/helper-environment.ts";
import { osPath } from "../fs/names.ts";
import type { RepositoryOverlay } from "../layers/repository-layer.ts";
import { MOUNT_REPOSITORY, REPOSITORY_MOUNT_POINT, repositoryArgs } from "./repository-mount.ts";

export interface MountNamespace {
  readonly mountFd: number;
  /** Null as root: in a user namespace, root could not write files of other owners. */
  readonly userFd: number | null;
  close(): void;
  /** Closes in another thread: the last close of a view waits until the kernel has dropped its cached entries. */
  closeInBackground(): Promise<void>;
}

const closeAsync = promisify(fs.close);

/** The end of a helper's script: it reports that the namespace is ready and the pid by which it can be opened, then waits. */
export const REPORT_AND_WAIT = "echo $$ && read -r _";

/**
 * Runs a program in a new mount namespace, then calls `hold` while the helper keeps the namespace alive.
 * Within another namespace, the new one begins with that namespace's mounts.
 */
export async function openMountNamespace<T>(
  program: HelperProgram,
  within: MountNamespace | null,
  hold: (mountNamespace: MountNamespace, pid: number) => T,
): Promise<T> {
  const line = [...enterArgs(within), ...unshareArgs(within), ...program.argv];
  const helper = spawn(line[0]!, line.slice(1), {
    ...HELPER_OPTIONS,
    stdio: ["pipe", "pipe", "pipe", "pipe"],
  });
  const input = helper.stdio[INPUT] as Writable;
  // A helper that ends before it has read all input is reported by its exit.
  input.on("error", () => {});
  input.end(program.input);
  try {
    return holdNamespace(await readPid(helper), hold);
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
export function enterArgs(mountNamespace: MountNamespace | null, more: readonly string[] = []): string[] {
  if (mountNamespace === null) return [];
  const at = (fd: number) => `/proc/${process.pid}/fd/${fd}`;
  const user =
    mountNamespace.userFd === null ? [] : [`--user=${at(mountNamespace.userFd)}`, "--preserve-credentials"];
  return ["nsenter", ...user, `--mount=${at(mountNamespace.mountFd)}`, ...more, "--"];
}

export function unshareArgs(within: MountNamespace | null): string[] {
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

function holdNamespace<T>(pid: number, hold: (mountNamespace: MountNamespace, pid: number) => T): T {
  const held: number[] = [];
  const open = (name: string): number => {
    const fd = fs.openSync(`/proc/${pid}/ns/${name}`, fs.constants.O_RDONLY);
    held.push(fd);
    return fd;
  };
  const close = () => {
    for (const fd of held.splice(0)) fs.closeSync(fd);
  };
  const closeInBackground = async () => {
    await Promise.all(held.splice(0).map((fd) => closeAsync(fd)));
  };
  try {
    const mountNamespace = {
      mountFd: open("mnt"),
      userFd: isRoot() ? null : open("user"),
      close,
      closeInBackground,
    };
    return hold(mountNamespace, pid);
  } catch (error) {
    close();
    throw error;
  }
}

/** Mount points in a prepared namespace: the view, and scratch directories that exist as long as the namespace. No project is below /sys. */
export const MOUNT_POINTS = {
  view: "/sys/view",
  /** The repository of a worktree or a submodule; empty if the project has no such repository. */
  repository: REPOSITORY_MOUNT_POINT,
  home: "/sys/home",
  tmp: "/sys/tmp",
  shm: "/sys/shm",
  /** The file that commands see as /etc/hosts. */
  hosts: "/sys/hosts",
  /** The root directory, which is the same for every command. */
  root: "/sys/root",
} as const;

export interface MountPointOptions {
  /** The view's directory, as a path in the namespace. */
  readonly view: string;
  readonly repository: RepositoryOverlay | null;
  /** Size of home, /tmp and /dev/shm together. */
  readonly scratchBytes: number;
  readonly owner: { readonly uid: number; readonly gid: number };
  /** The content of `.gitconfig` in the home; empty for no file. */
  readonly gitConfig: string;
  /** The arguments with which bubblewrap builds the root. */
  readonly root: readonly string[];
  /** The content of that file. */
  readonly hosts: string;
}

const PREPARE = `mount -t tmpfs -o "$1" hotcell /sys && cd /sys && mkdir -m 700 home repository && mkdir -m 1777 tmp shm &&
printf %s "$8" > hosts && { [ -z "$4" ] || printf %s "$4" > home/.gitconfig; } && chown -R "$2" home &&
${MOUNT_REPOSITORY} && exec bwrap --args ${INPUT} -- sh -c "$3"`;

/** A mount namespace with a home and temporary directories in memory, limited in size. */
export function openPreparedNamespace(
  within: MountNamespace | null,
  options: MountPointOptions,
): Promise<MountNamespace> {
  const { uid, gid } = isRoot() ? options.owner : { uid: 0, gid: 0 };
  const tmpfsOptions = `size=${options.scratchBytes},mode=0755`;
  const { gitConfig, hosts, repository } = options;
  const own = [tmpfsOptions, `${uid}:${gid}`, REPORT_AND_WAIT, gitConfig];
  const argv = ["sh", "-c", PREPARE, "sh", ...own, ...repositoryArgs(repository), hosts];
  return openMountNamespace(
    { argv, input: argumentsText(mountPointArgs(options)) },
    within,
    (opened) => opened,
  );
}

/** bubblewrap also sets the flags of mounts below a directory, and is faster than one program for each mount. */
function mountPointArgs({ view, root }: MountPointOptions): string[] {
  return [
    ...["--die-with-parent", "--dev-bind", "/", "/"],
    ...["--bind", view, MOUNT_POINTS.view],
    ...["--size", `${ROOT_BYTES}`, "--tmpfs", MOUNT_POINTS.root],
    ...root,
    ...["--remount-ro", MOUNT_POINTS.root],
  ];
}

/** Enough for directories and links, which is all the root contains. */
const ROOT_BYTES = 1024 * 1024;

/** The format of bubblewrap's `--args`. */
export function argumentsText(args: readonly string[]): Uint8Array {
  if (args.some((arg) => arg.includes("\0"))) throw nulError();
  return Buffer.from(osPath(args.map((arg) => `${arg}\0`).join("")));
}

/** The text after a NUL would become a separate argument. */
export function nulError(): HotcellError {
  const message =
    "Could not start the command: one of its words or variables has a NUL, which no argument can hold. Remove it.";
  return new HotcellError("INVALID_ARGUMENTS", message);
}
