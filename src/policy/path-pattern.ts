// Globs on paths relative to the root: compiles them, and rejects those that can never match.
import { compileGlob } from "../core/glob.ts";
import { quote } from "../core/quote.ts";

const EVERYTHING = "**";

export function compilePathPattern(pattern: string): (path: string) => boolean {
  // In `app/[id]/**` the brackets are usually part of a directory's name, so both readings match.
  const readings = new Set([pattern, pattern.replace(/(?<!\\)[[\]]/g, "\\$&")]);
  const globs = [...readings].map(compileGlob);
  return (path) => {
    if (path === "." || path === "") return pattern === "." || pattern === EVERYTHING;
    return globs.some((matches) => matches(path));
  };
}

/** Removes a leading `./`, for comparison with other patterns. */
export function normalizePathPattern(pattern: string): string {
  return pattern.replace(/^(\.\/+)+/, "");
}

/** Why a pattern cannot match any path, and what to write instead; null if it can. */
export function findPathPatternFault(pattern: string): string | null {
  return FAULTS.find(({ found }) => found(pattern))?.say(pattern) ?? null;
}

/** Why a pattern cannot match any path that begins with a mount; null if it can. If `mounts` is null, any mount is valid. */
export function findMountPatternFault(pattern: string, mounts: readonly string[] | null): string | null {
  const [first = ""] = normalizePathPattern(pattern).split("/");
  if (/[*?{[]/.test(first)) return null;
  const known = mounts === null ? "@project" : mounts.map((name) => `@${name}`).join(", ");
  if (!first.startsWith("@"))
    return `paths of this tool begin with a mount (${known}); write ${quote(`@project/${pattern.replace(/^[~./]*\//, "")}`)}`;
  if (mounts === null || mounts.includes(first.slice(1).toLowerCase())) return null;
  return `there is no mount ${quote(first)}; the mounts are ${known}`;
}

interface Fault {
  found(pattern: string): boolean;
  say(pattern: string): string;
}

const FAULTS: readonly Fault[] = [
  {
    found: (pattern) => pattern === "",
    say: () => `it is empty; write "${EVERYTHING}" for every path`,
  },
  {
    found: (pattern) => /\\(?![*?[\]{},\\])/.test(pattern),
    say: (pattern) => `paths have "/" between names; write ${quote(pattern.replaceAll("\\", "/"))}`,
  },
  {
    found: (pattern) => /^(\/|~\/|~$)/.test(pattern),
    say: (pattern) =>
      `paths are relative to the workspace; write ${quote(pattern.replace(/^~?\/*/, "") || EVERYTHING)}`,
  },
  {
    found: (pattern) => namesOf(pattern).includes(".."),
    say: () => `no path of the workspace has ".." in it; write it from the workspace's root, like "src/**"`,
  },
  {
    found: (pattern) => pattern.endsWith("/"),
    say: (pattern) => `no path ends in "/"; write ${quote(`${withoutEmptyNames(pattern)}/${EVERYTHING}`)}`,
  },
  {
    found: (pattern) => pattern !== "." && namesOf(pattern).some(isEmptyName),
    say: (pattern) => `no path has an empty name or "." in it; write ${quote(withoutEmptyNames(pattern))}`,
  },
  {
    found: (pattern) =>
      namesOf(pattern).some((name) => /^[^{},]*\*\*[^{},]*$/.test(name) && name !== EVERYTHING),
    say: () => `"**" stands for whole directories, not for a part of a name; write it like "src/**/*.ts"`,
  },
  {
    found: (pattern) => !compiles(pattern),
    say: () => `it has too many alternatives in braces; write several patterns`,
  },
];

function compiles(pattern: string): boolean {
  try {
    compileGlob(pattern);
    return true;
  } catch {
    return false;
  }
}

function namesOf(pattern: string): string[] {
  return normalizePathPattern(pattern).split("/");
}

function isEmptyName(name: string): boolean {
  return name === "" || name === ".";
}

function withoutEmptyNames(pattern: string): string {
  return namesOf(pattern)
    .filter((name) => !isEmptyName(name))
    .join("/");
}
