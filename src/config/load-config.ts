// Merges file, environment and flags into one configuration; the later source wins. A wrong value throws, so that nothing
// starts with an unintended setting.
import os from "node:os";
import path from "node:path";
import { deepFreeze, type Json } from "../core/json.ts";
import type { Config, ConfigSources } from "./config.ts";
import { loadConfigFile } from "./load-config-file.ts";
import { readEnvironment, readFlags } from "./read-settings.ts";
import { CONFIG_PROPERTIES } from "./schema.ts";

/** Throws CONFIG_INVALID with the key, variable or flag, its value, and what is allowed. */
export function loadConfig(sources: ConfigSources): Config {
  const file = loadConfigFile(sources);
  const settings: Config = {
    ...defaultConfig(sources.env),
    ...file,
    ...readEnvironment(sources.env),
    ...readFlags(sources.flags),
  };
  const flagRules = (sources.flags.rule ?? []).map((text) => ({ text, source: "--rule" }));
  const config: Config = {
    ...settings,
    stateDir: path.resolve(sources.cwd, settings.stateDir),
    rules: [...settings.rules, ...flagRules],
  };
  deepFreeze(config as unknown as Json);
  return config;
}

function defaultConfig(env: ConfigSources["env"]): Config {
  return {
    toolRuntime: CONFIG_PROPERTIES.toolRuntime.default,
    toolTimeoutSecs: CONFIG_PROPERTIES.toolTimeoutSecs.default,
    toolMemoryMb: CONFIG_PROPERTIES.toolMemoryMb.default,
    toolAllowDirectNetwork: CONFIG_PROPERTIES.toolAllowDirectNetwork.default,
    workspaceFsMode: CONFIG_PROPERTIES.workspaceFsMode.default,
    trust: CONFIG_PROPERTIES.trust.default,
    approve: CONFIG_PROPERTIES.approve.default,
    rules: CONFIG_PROPERTIES.rules.default,
    toolsets: CONFIG_PROPERTIES.toolsets.default,
    tools: CONFIG_PROPERTIES.tools.default,
    mounts: CONFIG_PROPERTIES.mounts.default,
    agents: CONFIG_PROPERTIES.agents.default,
    allowedCommands: CONFIG_PROPERTIES.allowedCommands.default,
    commands: CONFIG_PROPERTIES.commands.default,
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
