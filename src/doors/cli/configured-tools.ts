import type { Config, ToolConfig } from "../../config/config.ts";
import { HotcellError } from "../../core/errors.ts";
import { quote } from "../../core/quote.ts";
import { commandTool } from "../../tools/configured/command-tool.ts";
import { httpTool } from "../../tools/configured/http-tool.ts";
import { inlineTool } from "../../tools/configured/inline-tool.ts";
import type { Tool } from "../../tools/define-tool.ts";
import { runJsTool } from "../../tools/wasm/run-js.ts";
import { wasmTool } from "../../tools/wasm/wasm-tool.ts";
import type { Io } from "./io.ts";

export interface ConfiguredTools {
  readonly tools: readonly Tool[];
  /** The values of all secrets that the tools get. */
  readonly secrets: readonly string[];
}

/** The tools of a configuration, with the values of their secrets from the environment. */
export function configuredTools(
  { tools: all, allowedCommands, toolRuntime }: Pick<Config, "tools" | "allowedCommands" | "toolRuntime">,
  env: Io["env"],
): ConfiguredTools {
  const tools = all.filter(({ type }) => (type !== "wasm" && type !== "js") || toolRuntime === "wasm");
  const given = tools.map((tool) => secretsOf(tool, env));
  return {
    tools: tools.map((tool, index) => makeTool(tool, given[index]!, allowedCommands, env)),
    secrets: [...new Set(given.flatMap((secrets) => Object.values(secrets)))],
  };
}

function makeTool(
  config: ToolConfig,
  secrets: Readonly<Record<string, string>>,
  allowedCommands: readonly string[],
  env: Io["env"],
): Tool {
  switch (config.type) {
    case "command":
      return commandTool({ ...withoutType(config), secrets, allowedCommands });
    case "inline":
      return inlineTool({ ...withoutType(config), secrets });
    case "http":
      return httpTool({ ...withoutType(config), secrets });
    case "wasm":
      return wasmTool({ path: config.path, ...(config.grant && { grant: config.grant }), env });
    case "js":
      return runJsTool({ ...withoutType(config), env });
  }
}

function withoutType<Definition extends ToolConfig>({ type: _, ...options }: Definition) {
  return options;
}

/** A variable that is set to nothing counts as not set. */
function secretsOf(config: ToolConfig, env: Io["env"]): Record<string, string> {
  // The variables of a wasm tool are known with its manifest; what it was granted counts as secret.
  if (config.type === "wasm" || config.type === "js")
    return Object.fromEntries(
      (config.grant?.env ?? []).flatMap((name) => (env[name] ? [[name, env[name]]] : [])),
    );
  const { name, secrets = [] } = config;
  const values = new Map(Object.entries(env));
  return Object.fromEntries(
    secrets.map((secret) => [secret, values.get(secret) || missing(name, secret)] as const),
  );
}

function missing(tool: string, secret: string): never {
  const state = "the environment has no such variable";
  throw new HotcellError(
    "CONFIG_INVALID",
    `Could not give the tool ${quote(tool)} its secret ${quote(secret)}: ${state}. Set the variable, or remove it from the tool's "secrets".`,
    { tool, secret },
  );
}
