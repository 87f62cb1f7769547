// Checks and splits paths as text.
import { HotcellError } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { hasHalfCharacter, osPath, respell, unshowName } from "./names.ts";

/** The path in its canonical spelling. Throws if no file can have that path. */
export function checkedPath(input: string): string {
  const problem = pathProblem(input);
  if (problem === null) return respell(input);
  throw new HotcellError("INVALID_ARGUMENTS", `The path is refused: ${problem}.`);
}

function pathProblem(input: string): string | null {
  if (input === "") return 'it is empty; the workspace itself is "."';
  if (input.includes("\0")) return "it has a NUL character";
  if (hasHalfCharacter(input)) return "it has an unpaired surrogate";
  if (lengthOf(input) > LIMITS.maxPathBytes) return `it is longer than ${LIMITS.maxPathBytes} bytes`;
  if (hasLongName(input)) {
    return `a name in it is longer than ${LIMITS.maxNameBytes} bytes`;
  }
  return null;
}

/** A UTF-16 unit has at most three bytes in UTF-8; a character of four bytes has two units. */
function hasLongName(input: string): boolean {
  if (input.length * 3 <= LIMITS.maxNameBytes) return false;
  return input.split("/").some((name) => lengthOf(unshowName(name) ?? name) > LIMITS.maxNameBytes);
}

const lengthOf = (name: string): number => Buffer.byteLength(osPath(name));

export function namesOf(relative: string): string[] {
  return relative.split("/").filter((name) => name !== "" && name !== ".");
}

export function isBelow(at: string, directory: string): boolean {
  return at === directory || at.startsWith(`${directory}/`);
}

export function endsAsDirectory(relative: string): boolean {
  return relative.endsWith("/") || relative.endsWith("/.");
}

/** An empty name, `.` or `..`, a NUL, or a surrogate: an odd byte, or half of a character of four bytes. */
const NOT_A_NAME = /(?:^|\/)\.{0,2}(?:\/|$)|[\0\uD800-\uDFFF]/;

/** Whether the path is only names separated by `/`, without anything that needs a closer check. */
export function isNamesOnly(path: string): boolean {
  return !NOT_A_NAME.test(path);
}

// Operations on canonical relative paths; `""` is the root. They take linear time, also for thousands of names.

export function joinPath(directory: string, name: string): string {
  return directory === "" ? name : `${directory}/${name}`;
}

export function splitPath(path: string): { readonly directory: string; readonly name: string } {
  const slash = path.lastIndexOf("/");
  return { directory: path.slice(0, Math.max(slash, 0)), name: path.slice(slash + 1) };
}

/** The names from the directory to the path, or null if the path is not below it. */
export function namesBelow(directory: string, path: string): string[] | null {
  if (directory === path) return [];
  if (directory === "") return path.split("/");
  return path.startsWith(`${directory}/`) ? path.slice(directory.length + 1).split("/") : null;
}

export function parentOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 0));
}

/** Whether the entries of a directory are not listed one by one: no path could name all of them. They count as one change with their directory. */
export function isTooDeep(directory: string): boolean {
  return directory.length > LIMITS.maxPathBytes - LIMITS.maxNameBytes - 1;
}

/** The directories above the path, from the top. */
export function* parentsOf(path: string): Generator<string, void, void> {
  for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) yield path.slice(0, at);
}
