import type { JsonObject } from "../core/json.ts";
import type { Verdict } from "../core/types.ts";
import { exactCommandRule } from "../policy/command-coverage.ts";
import type { Judged } from "../policy/judge.ts";

export interface AskedAbout {
  readonly judged: Judged;
  readonly arguments: JsonObject;
  readonly paths: readonly string[];
  readonly verdict: Verdict;
}

/** The rule that allows this call and as little else as a rule can; null if there is none. */
export function exactRule({
  judged,
  arguments: { path, command },
  paths,
  verdict,
}: AskedAbout): string | null {
  const { tool, subject } = judged;
  // No allow rule is stronger than a rule that asks.
  if (verdict.rule.text.startsWith("ask ")) return null;
  if (subject === "command") return typeof command === "string" ? exactCommandRule(tool, command) : null;
  if (paths.length > 0) return isPlain(path) ? `allow ${tool}(${path})` : null;
  return command === undefined ? `allow ${tool}` : null;
}

function isPlain(path: unknown): path is string {
  return (
    typeof path === "string" &&
    /^[\w./@+ -]+$/.test(path) &&
    !path.split("/").includes("..") &&
    !path.startsWith("/")
  );
}
