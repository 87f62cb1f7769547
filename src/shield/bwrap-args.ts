// What bubblewrap is told about one command, as data to arguments. Nothing here runs anything.
import { FURNITURE } from "../workspace/overlay/room.ts";
import type { Hidden, SystemRoot } from "./system-root.ts";

/** Where everything is for one command, as seen from the room in which bubblewrap starts. */
export interface Enclosure {
  /** The directory that is the cell's view of the files, and the path at which commands see it. */
  readonly view: string;
  readonly project: string;
  readonly system: SystemRoot;
  /** Paths that are kept from commands. */
  readonly masked: readonly Hidden[];
  readonly uid: number;
  readonly gid: number;
  readonly cwd: string;
  readonly readOnly: boolean;
  readonly env: Readonly<Record<string, string>>;
}

export interface Descriptors {
  readonly seccomp: number;
  readonly status: number;
}

const HOME = "/home/cell";

export const BASE_ENV = {
  HOME,
  LANG: "C.UTF-8",
  TERM: "dumb",
  TMPDIR: "/tmp",
  SHELL: "/bin/bash",
  USER: "cell",
  LOGNAME: "cell",
  // git clones a path by hard links, and takes a new inode number for foul play; an overlay without root's rights gives one.
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "url.file:///.insteadOf",
  GIT_CONFIG_VALUE_0: "/",
};

export function bwrapArgs(enclosure: Enclosure, { seccomp, status }: Descriptors): string[] {
  return [
    ...NAMESPACES,
    ...["--uid", `${enclosure.uid}`, "--gid", `${enclosure.gid}`],
    ...systemArgs(enclosure.system),
    ...DEVICES,
    ...scratchArgs(enclosure.project),
    ...[enclosure.readOnly ? "--ro-bind" : "--bind", enclosure.view, enclosure.project],
    ...enclosure.masked.flatMap(hide),
    ...["--remount-ro", "/"],
    ...["--clearenv", ...Object.entries(enclosure.env).flatMap(([name, value]) => ["--setenv", name, value])],
    ...["--chdir", enclosure.cwd],
    ...["--seccomp", `${seccomp}`, "--json-status-fd", `${status}`],
  ];
}

/** The network namespace is the cell's own, entered before. */
const NAMESPACES = [
  "--unshare-user",
  "--unshare-pid",
  "--unshare-ipc",
  "--unshare-uts",
  "--unshare-cgroup-try",
  "--disable-userns",
  "--die-with-parent",
  "--new-session",
  "--cap-drop",
  "ALL",
  "--hostname",
  "cell",
];

/** Without the second mount, who starts this as root could have the kernel's settings changed from inside. */
const DEVICES = [
  "--dev-bind",
  FURNITURE.dev,
  "/dev",
  "--proc",
  "/proc",
  "--ro-bind",
  "/proc/sys",
  "/proc/sys",
];

function systemArgs({ shown, links }: SystemRoot): string[] {
  return [
    ...shown.flatMap((at) => ["--ro-bind", at === "/etc" ? FURNITURE.etc : at, at]),
    ...links.flatMap(({ at, to }) => ["--symlink", to, at]),
  ];
}

function hide({ at, kind }: Hidden): string[] {
  if (kind === "file") return ["--ro-bind", "/dev/null", at];
  return ["--perms", "0000", "--size", "4096", "--tmpfs", at, "--remount-ro", at];
}

/**
 * Lives as long as the cell. But where the project is below it, each command has one of its own: the way to the
 * project is made by bubblewrap, outside of everything, and must not lead through what another command has made.
 */
function scratchArgs(project: string): string[] {
  const kept = (at: string, from: string) =>
    isBelow(project, at) ? ["--size", `${OWN_SCRATCH_BYTES}`, "--tmpfs", at] : ["--bind", from, at];
  return [
    ...kept("/tmp", FURNITURE.tmp),
    ...kept("/dev/shm", FURNITURE.shm),
    ...kept(HOME, FURNITURE.home),
    ...["--dir", "/run", "--dir", "/var"],
    ...(isBelow(project, "/var/tmp") ? [] : ["--symlink", "../tmp", "/var/tmp"]),
  ];
}

const OWN_SCRATCH_BYTES = 256 * 1024 * 1024;

function isBelow(at: string, directory: string): boolean {
  return at === directory || at.startsWith(`${directory}/`);
}
