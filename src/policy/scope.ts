// Which tools a caller has at all. A scope only narrows: rules and trust still decide each call.
import { HotcellError } from "../core/errors.ts";
import { LIMITS } from "../core/limits.ts";
import { quote } from "../core/quote.ts";
import {
  compilePathPattern,
  findMountPatternFault,
  findPathPatternFault,
  normalizePathPattern,
} from "./path-pattern.ts";
import { findTool, isSameTool, KNOWN_TOOLS } from "./tool-names.ts";

export interface ToolPermission {
  readonly allowed: boolean;
  /** Globs, or files and directories with all that is in them; without it every path. */
  readonly paths?: readonly string[];
  /** `500ms`, `30s`, `2m`; without it the tool's own limit. */
  readonly timeout?: string;
}

export interface ToolScope {
  readonly permissions: Readonly<Record<string, ToolPermission>>;
}

/** What a scope without permissions has: tools that only look. */
const SAFE_DEFAULTS: readonly string[] = [
  "read_file",
  "list_directory",
  "search_files",
  "fs.list",
  "fs.read",
  "fs.search",
  "file_read",
  "web_search",
  "time.now",
];

/** No scope permits every tool; a scope without permissions the safe ones; else only what it allows. */
export function permits(scope: ToolScope | null | undefined, tool: string): boolean {
  if (!scope) return true;
  if (Object.keys(scope.permissions).length === 0) {
    return SAFE_DEFAULTS.some((safe) => isSameTool(safe, tool));
  }
  return permissionFor(scope, tool)?.allowed === true;
}

/** Tells whether a path is one that the scope gives to the tool; null when the scope does not narrow paths. */
export function scopePaths(
  scope: ToolScope | null | undefined,
  tool: string,
): ((relativePath: string) => boolean) | null {
  const paths = permissionFor(scope, tool)?.paths;
  if (paths === undefined) return null;
  const patterns = paths.map((path) => compileScopePath(tool, path));
  return (relativePath) => patterns.some((matches) => matches(relativePath));
}

/** The time that the scope gives one call of the tool; null when it says nothing. */
export function scopeTimeoutMs(scope: ToolScope | null | undefined, tool: string): number | null {
  const timeout = permissionFor(scope, tool)?.timeout;
  if (timeout === undefined) return null;
  const [, amount, unit] = /^(\d{1,10})(ms|s|m)$/.exec(timeout) ?? [];
  const timeoutMs = Number(amount) * { ms: 1, s: 1000, m: 60_000 }[unit as "ms" | "s" | "m"];
  if (timeoutMs >= 1 && timeoutMs <= LIMITS.maxTimeoutMs) return timeoutMs;
  throw refused(tool, "timeout", timeout, `write a time above zero like "500ms", "30s" or "2m"`);
}

// Own keys only: a tool named "constructor" is in no scope that does not name it.
function permissionFor(scope: ToolScope | null | undefined, tool: string): ToolPermission | undefined {
  const entries = Object.entries(scope?.permissions ?? {});
  return (entries.find(([name]) => name === tool) ?? entries.find(([name]) => isSameTool(name, tool)))?.[1];
}

function compileScopePath(tool: string, path: string): (relativePath: string) => boolean {
  const pattern = normalizePathPattern(path).replace(/(.)\/+$/, "$1");
  const hasMounts = findTool(tool, KNOWN_TOOLS)?.naming === "mounts";
  const fault = (hasMounts ? findMountPatternFault(pattern, null) : null) ?? findPathPatternFault(pattern);
  if (fault !== null) throw refused(tool, "path", path, fault);
  return compilePathPattern(withContents(pattern));
}

function withContents(pattern: string): string {
  if (pattern === ".") return "**";
  return /[*?{]/.test(pattern) ? pattern : `${pattern}/**`;
}

function refused(tool: string, what: string, value: string, problem: string): HotcellError {
  const message = `Could not use the scope's ${what} ${quote(value)} for ${quote(tool)}: ${problem}.`;
  return new HotcellError("POLICY_INVALID", message, { tool, [what]: value });
}
