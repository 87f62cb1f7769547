// The tools and the policy of a cell.

import { closeOnFailure } from "../core/close-on-failure.ts";
import { HotcellError } from "../core/errors.ts";
import { type HostPort, readHostPort } from "../core/host-name.ts";
import type { Json, JsonObject } from "../core/json.ts";
import { quote } from "../core/quote.ts";
import type { RuleOrigin, TrustLevel, Verdict } from "../core/types.ts";
import { checkAddresses, type NetworkOptions } from "../net/network-clients.ts";
import { type Judged, judge } from "../policy/judge.ts";
import { judgeNetwork } from "../policy/judge-network.ts";
import { createProtection, type Protection, type ProtectOptions } from "../policy/protected.ts";
import { parseRules } from "../policy/rule.ts";
import type { ToolScope } from "../policy/scope.ts";
import { findTool, KNOWN_TOOLS, type KnownTool, NETWORK } from "../policy/tool-names.ts";
import { BUILTIN_TOOLS } from "../tools/builtin-tools.ts";
import type { Tool } from "../tools/define-tool.ts";
import { toolDefinitions, type WireFormat } from "../tools/definitions.ts";
import { createRegistry, type Registry } from "../tools/registry.ts";
import { createValidator } from "../tools/validate.ts";
import { type FilesOptions, openFiles } from "../workspace/open-files.ts";
import type { CallParts } from "./call-parts.ts";
import type { CellOptions } from "./cell-options.ts";
import { checkOptions } from "./check-options.ts";
import { decide } from "./decide.ts";
import { describeNetwork } from "./describe-network.ts";
import { lookUp } from "./prepare.ts";
import { type FilesystemOptions, openToolFilesystems } from "./tool-filesystems.ts";

export interface ToolsAndPolicyOptions extends FilesystemOptions, NetworkOptions {
  readonly fs?: FilesOptions["fs"];
  readonly toolsets?: readonly string[];
  /** Custom tools, made with `defineTool`. */
  readonly tools?: readonly Tool[];
  readonly trust?: TrustLevel;
  readonly rules?: readonly (string | RuleOrigin)[];
  /** What needs approval at trust level `guided`: effects outside the session (the default), or each dangerous call. */
  readonly approve?: "effects" | "calls";
  /** The tools, paths and times that the caller may use; all if omitted. */
  readonly scope?: ToolScope | null;
  readonly protect?: ProtectOptions;
  /** Commands use this machine's own network. */
  readonly toolAllowDirectNetwork?: boolean;
}

export interface ToolsAndPolicy
  extends Pick<CallParts, "registry" | "validate" | "policy" | "contains" | "scope" | "toolset"> {
  readonly protectionOf: (path: string) => Protection | null;
}

export async function createToolsAndPolicy(options: ToolsAndPolicyOptions): Promise<ToolsAndPolicy> {
  const { trust = "guided", approve = "effects" } = options;
  checkAddresses(options);
  const toolsets = options.toolsets ?? ["coding"];
  const isDirect = options.toolAllowDirectNetwork ?? false;
  const loaded = [...builtinTools(toolsets), ...(options.tools ?? [])];
  for (const tool of loaded) refuseAnyHost(tool, isDirect);
  const isContained = options.fs !== "host" && approve === "effects";
  const protectionOf = createProtection(options.protect);
  const mounts = ["project", "state", ...Object.keys(options.mounts ?? {})];
  const rules = parseRules((options.rules ?? []).map(toOrigin), loaded, mounts);
  const tools = loaded.map((tool) => describeNetwork(tool, rules, isDirect));
  return {
    registry: createFilledRegistry(tools),
    validate: await createValidator(tools),
    policy: { trust, rules, protectionOf },
    protectionOf,
    // With the machine's own network, what a command does may leave the session.
    contains: (tool) => isContained && tool.contained && !(isDirect && tool.needs.includes("commands")),
    scope: options.scope ?? null,
    toolset: toolsets[0] ?? "coding",
  };
}

function refuseAnyHost({ name, wasm }: Tool, isDirect: boolean): void {
  if (wasm?.anyHost !== true || isDirect) return;
  throw new HotcellError(
    "CONFIG_INVALID",
    `Could not load the tool ${quote(name)}: its capability network is true, and TOOL_ALLOW_DIRECT_NETWORK is off. Name its hosts, or turn that on.`,
  );
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
  const loaded = toolsets.includes("studio") ? [...toolsets, "web"] : toolsets;
  return BUILTIN_TOOLS.filter(({ toolset }) => loaded.includes(toolset));
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
  parts: Omit<ToolsAndPolicy, "protectionOf"> & Pick<CallParts, "filesystemOf">,
): Verdict {
  if (name === NETWORK) return judgeNetwork(readTarget(args), parts.policy);
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

function readTarget({ host, port }: JsonObject): HostPort {
  const target = typeof host === "string" ? readHostPort(`${host}:${port}`) : null;
  if (target !== null) return target;
  throw new HotcellError(
    "INVALID_ARGUMENTS",
    'Could not explain the network: give a host and a port, like {"host":"example.com","port":443}.',
  );
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

const FILE_NEEDS: ReadonlySet<string> = new Set(["workspace", "commands", "session"]);

/** The tools and decisions of a cell with these options. Creates no session and runs no call. */
export interface Preview {
  /** The project's directory. */
  readonly root: string;
  /** Whether a tool can read or change files of the project. */
  usesFiles(tool: string): boolean;
  tools(format: WireFormat): Json[];
  explain(tool: string, args: JsonObject): Verdict;
  close(): void;
}

export async function openPreview(options: CellOptions): Promise<Preview> {
  checkOptions(options);
  const toolsAndPolicy = await createToolsAndPolicy(options);
  const { session: _, ...project } = options;
  const files = await openFiles({ ...project, fs: "host" }, toolsAndPolicy.protectionOf);
  const filesystems = closeOnFailure(files.close, () =>
    openToolFilesystems(options, files, toolsAndPolicy.protectionOf),
  );
  return {
    root: files.workspace.root,
    usesFiles: (name) =>
      toolsAndPolicy.registry.get(name)?.needs.some((need) => FILE_NEEDS.has(need)) ?? false,
    tools: (format) => toolDefinitions(toolsAndPolicy.registry.list(toolsAndPolicy.scope), format),
    explain: (tool, args) => explainCall(tool, args, { ...toolsAndPolicy, filesystemOf: filesystems.of }),
    close() {
      filesystems.close();
      files.close();
    },
  };
}
