import type { Config, ToolConfig } from "../../config/config.ts";
import { HotcellError } from "../../core/errors.ts";
import { quote } from "../../core/quote.ts";
import { commandTool } from "../../tools/configured/command-tool.ts";
import { inlineTool } from "../../tools/configured/inline-tool.ts";
import type { Tool } from "../../tools/define-tool.ts";
import type { Io } from "./io.ts";

export interface ConfiguredTools {
  readonly tools: readonly Tool[];
  /** The values of all that they are given. */
  readonly secrets: readonly string[];
}

/** The tools of a configuration, with the values of their secrets from the environment. */
export function configuredTools(
  { tools, allowedCommands }: Pick<Config, "tools" | "allowedCommands">,
  env: Io["env"],
): ConfiguredTools {
  const given = tools.map((tool) => secretsOf(tool, env));
  return {
    tools: tools.map((tool, index) => makeTool(tool, given[index]!, allowedCommands)),
    secrets: [...new Set(given.flatMap((secrets) => Object.values(secrets)))],
  };
}

function makeTool(
  config: ToolConfig,
  secrets: Readonly<Record<string, string>>,
  allowedCommands: readonly string[],
): Tool {
  const { timeoutSecs, ...settings } = config;
  const own = { secrets, ...(timeoutSecs !== undefined && { timeoutMs: timeoutSecs * 1000 }) };
  return settings.type === "command"
    ? commandTool({ ...settings, ...own, allowedCommands })
    : inlineTool({ ...settings, ...own });
}

/** A variable that is set to nothing counts as not set. */
function secretsOf({ name, secrets = [] }: ToolConfig, env: Io["env"]): Record<string, string> {
  const values = new Map(Object.entries(env));
  return Object.fromEntries(
    secrets.map((secret) => [secret, values.get(secret) || missing(name, secret)] as const),
  );
}

function missing(tool: string, secret: string): never {
  const state = "the environment has no such variable";
  throw new HotcellError(
    "CONFIG_INVALID",
    `Could not give the tool ${quote(tool)} its secret ${quote(secret)}: ${state}. Set it, or take it from the tool's "secrets".`,
    { tool, secret },
  );
}
