// Probes what this machine offers for sandboxes, by trying it.
import { execFile } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { HELPER_ENVIRONMENT } from "../workspace/fs/helper-environment.ts";
import { PACKAGE_MANAGERS, type PackageManager } from "./package-manager.ts";

export interface Machine {
  readonly platform: string;
  readonly arch: string;
  readonly release: string;
  readonly isRoot: boolean;
  readonly container: "docker" | "podman" | null;
  readonly manager: PackageManager | null;
  /** Kernel settings about user namespaces; null if the kernel does not have the setting. */
  readonly settings: Readonly<Record<SettingName, number | null>>;
  readonly namespaces: Attempt;
  /** Null if it is not installed. */
  readonly bubblewrap: Bubblewrap | null;
  /** The missing ones of the other required programs. */
  readonly missing: readonly string[];
  /** The ABI version; 0 if the kernel has no Landlock. */
  readonly landlock: number;
}

export type SettingName =
  | "user.max_user_namespaces"
  | "kernel.unprivileged_userns_clone"
  | "kernel.apparmor_restrict_unprivileged_userns";

/** Null on success, otherwise the error text. */
export type Attempt = string | null;

export interface Bubblewrap {
  readonly version: string;
  readonly isSetuid: boolean;
  /** Whether it can create a sandbox with its own pid and network namespaces and its own /proc. */
  readonly runs: Attempt;
}

/** The program that the Landlock tier needs; the others are for namespaces. */
export const LANDLOCK_PROGRAM = "perl";

/** The required programs, with the packages that contain them. */
export const PROGRAMS: ReadonlyMap<string, string> = new Map([
  ["unshare", "util-linux"],
  ["nsenter", "util-linux"],
  ["prlimit", "util-linux"],
  [LANDLOCK_PROGRAM, "perl"],
]);

export function packagesOf(programs: readonly string[]): string[] {
  return [...new Set(programs.map((program) => PROGRAMS.get(program)!))];
}

export async function probeMachine(): Promise<Machine> {
  const isRoot = process.getuid?.() === 0;
  return {
    platform: process.platform,
    arch: process.arch,
    release: os.release(),
    isRoot,
    container: findContainer(),
    manager: PACKAGE_MANAGERS.find(({ program }) => findProgram(program) !== null) ?? null,
    settings: {
      "user.max_user_namespaces": readSetting("user.max_user_namespaces"),
      "kernel.unprivileged_userns_clone": readSetting("kernel.unprivileged_userns_clone"),
      "kernel.apparmor_restrict_unprivileged_userns": readSetting(
        "kernel.apparmor_restrict_unprivileged_userns",
      ),
    },
    namespaces: await attempt(isRoot ? [...MOUNTS, ...USERS, "true"] : [...USERS, ...MOUNTS, "true"]),
    bubblewrap: await probeBubblewrap(),
    missing: [...PROGRAMS.keys()].filter((program) => findProgram(program) === null),
    landlock: await probeLandlock(),
  };
}

// As root, the mount namespace comes first: it must not belong to the user namespace.
const MOUNTS = ["unshare", "--mount", "--propagation", "private"];
const USERS = ["unshare", "--user", "--map-root-user"];

const SANDBOX_ARGS = [
  "--unshare-user",
  "--unshare-pid",
  "--unshare-net",
  "--ro-bind",
  "/",
  "/",
  "--proc",
  "/proc",
];

async function probeBubblewrap(): Promise<Bubblewrap | null> {
  const program = findProgram("bwrap");
  if (program === null) return null;
  const { out } = await run(["bwrap", "--version"]);
  return {
    version: /\d+(?:\.\d+)+/.exec(out)?.[0] ?? "0",
    isSetuid: (fs.statSync(program).mode & 0o4000) !== 0,
    runs: await attempt(["bwrap", ...SANDBOX_ARGS, "--", "true"]),
  };
}

/** Asks landlock_create_ruleset for the ABI version. The system call has the same number on every architecture. */
async function probeLandlock(): Promise<number> {
  const { out } = await run(["perl", "-e", "print syscall(444, 0, 0, 1)"]);
  return Math.max(0, Number(out));
}

function findContainer(): Machine["container"] {
  if (fs.existsSync("/run/.containerenv")) return "podman";
  return fs.existsSync("/.dockerenv") ? "docker" : null;
}

function findProgram(name: string): string | null {
  const places = HELPER_ENVIRONMENT.PATH.split(":").map((dir) => path.join(dir, name));
  return places.find(canRun) ?? null;
}

function canRun(at: string): boolean {
  try {
    fs.accessSync(at, fs.constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function readSetting(name: SettingName): number | null {
  try {
    return Number(fs.readFileSync(`/proc/sys/${name.replaceAll(".", "/")}`, "utf8"));
  } catch {
    return null;
  }
}

async function attempt(argv: readonly string[]): Promise<Attempt> {
  const { failure } = await run(argv);
  return failure;
}

const TIMEOUT_MS = 10_000;

interface Ran {
  readonly out: string;
  readonly failure: Attempt;
}

function run([program, ...args]: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(program!, args, { env: HELPER_ENVIRONMENT, timeout: TIMEOUT_MS }, (error, out, said) => {
      const failure = error === null ? null : said.trim().split("\n")[0] || error.message;
      resolve({ out, failure });
    });
  });
}
