// Reads settings from the environment and from flags. The schema of the file checks them too.
import { HotcellError } from "../core/errors.ts";
import { LIMITS } from "../core/limits.ts";
import type { Config, ConfigFlags, ConfigSources } from "./config.ts";
import { findFault } from "./find-fault.ts";
import { CONFIG_PROPERTIES, type Schema } from "./schema.ts";

type SettingName = keyof typeof CONFIG_PROPERTIES & keyof Config;

const VARIABLES: readonly (readonly [SettingName, string])[] = [
  ["toolRuntime", "TOOL_RUNTIME"],
  ["toolMemoryMb", "TOOL_MEMORY_MB"],
  ["toolAllowDirectNetwork", "TOOL_ALLOW_DIRECT_NETWORK"],
  ["fs", "WORKSPACE_FS_MODE"],
  ["trust", "HOTCELL_TRUST"],
  ["stateDir", "HOTCELL_STATE_DIR"],
];

/** An empty variable counts as not set. */
export function readEnvironment(env: ConfigSources["env"]): Partial<Config> {
  const given = VARIABLES.filter(([, variable]) => (env[variable] ?? "") !== "");
  return {
    ...Object.fromEntries(
      given.map(([name, variable]) => [name, readSetting(name, env[variable], `the variable ${variable}`)]),
    ),
    ...readTimeout(env.TOOL_TIMEOUT_SECS),
  };
}

const SECONDS: Schema = { type: "integer", minimum: 1, maximum: Math.floor(LIMITS.maxTimerMs / 1000) };

function readTimeout(given = ""): Pick<Config, "timeoutMs"> | undefined {
  if (given === "") return undefined;
  const seconds = checkSetting(
    "timeoutMs",
    fromText(given, SECONDS),
    SECONDS,
    "the variable TOOL_TIMEOUT_SECS",
  );
  return { timeoutMs: Number(seconds) * 1000 };
}

const FLAGS: readonly (readonly [SettingName, Exclude<keyof ConfigFlags, "rule">, string])[] = [
  ["fs", "fs", "--fs"],
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
  return checkSetting(name, typeof given === "string" ? fromText(given, schema) : given, schema, place);
}

function checkSetting(name: SettingName, value: unknown, schema: Schema, place: string): unknown {
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
