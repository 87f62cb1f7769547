// What bubblewrap is told about commands, as data to arguments. Nothing here runs anything.
import path from "node:path";
import { FURNITURE } from "../../workspace/overlay/mount-namespace.ts";
import { IGNORE_FILE_IDENTITY } from "./git-settings.ts";
import type { Hidden, SystemRoot } from "./system-root.ts";

/** What the root of all commands of a cell is made of. */
export interface CommonRoot {
  /** The path at which commands see the cell's view of the files. */
  readonly project: string;
  /** A directory beside the project that commands may read. */
  readonly storage: string | null;
  readonly system: SystemRoot;
  /** What is kept from commands in the system's directories. */
  readonly hidden: readonly Hidden[];
}

/** Where everything is for one command, as seen from the room in which bubblewrap starts. */
export interface Enclosure {
  readonly project: string;
  readonly storage: string | null;
  /** Paths that are kept from commands where the view has them. */
  readonly masked: readonly Hidden[];
  readonly uid: number;
  readonly gid: number;
  readonly readOnly: boolean;
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
  // git status would write the index anew where only times differ: a change of the session that nobody asked for.
  GIT_OPTIONAL_LOCKS: "0",
};

export const GIT_SETTINGS = [
  // git clones a path by hard links, and takes a new inode number for foul play; an overlay without root's rights gives one.
  ["url.file:///.insteadOf", "/"],
  IGNORE_FILE_IDENTITY,
] as const;

/** The root in a furnished room, which is made once; each command gets it with what it was told here. */
export function rootArgs({ project, storage, system, hidden }: CommonRoot): string[] {
  const places = placesOf({ project, storage });
  const isOwn = (scratch: string) => places.some((at) => isBelow(at, scratch));
  return [
    ...systemArgs(system),
    ...["--dev", inRoot("/dev"), "--dir", inRoot("/proc"), "--dir", inRoot("/run"), "--dir", inRoot("/var")],
    ...SCRATCH.flatMap(({ at, from }) =>
      isOwn(at) ? ["--dir", inRoot(at)] : bindInRoot("--bind", from, at),
    ),
    ...(isOwn("/var/tmp") ? [] : ["--symlink", "../tmp", inRoot("/var/tmp")]),
    ...hidden.flatMap(({ at, kind }) => hide({ at: inRoot(at), kind })),
    ...places.flatMap((at) => ["--dir", inRoot(at)]),
    ...["--remount-ro", inRoot("/dev")],
  ];
}

function placesOf({ project, storage }: Pick<CommonRoot, "project" | "storage">): string[] {
  return storage === null ? [project] : [storage, project];
}

function inRoot(at: string): string {
  return FURNITURE.root + at;
}

/** Whoever the command runs as may go there: bubblewrap itself makes the way to a mount for its own user alone. */
function bindInRoot(option: "--bind" | "--ro-bind", from: string, at: string): string[] {
  return ["--dir", inRoot(path.dirname(at)), option, from, inRoot(at)];
}

export function bwrapArgs(enclosure: Enclosure, { seccomp, status }: Descriptors): string[] {
  return [
    ...NAMESPACES,
    ...["--uid", `${enclosure.uid}`, "--gid", `${enclosure.gid}`],
    ...["--dev-bind", FURNITURE.root, "/"],
    ...PROC,
    ...ownScratchArgs(placesOf(enclosure)),
    ...(enclosure.storage === null ? [] : ["--ro-bind", enclosure.storage, enclosure.storage]),
    ...[enclosure.readOnly ? "--ro-bind" : "--bind", FURNITURE.view, enclosure.project],
    ...enclosure.masked.flatMap(hide),
    "--clearenv",
    ...["--chdir", enclosure.project],
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
const PROC = ["--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys"];

function systemArgs({ shown, links }: SystemRoot): string[] {
  return [
    ...shown.flatMap((at) => bindInRoot("--ro-bind", at, at)),
    ...links.flatMap(({ at, to }) => ["--symlink", to, inRoot(at)]),
  ];
}

function hide({ at, kind }: Hidden): string[] {
  if (kind === "file") return ["--ro-bind", "/dev/null", at];
  return ["--perms", "0000", "--size", "4096", "--tmpfs", at, "--remount-ro", at];
}

/** Lives as long as the cell. */
const SCRATCH = [
  { at: "/tmp", from: FURNITURE.tmp },
  { at: "/dev/shm", from: FURNITURE.shm },
  { at: HOME, from: FURNITURE.home },
];

/**
 * But where the project or the storage is below it, each command has one of its own: the way there is made by
 * bubblewrap, outside of everything, and must not lead through what another command has made.
 */
function ownScratchArgs(places: readonly string[]): string[] {
  const own = SCRATCH.filter(({ at }) => places.some((place) => isBelow(place, at)));
  return own.flatMap(({ at }) => ["--size", `${OWN_SCRATCH_BYTES}`, "--tmpfs", at]);
}

const OWN_SCRATCH_BYTES = 256 * 1024 * 1024;

export function isBelow(at: string, directory: string): boolean {
  return at === directory || at.startsWith(`${directory}/`);
}
