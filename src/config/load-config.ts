// Merges the user's file, the project's or a named file, environment and flags into one configuration; the later source
// wins, and a project's file only tightens. A wrong value throws, so that nothing
// starts with an unintended setting.
import os from "node:os";
import path from "node:path";
import { deepFreeze, type Json } from "../core/json.ts";
import { overrideWith, tightenWith } from "./combine.ts";
import type { Config, ConfigSources } from "./config.ts";
import { loadConfigFile, loadUserConfig } from "./load-config-file.ts";
import { readModelVariables } from "./model-config.ts";
import { readEnvironment, readFlags } from "./read-settings.ts";
import { CONFIG_PROPERTIES } from "./schema.ts";

/** Throws CONFIG_INVALID with the key, variable or flag, its value, and what is allowed. */
export function loadConfig(sources: ConfigSources): Config {
  const user = overrideWith(defaultConfig(sources.env), loadUserConfig(sources));
  const file = loadConfigFile(sources);
  const settings: Config = {
    ...(sources.file === undefined ? tightenWith(user, file) : overrideWith(user, file)),
    ...readEnvironment(sources.env),
    ...readFlags(sources.flags),
  };
  const flagRules = (sources.flags.rule ?? []).map((text) => ({ text, source: "--rule" }));
  const { env } = sources;
  const config: Config = {
    ...settings,
    model: { ...settings.model, ...readModelVariables(sources.env) },
    stateDir: path.resolve(sources.cwd, settings.stateDir),
    rules: [...settings.rules, ...flagRules],
    webSearch: { ...settings.webSearch, ...(env.SEARXNG_URL && { searxngUrl: env.SEARXNG_URL }) },
  };
  deepFreeze(config as unknown as Json);
  return config;
}

function defaultConfig(env: ConfigSources["env"]): Config {
  return {
    toolRuntime: CONFIG_PROPERTIES.toolRuntime.default,
    toolMemoryMb: CONFIG_PROPERTIES.toolMemoryMb.default,
    guestProcesses: CONFIG_PROPERTIES.guestProcesses.default,
    timeoutMs: CONFIG_PROPERTIES.timeoutMs.default,
    toolAllowDirectNetwork: CONFIG_PROPERTIES.toolAllowDirectNetwork.default,
    fs: CONFIG_PROPERTIES.fs.default,
    trust: CONFIG_PROPERTIES.trust.default,
    approve: CONFIG_PROPERTIES.approve.default,
    rules: CONFIG_PROPERTIES.rules.default,
    toolsets: CONFIG_PROPERTIES.toolsets.default,
    tools: CONFIG_PROPERTIES.tools.default,
    mounts: CONFIG_PROPERTIES.mounts.default,
    agents: CONFIG_PROPERTIES.agents.default,
    allowedPrivateHosts: CONFIG_PROPERTIES.allowedPrivateHosts.default,
    networkSets: CONFIG_PROPERTIES.networkSets.default,
    maxResponseBytes: CONFIG_PROPERTIES.maxResponseBytes.default,
    webSearch: CONFIG_PROPERTIES.webSearch.default,
    allowedCommands: CONFIG_PROPERTIES.allowedCommands.default,
    limits: CONFIG_PROPERTIES.limits.default,
    toolchains: CONFIG_PROPERTIES.toolchains.default,
    userToolchains: CONFIG_PROPERTIES.userToolchains.default,
    env: CONFIG_PROPERTIES.env.default,
    secrets: CONFIG_PROPERTIES.secrets.default,
    model: CONFIG_PROPERTIES.model.default,
    profiles: CONFIG_PROPERTIES.profiles.default,
    stateDir: defaultStateDir(env),
    protect: CONFIG_PROPERTIES.protect.default,
  };
}

/** `$HOTCELL_STATE_DIR`, otherwise `$XDG_STATE_HOME/hotcell`, otherwise `~/.local/state/hotcell`. */
export function defaultStateDir(env: ConfigSources["env"]): string {
  if (env.HOTCELL_STATE_DIR) return env.HOTCELL_STATE_DIR;
  const stateHome = env.XDG_STATE_HOME ?? "";
  // The XDG specification requires ignoring a relative path.
  if (path.isAbsolute(stateHome)) return path.join(stateHome, "hotcell");
  return path.join(env.HOME || os.homedir(), ".local", "state", "hotcell");
}
