// Limits the tools of a caller. A scope only restricts: rules and trust level still decide each call.
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
  /** Globs, files, or directories with their contents; every path if omitted. */
  readonly paths?: readonly string[];
  /** `500ms`, `30s`, `2m`; the tool's own limit if omitted. */
  readonly timeout?: string;
}

export interface ToolScope {
  readonly permissions: Readonly<Record<string, ToolPermission>>;
}

/** The tools of a scope without permissions: they only read. */
const SAFE_DEFAULTS: readonly string[] = [
  "read_file",
  "list_directory",
  "find_files",
  "search_files",
  "fs.list",
  "fs.read",
  "fs.search",
  "file_read",
  "web_search",
  "time.now",
];

/** Without a scope every tool is permitted; with an empty scope only the safe tools; otherwise only allowed tools. */
export function permits(scope: ToolScope | null | undefined, tool: string): boolean {
  if (!scope) return true;
  if (Object.keys(scope.permissions).length === 0) {
    return SAFE_DEFAULTS.some((safe) => isSameTool(safe, tool));
  }
  return permissionFor(scope, tool)?.allowed === true;
}

/** Returns a test for the tool's paths in the scope; null if the scope does not restrict its paths. */
export function scopePaths(
  scope: ToolScope | null | undefined,
  tool: string,
): ((relativePath: string) => boolean) | null {
  const paths = permissionFor(scope, tool)?.paths;
  if (paths === undefined) return null;
  const patterns = paths.map((path) => compileScopePath(tool, path));
  return (relativePath) => patterns.some((matches) => matches(relativePath));
}

/** The time limit that the scope sets for a call of the tool; null if it sets none. */
export function scopeTimeoutMs(scope: ToolScope | null | undefined, tool: string): number | null {
  const timeout = permissionFor(scope, tool)?.timeout;
  if (timeout === undefined) return null;
  const [, amount, unit] = /^(\d{1,10})(ms|s|m)$/.exec(timeout) ?? [];
  const timeoutMs = Number(amount) * { ms: 1, s: 1000, m: 60_000 }[unit as "ms" | "s" | "m"];
  if (timeoutMs >= 1 && timeoutMs <= LIMITS.maxTimerMs) return timeoutMs;
  throw refused(tool, "timeout", timeout, `write a time above zero like "500ms", "30s" or "2m"`);
}

// Only own keys: a tool named "constructor" must not match a property of the prototype.
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
