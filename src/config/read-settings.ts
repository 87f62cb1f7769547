// Reads settings from the environment and from flags. The schema of the file checks them too.
import { HotcellError } from "../core/errors.ts";
import type { Config, ConfigFlags, ConfigSources } from "./config.ts";
import { findFault } from "./find-fault.ts";
import { CONFIG_PROPERTIES, type Schema } from "./schema.ts";

type SettingName = keyof typeof CONFIG_PROPERTIES & keyof Config;

const VARIABLES: readonly (readonly [SettingName, string])[] = [
  ["toolRuntime", "TOOL_RUNTIME"],
  ["toolTimeoutSecs", "TOOL_TIMEOUT_SECS"],
  ["toolMemoryMb", "TOOL_MEMORY_MB"],
  ["toolAllowDirectNetwork", "TOOL_ALLOW_DIRECT_NETWORK"],
  ["workspaceFsMode", "WORKSPACE_FS_MODE"],
  ["trust", "HOTCELL_TRUST"],
  ["stateDir", "HOTCELL_STATE_DIR"],
];

/** An empty variable counts as not set. */
export function readEnvironment(env: ConfigSources["env"]): Partial<Config> {
  const given = VARIABLES.filter(([, variable]) => (env[variable] ?? "") !== "");
  return Object.fromEntries(
    given.map(([name, variable]) => [name, readSetting(name, env[variable], `the variable ${variable}`)]),
  );
}

const FLAGS: readonly (readonly [SettingName, Exclude<keyof ConfigFlags, "rule">, string])[] = [
  ["workspaceFsMode", "fs", "--fs"],
  ["trust", "trust", "--trust"],
  ["stateDir", "stateDir", "--state-dir"],
  ["toolsets", "toolset", "--toolset"],
];

export function readFlags(flags: ConfigFlags): Partial<Config> {
  const given = FLAGS.filter(([, flag]) => flags[flag] !== undefined);
  return Object.fromEntries(
    given.map(([name, flag, written]) => [name, readSetting(name, flags[flag], written)]),
  );
}

function readSetting(
  name: SettingName,
  given: string | readonly string[] | undefined,
  place: string,
): unknown {
  const schema: Schema = CONFIG_PROPERTIES[name];
  const value = typeof given === "string" ? fromText(given, schema) : given;
  const fault = findFault(value, schema);
  if (fault)
    throw new HotcellError("CONFIG_INVALID", `Could not use ${place}: it ${fault.problem}.`, {
      setting: name,
    });
  return value;
}

/** Converts a text to its value. Returns the text itself if that fails, so that the schema check refuses it. */
function fromText(text: string, schema: Schema): unknown {
  if (schema.type === "integer") return /^\d{1,15}$/.test(text) ? Number(text) : text;
  if (schema.type === "boolean") return BOOLEANS.get(text) ?? text;
  return text;
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);
