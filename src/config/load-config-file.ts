import os from "node:os";
import path from "node:path";
import { HotcellError } from "../core/errors.ts";
import { quote } from "../core/quote.ts";
import { checkJsonText } from "./check-json-text.ts";
import type { ConfigSources, FileConfig, LimitsConfig, MountConfig } from "./config.ts";
import { readConfigFile } from "./read-config-file.ts";
import { type JsonText, readJson } from "./read-json.ts";
import { CONFIG_PROPERTIES, CONFIG_SCHEMA } from "./schema.ts";

const CONFIG_FILE_NAME = "hotcell.config.json";

/** The settings of the file; none if no file is named and the workspace has none. */
export function loadConfigFile({ file, workspace = "", cwd }: ConfigSources): FileConfig {
  const source = file ?? CONFIG_FILE_NAME;
  const location = path.resolve(cwd, file ?? path.join(workspace, CONFIG_FILE_NAME));
  const text = readConfigFile(location, source, file === undefined);
  if (text !== null) {
    const json = readJson(text, source);
    const settings = readSettings(json, source, path.dirname(location), file === undefined);
    if (file === undefined) refuseLoosening(json.value as FileSettings, path.relative(cwd, location));
    return settings;
  }
  if (file === undefined) return {};
  throw missing(source);
}

/** The user's own file, for all projects: `$HOTCELL_CONFIG`, else `hotcell/config.json` in XDG's directory if it is there. */
export function loadUserConfig({ env, cwd }: ConfigSources): FileConfig {
  const named = env.HOTCELL_CONFIG ?? "";
  const location =
    named === "" ? path.join(configHome(env), "hotcell/config.json") : path.resolve(cwd, named);
  const text = readConfigFile(location, location);
  if (text !== null) return readSettings(readJson(text, location), location, path.dirname(location), false);
  if (named === "") return {};
  throw missing(named);
}

/** The XDG specification requires ignoring a relative path. */
function configHome({ XDG_CONFIG_HOME: home = "", HOME }: ConfigSources["env"]): string {
  return path.isAbsolute(home) ? home : path.join(HOME || os.homedir(), ".config");
}

function missing(source: string): HotcellError {
  return new HotcellError(
    "CONFIG_INVALID",
    `Could not read the configuration ${quote(source)}: there is no such file.`,
  );
}

/** The content of a file that matches the schema. */
interface FileSettings extends Omit<FileConfig, "rules"> {
  readonly $schema?: string;
  readonly rules?: readonly string[];
}

/**
 * A project may contain its own file, and a hostile project would allow itself everything. So a file that the user did
 * not name must not weaken the protection of the user.
 */
function refuseLoosening(settings: FileSettings, location: string): void {
  const { rules = [], trust, protect, toolAllowDirectNetwork, fs, stateDir } = settings;
  const {
    tools,
    allowedCommands,
    limits = {},
    toolchains,
    env,
    secrets,
    mounts = {},
    storage,
    agents = {},
    allowedPrivateHosts,
    networkSets = {},
    webSearch,
    toolsets = [],
    model,
    profiles = {},
  } = settings;
  const loosening = [
    ...rules.filter((rule) => /^\s*allow\b/.test(rule)).map(quote),
    ...LIMITING.filter((key) => (settings[key] ?? 0) > CONFIG_PROPERTIES[key].default).map(quote),
    ...(trust === "autonomous" ? ['"trust": "autonomous"'] : []),
    ...(protect?.allow?.length ? ['"protect.allow"'] : []),
    // The model would read its descriptions, this process would compile its schemas, and it would get the user's secrets.
    ...(tools?.length ? ['"tools"'] : []),
    ...(allowedCommands?.length ? ['"allowedCommands"'] : []),
    ...(allowedPrivateHosts?.length ? ['"allowedPrivateHosts"'] : []),
    ...(Object.keys(networkSets).length > 0 ? ['"networkSets"'] : []),
    // It would send the words of the user's searches to a server of its choice.
    ...(webSearch === undefined ? [] : ['"webSearch"']),
    // Their web_search sends a model's words out without a question.
    ...toolsets
      .filter((name) => TOOLSETS_WITH_WEB.includes(name))
      .map((name) => `"toolsets": [${quote(name)}]`),
    ...(Object.keys(mounts).length > 0 ? ['"mounts"'] : []),
    ...(storage === undefined ? [] : ['"storage"']),
    ...(Object.keys(agents).length > 0 ? ['"agents"'] : []),
    ...looserLimits(limits).map((name) => quote(`limits.${name}`)),
    ...(toolchains?.length ? ['"toolchains"'] : []),
    ...(env?.length ? ['"env"'] : []),
    // With a variable such as PWD it would remove from the log what the user wants to read there.
    ...(secrets?.length ? ['"secrets"'] : []),
    ...(toolAllowDirectNetwork ? ['"toolAllowDirectNetwork"'] : []),
    // Another model would get the user's files, at the user's cost.
    ...(model === undefined ? [] : ['"model"']),
    // It could take the name of a built-in profile, and give itself hosts, variables and files of the user.
    ...(Object.keys(profiles).length > 0 ? ['"profiles"'] : []),
    ...(fs === "host" ? ['"fs": "host"'] : []),
    ...(stateDir === undefined ? [] : ['"stateDir"']),
  ];
  if (loosening.length === 0) return;
  const found = `it belongs to the workspace, and it contains ${loosening.join(", ")}`;
  throw new HotcellError(
    "CONFIG_INVALID",
    `Could not use ${CONFIG_FILE_NAME}: ${found}. If you trust it, pass it explicitly: --config ${location}`,
  );
}

const TOOLSETS_WITH_WEB: readonly string[] = ["studio", "web"];

const LIMITING = ["timeoutMs", "maxResponseBytes", "toolMemoryMb", "guestProcesses"] as const;

function looserLimits(limits: Partial<LimitsConfig>): string[] {
  const usual = new Map<string, number>(Object.entries(CONFIG_PROPERTIES.limits.default));
  return Object.entries(limits).flatMap(([name, value]) => (value > usual.get(name)! ? [name] : []));
}

function readSettings(json: JsonText, source: string, directory: string, isFound: boolean): FileConfig {
  checkJsonText(json, CONFIG_SCHEMA, source, "CONFIG_INVALID");
  const { $schema: _, rules = [], ...settings } = json.value as FileSettings;
  const { stateDir, storage, mounts, toolchains, tools } = settings;
  const here = (at: string) => path.resolve(directory, at);
  const atHere = ([name, mount]: [string, MountConfig]) => [name, { ...mount, path: here(mount.path) }];
  return {
    ...settings,
    ...(stateDir !== undefined && { stateDir: here(stateDir) }),
    ...(storage !== undefined && { storage: here(storage) }),
    ...(mounts !== undefined && { mounts: Object.fromEntries(Object.entries(mounts).map(atHere)) }),
    ...(toolchains !== undefined && { toolchains: toolchains.map(here) }),
    ...(tools !== undefined && {
      tools: tools.map((tool) => (tool.type === "wasm" ? { ...tool, path: here(tool.path) } : tool)),
    }),
    rules: rules.map((text, index) => ({
      text,
      source,
      line: json.lineOf(["rules", index]),
      ...(isFound && { ofProject: true }),
    })),
  };
}
