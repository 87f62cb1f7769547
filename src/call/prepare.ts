// Steps 1 to 4 of a call: parse, look up, validate, decide. These steps do not wait, ask or change anything.
import { digest } from "../core/canonical-json.ts";
import { HotcellError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { quote } from "../core/quote.ts";
import type { CallRequest, Verdict } from "../core/types.ts";
import { permits } from "../policy/scope.ts";
import { BUILTIN_DENY_LIST } from "../policy/verdicts.ts";
import type { Tool } from "../tools/define-tool.ts";
import { spellLike } from "../tools/registry.ts";
import type { CallParts } from "./call-parts.ts";
import { type CallDecision, decide } from "./decide.ts";
import { parseCall } from "./parse.ts";
import { readCallId } from "./read-call-id.ts";
import { type CallObject, type ProviderCall, readCallObject } from "./read-call-object.ts";
import { readCallText } from "./read-call-text.ts";

/** The facts known about every call, however early it ends. */
export interface CallStart {
  readonly id: string;
  readonly name: string;
  /** For the log. */
  readonly input: unknown;
  readonly startedAt: number;
  readonly repairs: readonly string[];
}

/** A call that may continue. Its arguments are valid and frozen, and the policy judged exactly these arguments. */
export interface PreparedCall {
  readonly start: CallStart;
  readonly tool: Tool;
  readonly arguments: JsonObject;
  readonly digest: string;
  readonly decision: CallDecision;
}

/** A call that ended before it could run. */
export interface RefusedCall {
  readonly start: CallStart;
  readonly tool: Tool | null;
  readonly verdict: Verdict | null;
  readonly error: unknown;
}

export function isRefused(call: PreparedCall | RefusedCall): call is RefusedCall {
  return "error" in call;
}

export function prepare(
  request: CallRequest | ProviderCall | string,
  parts: CallParts,
): PreparedCall | RefusedCall {
  let start = startOf(request, parts);
  let tool: Tool | null = null;
  let verdict: Verdict | null = null;
  try {
    const { call, repairs } = parseCall(request, () => start.id);
    start = { ...start, id: call.id, name: call.name, input: call.arguments, repairs };
    tool = lookUp(call.name, parts);
    const checked = parts.validate(tool, call.arguments);
    start = {
      ...start,
      name: tool.name,
      input: checked.arguments,
      repairs: [...repairs, ...checked.repairs],
    };
    const decision = decide(tool, checked.arguments, parts);
    verdict = decision.verdict;
    if (verdict.decision === "deny") throw denied(tool, verdict);
    return { start, tool, arguments: checked.arguments, digest: digest(checked.arguments), decision };
  } catch (error) {
    return { start, tool: tool ?? findNamedTool(request, start, parts), verdict, error };
  }
}

/** The tool of a call of which only the name is readable. Its toolset shapes the observation. */
function findNamedTool(
  request: CallRequest | ProviderCall | string,
  { name }: CallStart,
  { registry, scope }: CallParts,
): Tool | null {
  const tool = registry.get(typeof request === "string" ? nameInText(request) : name);
  return tool !== undefined && permits(scope, tool.name) ? tool : null;
}

function nameInText(text: string): string {
  try {
    const { name } = readCallText(text);
    return typeof name === "string" ? name : "";
  } catch {
    return "";
  }
}

function startOf(request: CallRequest | ProviderCall | string, { now, newId }: CallParts): CallStart {
  const {
    id,
    name,
    arguments: input,
  } = typeof request === "string" ? { name: "", arguments: request } : tryReadCall(request);
  const named = typeof name === "string" ? name : "";
  return { id: readCallId(id, newId).id, name: named, input, startedAt: now(), repairs: [] };
}

/** If reading fails, `parseCall` reports the error. */
function tryReadCall(request: CallRequest | ProviderCall): Partial<CallObject> {
  try {
    return readCallObject(request);
  } catch {
    return {};
  }
}

export function lookUp(name: string, { registry, scope }: Pick<CallParts, "registry" | "scope">): Tool {
  const tool = registry.get(name);
  if (tool !== undefined && permits(scope, tool.name)) return tool;
  const near = registry.nearest(name, scope);
  const hint =
    near.length > 0
      ? ` Did you mean ${near.map(quote).join(" or ")}?`
      : nameAll(registry.list(scope).map((tool) => spellLike(name, tool)));
  throw new HotcellError("UNKNOWN_TOOL", `There is no tool ${quote(name)}.${hint}`, { nearest: near });
}

/** The most tool names in an error message. */
const NAMED_TOOLS = 20;

function nameAll(all: readonly string[]): string {
  if (all.length === 0) return "";
  const names = all.slice(0, NAMED_TOOLS).map(quote);
  const more = all.length - names.length;
  return ` There are ${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`;
}

function denied(tool: Tool, verdict: Verdict): HotcellError {
  const code = verdict.rule.source === BUILTIN_DENY_LIST ? "COMMAND_BLOCKED" : "DENIED";
  return new HotcellError(code, `${tool.name} was not run. ${verdict.reason}`, { rule: verdict.rule });
}
