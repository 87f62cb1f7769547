// Step 4 of a call: resolves its paths and judges them by rules, protected paths, scope and trust level.
import path from "node:path";
import { HotcellError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { quote } from "../core/quote.ts";
import type { Verdict } from "../core/types.ts";
import { type Judged, judge } from "../policy/judge.ts";
import type { Protection } from "../policy/protected.ts";
import { scopePaths } from "../policy/scope.ts";
import type { Tool } from "../tools/define-tool.ts";
import { type PathCheck, protectedPath } from "../workspace/files/view.ts";
import type { CanonicalPath } from "../workspace/files/workspace-fs.ts";
import { showName } from "../workspace/fs/names.ts";
import type { CallParts } from "./call-parts.ts";
import type { ToolFilesystem } from "./tool-filesystems.ts";

type DecideParts = Pick<CallParts, "policy" | "filesystemOf" | "scope" | "roots" | "contains">;

export interface CallDecision {
  readonly verdict: Verdict;
  /** The call's canonical paths. They were judged here, so the tool may open them without another check. */
  readonly paths: readonly string[];
  /** Where they are. */
  readonly place: ToolFilesystem;
  /** What the verdict is about. */
  readonly judged: Judged;
}

/** Throws if no approval can permit a path: outside the workspace, protected, or outside the scope. */
export function decide(tool: Tool, args: JsonObject, parts: DecideParts): CallDecision {
  if (parts.roots !== undefined) refuseUnconfined(tool, parts.roots);
  const given = tool.subjects(args);
  const place = parts.filesystemOf(tool, tool.subject === "path" ? given : []);
  const resolved = tool.subject === "path" ? given.flatMap((at) => resolve(at, place)) : [];
  const subjects = tool.subject === "path" ? spellings(given, resolved) : given;
  const protections = resolved.map((at) => checkedProtection(tool, at, place, parts));
  const paths = resolved.map(({ path: at }) => at);
  const judged = judgedCall(tool, subjects, { protections, paths, place }, parts);
  return { verdict: judge(judged, parts.policy), paths, place, judged };
}

/**
 * Judges each resolved path before the tool opens it. Since the decision a link may have changed, and a
 * listing reaches entries below the path that was judged.
 */
export function createPathCheck(tool: Tool, decided: CallDecision, parts: DecideParts): PathCheck {
  const { place } = decided;
  return (at) => {
    if (decided.paths.includes(at)) return;
    const protection = checkedProtection(tool, { path: at, kind: null }, place, parts);
    const touched = { protections: [protection], paths: [at], place };
    const judged = judgedCall(tool, [at || "."], touched, parts);
    const verdict = judge({ ...judged, subject: "path" }, parts.policy);
    if (isStricter(verdict, tool, decided.verdict)) throw leadsElsewhere(tool, at, verdict);
  };
}

/** If the trust level or the same rule already asked for the whole call, a read does not ask again for each path. */
function isStricter(verdict: Verdict, tool: Tool, decided: Verdict): boolean {
  if (verdict.decision !== "ask") return verdict.decision === "deny";
  const isAnswered = verdict.rule.source === "built-in" || verdict.rule.text === decided.rule.text;
  return tool.effect === "change" || !isAnswered;
}

function leadsElsewhere(tool: Tool, at: string, verdict: Verdict): HotcellError {
  const message = `${tool.name} was refused at "${showName(at)}", where the path leads now. ${verdict.reason}`;
  return new HotcellError("DENIED", message, { path: at, rule: verdict.rule });
}

interface Touched {
  readonly protections: readonly (Protection | null)[];
  readonly paths: readonly string[];
  readonly place: ToolFilesystem;
}

function judgedCall(
  tool: Tool,
  subjects: readonly string[],
  { protections, paths, place }: Touched,
  { contains }: DecideParts,
): Judged {
  const { name, danger, effect, subject } = tool;
  const asks = protections.some((protection) => protection?.write === "ask");
  const contained = contains(tool) && paths.every((at) => place.contains(at));
  const commits = danger !== "safe" && tool.needs.includes("session");
  const protection = commits ? "commit" : asks ? "ask" : "none";
  return { tool: name, danger, effect, subject, subjects, protection, contained };
}

/** Commands see the whole project, and so do tools for the session. */
function refuseUnconfined({ name, needs }: Tool, roots: readonly string[]): void {
  if (!needs.some((need) => need === "commands" || need === "session")) return;
  throw new HotcellError(
    "DENIED",
    `${name} was not run: the client's roots are only a part of the project (${describeRoots(roots)}), and ${name} cannot keep to a part.`,
    { roots },
  );
}

function checkRoots({ name }: Tool, at: string, inProject: string | null, roots: readonly string[]): void {
  if (inProject !== null && roots.some((root) => inProject === root || inProject.startsWith(`${root}/`)))
    return;
  throw new HotcellError(
    "DENIED",
    `${name} was not run: "${showName(at || ".")}" is outside the client's roots (${describeRoots(roots)}).`,
    { path: at, roots },
  );
}

function describeRoots(roots: readonly string[]): string {
  return roots.length === 0
    ? "none is in the project"
    : roots.map((root) => quote(showName(root))).join(", ");
}

/** Empty if the path cannot exist. The tool then cannot use it either, and reports the reason. */
function resolve(given: string, { files }: ToolFilesystem): CanonicalPath[] {
  try {
    return [files.resolve(given)];
  } catch (error) {
    if (error instanceof HotcellError && (error.code === "NOT_FOUND" || error.code === "NOT_A_DIRECTORY"))
      return [];
    throw error;
  }
}

function spellings(given: readonly string[], resolved: readonly CanonicalPath[]): string[] {
  const normalised = given.map((at) => path.posix.normalize(at).replace(/(.)\/$/, "$1"));
  return [...new Set([...normalised, ...resolved.map(({ path: at }) => at || ".")])];
}

function checkedProtection(
  tool: Tool,
  { path: at, kind }: CanonicalPath,
  place: ToolFilesystem,
  { scope, roots }: DecideParts,
): Protection | null {
  if (roots !== undefined) checkRoots(tool, at, place.projectPath(at), roots);
  if (scopePaths(scope, tool.name)?.(at) === false) {
    throw new HotcellError(
      "DENIED",
      `${tool.name} was not run: "${showName(at)}" is outside the paths that its scope allows.`,
      {
        path: at,
      },
    );
  }
  const protection = place.protectionOf(kind === "directory" ? `${at}/` : at);
  const access = tool.effect === "change" ? "write" : "read";
  if (protection?.[access] === "refuse") throw protectedPath(at, access, protection);
  return protection;
}
