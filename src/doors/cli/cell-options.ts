import path from "node:path";
import type { CellOptions } from "../../cell.ts";
import type { Config } from "../../config/config.ts";
import { loadConfig } from "../../config/load-config.ts";
import { CONFIG_PROPERTIES } from "../../config/schema.ts";
import { checkSessionName } from "../../workspace/session/registry/named-session.ts";
import { configuredTools } from "./configured-tools.ts";
import { type Io, usage } from "./io.ts";
import type { CellFlags } from "./main.ts";
import { networkSetRules } from "./network-sets.ts";
import { findSession, readWait, workspaceOf } from "./session/find-session.ts";
import { readStrategy } from "./session/read-strategy.ts";

/** The cell that flags, environment and configuration file describe. */
export async function cellOptions(io: Io, flags: CellFlags): Promise<CellOptions> {
  const { options, config } = await configuredCell(io, flags);
  return { ...options, ...(await toolModel(io, options, config)) };
}

/** The model of tools with `model_access`, where no other is chosen. */
export async function toolModel(
  io: Io,
  { tools = [] }: Pick<CellOptions, "tools">,
  config: Config,
): Promise<Pick<CellOptions, "model">> {
  if (config.model.provider === undefined || !tools.some(({ wasm }) => wasm?.model)) return {};
  const { openChatModel } = await import("./chat/open-chat-model.ts");
  return { model: openChatModel(io, config, {}).model };
}

export interface ConfiguredCell {
  readonly options: CellOptions;
  readonly config: Config;
}

/** The same with the configuration itself. */
export async function configuredCell(io: Io, flags: CellFlags): Promise<ConfiguredCell> {
  const run = readName(flags);
  const strategy = readStrategy(flags.strategy, flags.session);
  const found = flags.session === undefined ? null : await findSession(io, flags.session, flags);
  const workspace = found?.workspace ?? workspaceOf(io, flags);
  const config = loadConfig({ file: flags.config, workspace, env: io.env, flags, cwd: io.cwd });
  const { tools, secrets } = configuredTools(config, io.env);
  const options: CellOptions = {
    workspace,
    // An existing session keeps its mode; the default is not another one.
    ...((flags.fs !== undefined || config.fs !== CONFIG_PROPERTIES.fs.default) && { fs: config.fs }),
    ...(flags.database !== undefined && { database: path.resolve(io.cwd, flags.database) }),
    ...(found !== null && { session: found.id }),
    ...(run !== undefined && { run }),
    ...(strategy && { strategy }),
    toolsets: config.toolsets.filter((name) => name !== "js" || config.toolRuntime === "wasm"),
    mounts: config.mounts,
    ...(config.storage !== undefined && { storage: config.storage }),
    agents: config.agents,
    tools,
    secrets: [...secrets, ...Object.values(valuesOf(config.secrets, io.env))],
    trust: config.trust,
    approve: config.approve,
    rules: [
      ...config.rules,
      ...networkSetRules(flags.allowNetwork ?? [], config, { env: io.env, workspace }),
    ],
    toolAllowDirectNetwork: config.toolAllowDirectNetwork,
    protect: config.protect,
    stateDir: config.stateDir,
    waitMs: readWait(flags.wait),
    timeoutMs: config.timeoutMs,
    toolMemoryMb: config.toolMemoryMb,
    guestProcesses: config.guestProcesses,
    limits: config.limits,
    toolchains: config.toolchains,
    userToolchains: config.userToolchains,
    env: valuesOf(config.env, io.env),
    allowedPrivateHosts: config.allowedPrivateHosts,
    maxResponseBytes: config.maxResponseBytes,
    webSearch: {
      ...config.webSearch,
      ...(io.env.BRAVE_API_KEY && { braveApiKey: io.env.BRAVE_API_KEY }),
    },
  };
  return { options, config };
}

/** A name makes a session at its first use, and continues it later. */
function readName({ name, session }: CellFlags): string | undefined {
  if (name === undefined) return undefined;
  if (session !== undefined) throw usage("--name and --session both choose a session: give one of them.");
  checkSessionName(name);
  return name;
}

function valuesOf(names: readonly string[], env: Io["env"]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}
