// The programs of the user's own PATH: directories of version managers become visible to commands, read-only, and come
// in the same order on their PATH.
import fs from "node:fs";
import path from "node:path";
import { tryRealPath } from "../../core/real-path.ts";
import { isBelow } from "../../workspace/fs/path-text.ts";
import { VERSION_MANAGERS, type VersionManager } from "./version-managers.ts";

export interface UserToolchains {
  /** Every directory of the user's PATH that is there, in order. */
  readonly entries: readonly PathEntry[];
  /** Directories that commands may read. */
  readonly directories: readonly string[];
  /** The visible directories of PATH, in order, without links. */
  readonly path: readonly string[];
  /** Variables by which version managers find their directory. */
  readonly env: Readonly<Record<string, string>>;
}

export interface PathEntry {
  /** As in PATH. */
  readonly at: string;
  /** `system`, or the name of a version manager; null if commands do not see the directory. */
  readonly by: string | null;
  /** Why commands do not see it; null if they do, or if it has only to be named in `toolchains`. */
  readonly refused: string | null;
}

export interface UserEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/** No directory of PATH. */
export const NO_TOOLCHAINS: UserToolchains = { entries: [], directories: [], path: [], env: {} };

export function findUserToolchains(user: UserEnvironment): UserToolchains {
  const listed = [...new Set((user.env.PATH ?? "").split(":"))].filter((at) => at !== "");
  return listed.map((at) => examine(at, user)).reduce(merge, NO_TOOLCHAINS);
}

/** Why a directory can't be shown to commands at its own path; null if it can. */
export function findPlaceFault(at: string): string | null {
  const [, own] = /^(\/tmp|\/var\/tmp|\/dev|\/proc|\/run|\/sys)(\/|$)/.exec(at) ?? [];
  return own === undefined ? null : `commands have a ${own} of their own`;
}

/** Whether commands see it as a part of the system. */
export function isInSystem(at: string): boolean {
  return /^\/(usr|bin|sbin|lib|lib32|lib64|libx32|etc|opt|nix)(\/|$)/.test(at);
}

function examine(at: string, user: UserEnvironment): UserToolchains {
  const hidden = (refused: string | null) => ({ ...NO_TOOLCHAINS, entries: [{ at, by: null, refused }] });
  if (!path.isAbsolute(at)) return hidden("it is relative");
  const real = realDirectory(at);
  if (real === null) return NO_TOOLCHAINS;
  if (isInSystem(real))
    return { ...NO_TOOLCHAINS, entries: [{ at, by: "system", refused: null }], path: [real] };
  const fault = findPlaceFault(real);
  if (fault !== null) return hidden(fault);
  return findManaged(at, real, user) ?? hidden(null);
}

function findManaged(at: string, real: string, user: UserEnvironment): UserToolchains | null {
  for (const manager of VERSION_MANAGERS) {
    const root = realDirectory(locate(manager.root, user));
    const found = root === null ? null : manager.programs.exec(path.relative(root, real) || ".");
    if (root === null || found === null) continue;
    if (manager.has !== undefined && !fs.existsSync(path.join(root, manager.has))) continue;
    const needed = [
      ...manager.needs.map((need) => path.join(root, need.replace("$1", found[1] ?? ""))),
      ...(manager.alsoNeeds ?? []).map((also) => locate(also, user)),
      ...linkedFrom(real, user.home),
    ];
    const directories = needed.flatMap((need) => realDirectory(need) ?? []).filter(isSpecificIn(user.home));
    if (!directories.some((directory) => isBelow(real, directory))) return null;
    const entries = [{ at, by: manager.name, refused: null }];
    return { entries, directories, path: [real], env: variablesOf(manager, root, user) };
  }
  return null;
}

function locate({ variable, inHome }: VersionManager["root"], { env, home }: UserEnvironment): string {
  const given = variable === undefined ? "" : (env[variable] ?? "");
  return path.isAbsolute(given) ? given : path.join(home, inHome);
}

function variablesOf(
  { sets, alsoNeeds = [] }: VersionManager,
  root: string,
  user: UserEnvironment,
): Record<string, string> {
  const also = alsoNeeds.map((need) => [need.variable, locate(need, user)]);
  return Object.fromEntries([...(sets === undefined ? [] : [[sets, root]]), ...also]);
}

/**
 * What the links of a directory of programs lead to, as `~/.local/bin/black` to a directory of pipx: the installation's
 * own directory below `~/.local/share`, `~/.local/lib` or `~/.local/opt`.
 */
function linkedFrom(programs: string, home: string): string[] {
  return fs.readdirSync(programs, { withFileTypes: true }).flatMap((entry) => {
    const target = entry.isSymbolicLink() ? tryRealPath(path.join(programs, entry.name)) : null;
    const isInstalled = /^\.local\/(share|lib|opt)\/[^/]+\/./.test(path.relative(home, target ?? "/"));
    if (target === null || !isInstalled) return [];
    const dir = path.dirname(target);
    return [path.basename(dir) === "bin" ? path.dirname(dir) : dir];
  });
}

/** A directory that holds programs only: neither the home nor a directory in which other programs keep their secrets. */
export function isSpecificIn(home: string): (directory: string) => boolean {
  const isBroad = /^\.(local|local\/share|local\/lib|config|cache|ssh|gnupg|aws|kube|docker|cargo)$/;
  return (directory) =>
    directory.split("/").length > 2 &&
    !isBelow(home, directory) &&
    !isBroad.test(path.relative(home, directory));
}

function realDirectory(at: string): string | null {
  const real = tryRealPath(at);
  return real !== null && fs.statSync(real).isDirectory() ? real : null;
}

function outermost(directories: readonly string[]): string[] {
  const all = [...new Set(directories)];
  return all.filter((at) => !all.some((other) => other !== at && isBelow(at, other)));
}

function merge(all: UserToolchains, more: UserToolchains): UserToolchains {
  return {
    entries: [...all.entries, ...more.entries],
    directories: outermost([...all.directories, ...more.directories]),
    path: [...new Set([...all.path, ...more.path])],
    env: { ...all.env, ...more.env },
  };
}
