// The tools and the policy of a cell.
import { HotcellError } from "../core/errors.ts";
import type { Json, JsonObject } from "../core/json.ts";
import { quote } from "../core/quote.ts";
import { type RuleOrigin, TRUST_LEVELS, type TrustLevel, type Verdict } from "../core/types.ts";
import { unlessFailing } from "../core/unless-failing.ts";
import { type Judged, judge } from "../policy/judge.ts";
import { createProtection, type Protection, type ProtectOptions } from "../policy/protected.ts";
import { parseRules } from "../policy/rule.ts";
import type { ToolScope } from "../policy/scope.ts";
import { findTool, KNOWN_TOOLS, type KnownTool } from "../policy/tool-names.ts";
import { BUILTIN_TOOLS } from "../tools/builtin-tools.ts";
import type { Tool } from "../tools/define-tool.ts";
import { toolDefinitions, type WireFormat } from "../tools/definitions.ts";
import { createRegistry, type Registry } from "../tools/registry.ts";
import { createValidator } from "../tools/validate.ts";
import { type FilesOptions, openFiles } from "../workspace/open-files.ts";
import type { CallParts } from "./call-parts.ts";
import { decide } from "./decide.ts";
import { lookUp } from "./prepare.ts";
import { openPlaces, type PlacesOptions } from "./tool-filesystems.ts";

export interface RulebookOptions extends PlacesOptions {
  readonly fs?: FilesOptions["fs"];
  readonly toolsets?: readonly string[];
  /** Custom tools, made with `defineTool`. */
  readonly tools?: readonly Tool[];
  readonly trust?: TrustLevel;
  readonly rules?: readonly (string | RuleOrigin)[];
  /** What needs approval at trust level `guided`: effects outside the session (the default), or each dangerous call. */
  readonly approvals?: "effects" | "calls";
  /** The tools, paths and times that the caller may use; all if omitted. */
  readonly scope?: ToolScope | null;
  readonly protect?: ProtectOptions;
}

export interface Rulebook
  extends Pick<CallParts, "registry" | "validate" | "policy" | "contains" | "scope" | "toolset"> {
  readonly protectionOf: (path: string) => Protection | null;
}

export async function createRulebook(options: RulebookOptions): Promise<Rulebook> {
  const { trust = "guided", approvals = "effects" } = options;
  checkChoice("trust", trust, TRUST_LEVELS);
  checkChoice("approvals", approvals, ["effects", "calls"]);
  const toolsets = options.toolsets ?? ["sidecar"];
  const tools = [...builtinTools(toolsets), ...(options.tools ?? [])];
  const isContained = options.fs !== "host" && approvals === "effects";
  const protectionOf = createProtection(options.protect);
  const mounts = ["project", "state", ...Object.keys(options.mounts ?? {})];
  const rules = parseRules((options.rules ?? []).map(toOrigin), tools, mounts);
  return {
    registry: createFilledRegistry(tools),
    validate: await createValidator(tools),
    policy: { trust, rules, protectionOf },
    protectionOf,
    contains: (tool) => isContained && tool.contained,
    scope: options.scope ?? null,
    toolset: toolsets[0] ?? "sidecar",
  };
}

/** A caller without a compiler may misspell a value. An unknown trust level must not disable approvals. */
function checkChoice(name: string, value: string, allowed: readonly string[]): void {
  if (!allowed.includes(value)) throw wrongOption(name, value, allowed.map(quote).join(", "));
}

export function wrongOption(name: string, value: unknown, allowed: string): HotcellError {
  const message = `Could not open the cell: ${name} is ${quote(value)}; allowed is ${allowed}.`;
  return new HotcellError("CONFIG_INVALID", message);
}

function builtinTools(toolsets: readonly string[]): Tool[] {
  const known = [...new Set(BUILTIN_TOOLS.map(({ toolset }) => toolset))];
  const unknown = toolsets.find((toolset) => !known.includes(toolset));
  if (unknown !== undefined) {
    throw new HotcellError(
      "CONFIG_INVALID",
      `Could not load the toolset ${quote(unknown)}: allowed are ${known.map(quote).join(", ")}.`,
    );
  }
  return BUILTIN_TOOLS.filter(({ toolset }) => toolsets.includes(toolset));
}

function createFilledRegistry(tools: readonly Tool[]): Registry {
  const registry = createRegistry();
  for (const tool of tools) registry.register(tool);
  return registry;
}

function toOrigin(rule: string | RuleOrigin, index: number): RuleOrigin {
  if (typeof rule === "string") return { text: rule, source: "options" };
  if (typeof rule?.text !== "string") throw wrongOption(`rules[${index}]`, rule, "text");
  return rule;
}

/** Also judges tools of later versions, which rules may already name. */
export function explainCall(
  name: string,
  args: JsonObject,
  parts: Omit<Rulebook, "protectionOf"> & Pick<CallParts, "placesOf">,
): Verdict {
  const later = parts.registry.get(name) === undefined ? findTool(name, KNOWN_TOOLS) : undefined;
  if (later !== undefined) return judge(describeKnownTool(later, args), parts.policy);
  const tool = lookUp(name, parts);
  const valid = parts.validate(tool, args).arguments;
  try {
    return decide(tool, valid, parts).verdict;
  } catch (error) {
    if (!(error instanceof HotcellError)) throw error;
    return { decision: "deny", rule: { text: error.code, source: "built-in" }, reason: error.message };
  }
}

function describeKnownTool({ name, subject, danger }: KnownTool, args: JsonObject): Judged {
  const given = subject === "none" ? undefined : args[subject];
  const effect = danger === "safe" ? "read" : "change";
  return {
    tool: name,
    danger,
    effect,
    subjects: typeof given === "string" ? [given] : [],
    protection: "none",
  };
}

/** The tools and decisions of a cell with these options. Creates no session and runs no call. */
export interface Preview {
  tools(format: WireFormat): Json[];
  explain(tool: string, args: JsonObject): Verdict;
  close(): void;
}

export async function openPreview(options: RulebookOptions & FilesOptions): Promise<Preview> {
  const rulebook = await createRulebook(options);
  const { session: _, ...project } = options;
  const files = await openFiles({ ...project, fs: "host" }, rulebook.protectionOf);
  const places = unlessFailing(files.close, () => openPlaces(options, files, rulebook.protectionOf));
  return {
    tools: (format) => toolDefinitions(rulebook.registry.list(rulebook.scope), format),
    explain: (tool, args) => explainCall(tool, args, { ...rulebook, placesOf: places.of }),
    close() {
      places.close();
      files.close();
    },
  };
}
