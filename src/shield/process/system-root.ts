// The part of the host's system that a command sees read-only: programs, libraries, settings. It never includes files
// that not everybody may read.
import fs from "node:fs";
import path from "node:path";
import type { UserToolchains } from "../host/user-toolchains.ts";

export interface SystemRoot {
  /** Directories that appear at the same path. */
  readonly shown: readonly string[];
  readonly links: readonly SystemLink[];
  readonly searchPath: string;
}

export interface SystemLink {
  readonly at: string;
  readonly to: string;
}

export interface Hidden {
  readonly at: string;
  readonly kind: "file" | "directory";
}

/** The user that a command runs as. */
export interface Reader {
  readonly uid: number;
  readonly groups: readonly number[];
}

/** This process's own user. */
export function ownReader(): Reader {
  return { uid: process.getuid!(), groups: [process.getgid!(), ...process.getgroups!()] };
}

const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix"];
export const SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Directories outside the system that commands may read and run from. */
export interface Toolchains {
  readonly named: readonly string[];
  /** Of the user's PATH. */
  readonly user: Pick<UserToolchains, "directories" | "path">;
}

export function readSystemRoot({ named, user }: Toolchains): SystemRoot {
  const found = SYSTEM.map((at) => ({ at, stat: fs.lstatSync(at, { throwIfNoEntry: false }) }));
  const links = found
    .filter(({ stat }) => stat?.isSymbolicLink())
    .map(({ at }) => ({ at, to: fs.readlinkSync(at) }));
  const system = found
    .filter(({ stat }) => stat?.isDirectory())
    .map(({ at }) => at)
    .filter((at) => entriesOf(at).length > 0);
  const isShown = (at: string) => isBelowAny(at, [...system, ...user.directories]);
  const first = named.filter((at) => !isShown(at));
  const last = nodeToolchain().filter((at) => !isShown(at));
  const searchPath = [
    ...first.map(programsOf),
    ...user.path,
    ...last.map(programsOf),
    ...SYSTEM_PATH.split(":"),
  ];
  return {
    shown: [...system, ...first, ...user.directories, ...last],
    links,
    searchPath: [...new Set(searchPath)].join(":"),
  };
}

/** Finds the paths in the system's directories to hide from commands. */
export function hiddenFrom(reader: Reader): Hidden[] {
  // Root may read everything, whatever the mode.
  const searched = reader.uid === 0 ? ["/etc", "/opt", "/usr/local"] : ["/etc"];
  return searched.flatMap((top) => findRestricted(top, reader));
}

/** The entries of an unpacked Node.js distribution. */
const NODE_PARTS = new Set(["bin", "include", "lib", "share", "CHANGELOG.md", "LICENSE", "README.md"]);

/**
 * The directory of the Node.js that runs hotcell, because a project's scripts expect to find Node. It must contain
 * nothing but Node.js, unlike ~/.local.
 */
function nodeToolchain(): string[] {
  const prefix = path.dirname(path.dirname(fs.realpathSync(process.execPath)));
  const isOnlyNode =
    fs.existsSync(path.join(prefix, "include/node/node_version.h")) &&
    entriesOf(prefix).every(({ name }) => NODE_PARTS.has(name));
  return isOnlyNode ? [prefix] : [];
}

function programsOf(toolchain: string): string {
  const bin = path.join(toolchain, "bin");
  return fs.existsSync(bin) ? bin : toolchain;
}

function isBelowAny(at: string, directories: readonly string[]): boolean {
  return directories.some((directory) => at === directory || at.startsWith(`${directory}/`));
}

/** Finds files that the command's user may read but not everybody may: they may contain keys and passwords. And sockets. */
function findRestricted(top: string, reader: Reader): Hidden[] {
  const hidden: Hidden[] = [];
  const todo = [top];
  for (let dir = todo.pop(); dir !== undefined; dir = todo.pop()) {
    for (const entry of entriesOf(dir)) {
      if (entry.isSymbolicLink()) continue;
      const at = path.join(dir, entry.name);
      const stat = fs.lstatSync(at, { throwIfNoEntry: false });
      if (stat === undefined || !mayRead(stat, reader)) continue;
      const [kind, forAll] = entry.isDirectory()
        ? (["directory", 0o005] as const)
        : (["file", 0o004] as const);
      if ((stat.mode & forAll) !== forAll || stat.isSocket()) hidden.push({ at, kind });
      else if (kind === "directory") todo.push(at);
    }
  }
  return hidden;
}

function mayRead({ uid, gid, mode }: fs.Stats, reader: Reader): boolean {
  if (reader.uid === 0) return true;
  if (uid === reader.uid) return (mode & 0o400) !== 0;
  return (mode & (reader.groups.includes(gid) ? 0o040 : 0o004)) !== 0;
}

function entriesOf(dir: string): fs.Dirent[] {
  try {
    return fs.readdirSync(dir, { withFileTypes: true });
  } catch {
    return [];
  }
}
