// Builds bubblewrap's arguments. Nothing here starts a process.
import path from "node:path";
import { isBelow } from "../../workspace/fs/path-text.ts";
import { MOUNT_POINTS } from "../../workspace/overlay/mount-namespace.ts";
import { IGNORE_FILE_IDENTITY } from "./git-settings.ts";
import type { Hidden, SystemRoot } from "./system-root.ts";

/** The parts of the root directory that all commands of a cell share. */
export interface CommonRoot {
  /** The path at which commands see the cell's view of the files. */
  readonly project: string;
  /** A directory outside the project that commands may read. */
  readonly storage: string | null;
  /** The path at which commands see the repository of a worktree or a submodule. */
  readonly repository: string | null;
  /** A directory that lasts, as the home; null for one in memory. */
  readonly home: string | null;
  readonly system: SystemRoot;
  /** Paths in the system's directories that are hidden from commands. */
  readonly hidden: readonly Hidden[];
  /** Whether commands see the cell's own `/etc/hosts`. */
  readonly hasOwnHosts: boolean;
}

/** The sandbox of one command. The paths are those of the mount namespace in which bubblewrap starts. */
export interface SandboxOptions {
  readonly project: string;
  readonly storage: string | null;
  readonly repository: string | null;
  /** Paths in the view or the storage that are hidden from commands. */
  readonly masked: readonly Hidden[];
  readonly uid: number;
  readonly gid: number;
  readonly readOnly: boolean;
}

export interface Descriptors {
  readonly seccomp: number;
  readonly status: number;
}

export const HOME = "/home/cell";
export const HOSTS_FILE = "/etc/hosts";

export const BASE_ENV = {
  HOME,
  LANG: "C.UTF-8",
  TERM: "dumb",
  TMPDIR: "/tmp",
  SHELL: "/bin/bash",
  USER: "cell",
  LOGNAME: "cell",
  // Otherwise git status would rewrite the index if only times differ: an unrequested change in the session.
  GIT_OPTIONAL_LOCKS: "0",
};

export const GIT_SETTINGS = [
  // git clones a path by hard links and fails if the inode number changes. An unprivileged overlay changes it.
  ["url.file:///.insteadOf", "/"],
  IGNORE_FILE_IDENTITY,
] as const;

/** The root directory, mounted once in the mount namespace of the view; every command gets it. */
export function rootArgs({ system, home, hidden, hasOwnHosts, ...own }: CommonRoot): string[] {
  const places = ownPlaces(own);
  const isOwn = (scratch: string) => places.some((at) => isBelow(at, scratch));
  return [
    ...systemArgs(system),
    ...(hasOwnHosts ? ["--ro-bind", MOUNT_POINTS.hosts, inRoot(HOSTS_FILE)] : []),
    ...["--dev", inRoot("/dev"), "--dir", inRoot("/proc"), "--dir", inRoot("/run"), "--dir", inRoot("/var")],
    ...SCRATCH.flatMap(({ at, from }) =>
      isOwn(at) ? ["--dir", inRoot(at)] : bindInRoot("--bind", at === HOME ? (home ?? from) : from, at),
    ),
    ...(isOwn("/var/tmp") ? [] : ["--symlink", "../tmp", inRoot("/var/tmp")]),
    ...hidden.flatMap(({ at, kind }) => hide({ at: inRoot(at), kind })),
    ...places.flatMap((at) => ["--dir", inRoot(at)]),
    ...["--remount-ro", inRoot("/dev")],
  ];
}

type OwnPlaces = Pick<CommonRoot, "project" | "storage" | "repository">;

function ownPlaces({ project, storage, repository }: OwnPlaces): string[] {
  return [storage, repository, project].filter((at) => at !== null);
}

function inRoot(at: string): string {
  return MOUNT_POINTS.root + at;
}

/** Creates the parent with --dir, so that any user may enter it: bubblewrap makes implicit parents for its own user only. */
function bindInRoot(option: "--bind" | "--ro-bind", from: string, at: string): string[] {
  return ["--dir", inRoot(path.dirname(at)), option, from, inRoot(at)];
}

export function bwrapArgs(options: SandboxOptions, { seccomp, status }: Descriptors): string[] {
  const bind = options.readOnly ? "--ro-bind" : "--bind";
  return [
    ...NAMESPACES,
    ...["--uid", `${options.uid}`, "--gid", `${options.gid}`],
    ...["--dev-bind", MOUNT_POINTS.root, "/"],
    ...PROC,
    ...ownScratchArgs(ownPlaces(options)),
    ...(options.storage === null ? [] : ["--ro-bind", options.storage, options.storage]),
    ...(options.repository === null ? [] : [bind, MOUNT_POINTS.repository, options.repository]),
    ...[bind, MOUNT_POINTS.view, options.project],
    ...options.masked.flatMap(hide),
    "--clearenv",
    ...["--chdir", options.project],
    ...["--seccomp", `${seccomp}`, "--json-status-fd", `${status}`],
  ];
}

/** No --unshare-net: the process has already entered the cell's network namespace. */
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

/** Without the read-only mount, a command could change kernel settings if hotcell runs as root. */
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

/** Shared by all commands; exists as long as the cell. */
const SCRATCH = [
  { at: "/tmp", from: MOUNT_POINTS.tmp },
  { at: "/dev/shm", from: MOUNT_POINTS.shm },
  { at: HOME, from: MOUNT_POINTS.home },
];

/**
 * If the project, the storage or the repository is below a scratch directory, each command gets its own scratch directory instead.
 * bubblewrap creates the mount point before the sandbox is complete; its path must not go through entries that another
 * command made.
 */
function ownScratchArgs(places: readonly string[]): string[] {
  const own = SCRATCH.filter(({ at }) => places.some((place) => isBelow(place, at)));
  return own.flatMap(({ at }) => ["--size", `${OWN_SCRATCH_BYTES}`, "--tmpfs", at]);
}

const OWN_SCRATCH_BYTES = 256 * 1024 * 1024;
