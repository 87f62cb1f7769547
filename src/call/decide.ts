// Step 4 of a call: what it touches, and what rules, protected paths, scope and trust say of it.
import path from "node:path";
import { HotcellError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import type { Verdict } from "../core/words.ts";
import { type Judged, judge } from "../policy/judge.ts";
import type { Protection } from "../policy/protected.ts";
import { scopePaths } from "../policy/scope.ts";
import type { Tool } from "../tools/define-tool.ts";
import { protectedPath } from "../workspace/directory-view.ts";
import { showName } from "../workspace/names.ts";
import type { Resolved } from "../workspace/workspace-fs.ts";
import type { CallParts } from "./call-parts.ts";

type DecideParts = Pick<CallParts, "policy" | "protectionOf" | "workspace" | "scope">;

/** Throws when the call touches what no approval can open: the outside, protected paths, paths beyond the scope. */
export function decide(tool: Tool, args: JsonObject, parts: DecideParts): Verdict {
  return judge(judgedCall(tool, args, parts), parts.policy);
}

/** The call as rules see it: each path both as it was given and as it resolves. */
function judgedCall(tool: Tool, args: JsonObject, parts: DecideParts): Judged {
  const given = tool.subjects(args);
  const resolved = tool.subject === "path" ? given.flatMap((at) => resolve(at, parts)) : [];
  const protections = resolved.map((place) => checkedProtection(tool, place, parts));
  return {
    tool: tool.name,
    danger: tool.danger,
    effect: tool.effect,
    subjects: tool.subject === "path" ? spellings(given, resolved) : given,
    protection: protections.some((protection) => protection?.write === "ask") ? "ask" : "none",
  };
}

/** Empty when it can't be resolved: then it can't be used either, and the tool itself says why. */
function resolve(given: string, { workspace }: DecideParts): Resolved[] {
  try {
    return [workspace.resolve(given)];
  } catch (error) {
    if (error instanceof HotcellError && !REFUSED.has(error.code)) return [];
    throw error;
  }
}

const REFUSED: ReadonlySet<string> = new Set([
  "PATH_OUTSIDE_WORKSPACE",
  "SYMLINK_OUTSIDE_WORKSPACE",
  "INVALID_ARGUMENTS",
]);

function spellings(given: readonly string[], resolved: readonly Resolved[]): string[] {
  const normalised = given.map((at) => path.posix.normalize(at).replace(/(.)\/$/, "$1"));
  return [...new Set([...normalised, ...resolved.map(({ path: at }) => at || ".")])];
}

function checkedProtection(
  tool: Tool,
  { path: at, kind }: Resolved,
  { protectionOf, scope }: DecideParts,
): Protection | null {
  if (scopePaths(scope, tool.name)?.(at) === false) {
    throw new HotcellError(
      "DENIED",
      `${tool.name} was not run: "${showName(at)}" is beyond the paths of its scope.`,
      {
        path: at,
      },
    );
  }
  const protection = protectionOf(kind === "directory" ? `${at}/` : at);
  const access = tool.effect === "change" ? "write" : "read";
  if (protection?.[access] === "refuse") throw protectedPath(at, access, protection);
  return protection;
}
