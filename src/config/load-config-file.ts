import path from "node:path";
import { HotcellError } from "../core/errors.ts";
import { quote } from "../core/quote.ts";
import { checkJsonText } from "./check-json-text.ts";
import type { CommandConfig, Config, ConfigSources } from "./config.ts";
import { readConfigFile } from "./read-config-file.ts";
import { type JsonText, readJson } from "./read-json.ts";
import { CONFIG_PROPERTIES, CONFIG_SCHEMA } from "./schema.ts";

const CONFIG_FILE_NAME = "hotcell.config.json";

/** The settings of the file; none if no file is named and the workspace has none. */
export function loadConfigFile({ file, workspace = "", cwd }: ConfigSources): Partial<Config> {
  const source = file ?? CONFIG_FILE_NAME;
  const location = path.resolve(cwd, file ?? path.join(workspace, CONFIG_FILE_NAME));
  const text = readConfigFile(location, source, file === undefined);
  if (text !== null) {
    const json = readJson(text, source);
    const settings = readSettings(json, source, path.dirname(location));
    if (file === undefined) refuseLoosening(json.value as FileSettings, path.relative(cwd, location));
    return settings;
  }
  if (file === undefined) return {};
  throw new HotcellError(
    "CONFIG_INVALID",
    `Could not read the configuration ${quote(source)}: there is no such file.`,
  );
}

/** The content of a file that matches the schema. */
interface FileSettings extends Partial<Omit<Config, "rules" | "protect" | "commands">> {
  readonly $schema?: string;
  readonly rules?: readonly string[];
  readonly protect?: Partial<Config["protect"]>;
  readonly commands?: Partial<CommandConfig>;
}

/**
 * A project may contain its own file, and a hostile project would allow itself everything. So a file that the user did
 * not name must not weaken the protection of the user.
 */
function refuseLoosening(settings: FileSettings, location: string): void {
  const { rules = [], trust, protect, toolAllowDirectNetwork, workspaceFsMode, stateDir } = settings;
  const { tools, allowedCommands, commands = {}, mounts, storage, agents } = settings;
  const loosening = [
    ...rules.filter((rule) => LOOSE_RULE.test(rule)).map(quote),
    ...LIMITING.filter((key) => (settings[key] ?? 0) > CONFIG_PROPERTIES[key].default).map(quote),
    ...(trust === "autonomous" ? ['"trust": "autonomous"'] : []),
    ...(protect?.allow?.length ? ['"protect.allow"'] : []),
    // The model would read its descriptions, this process would compile its schemas, and it would get the user's secrets.
    ...(tools?.length ? ['"tools"'] : []),
    ...(allowedCommands?.length ? ['"allowedCommands"'] : []),
    ...(mounts?.length ? ['"mounts"'] : []),
    ...(storage === undefined ? [] : ['"storage"']),
    ...(agents?.length ? ['"agents"'] : []),
    ...looserCommands(commands).map((key) => quote(`commands.${key}`)),
    ...(toolAllowDirectNetwork ? ['"toolAllowDirectNetwork"'] : []),
    ...(workspaceFsMode === "host" ? ['"workspaceFsMode": "host"'] : []),
    ...(stateDir === undefined ? [] : ['"stateDir"']),
  ];
  if (loosening.length === 0) return;
  const found = `the workspace brings it along, and it has ${loosening.join(", ")}`;
  throw new HotcellError(
    "CONFIG_INVALID",
    `Could not use ${CONFIG_FILE_NAME}: ${found}. If you trust it, name it: --config ${location}`,
  );
}

/** An allow rule, or an ask rule that overrides the built-in deny list. */
const LOOSE_RULE = /^\s*(allow\b|ask\s+(\*|run[._]command|bash))/;
const LIMITING = ["toolTimeoutSecs", "toolMemoryMb"] as const;

function looserCommands(commands: Partial<CommandConfig>): string[] {
  const { default: usual } = CONFIG_PROPERTIES.commands;
  const more = (["memoryMb", "processes", "diskMb", "outputMb"] as const).filter(
    (key) => (commands[key] ?? 0) > usual[key],
  );
  return [...more, ...(["toolchains", "env"] as const).filter((key) => commands[key]?.length)];
}

function readSettings(json: JsonText, source: string, directory: string): Partial<Config> {
  checkJsonText(json, CONFIG_SCHEMA, source, "CONFIG_INVALID");
  const { $schema: _, rules = [], protect, commands, ...settings } = json.value as FileSettings;
  const { stateDir, storage, mounts } = settings;
  const { toolchains = [] } = commands ?? {};
  const here = (at: string) => path.resolve(directory, at);
  return {
    ...settings,
    ...(stateDir !== undefined && { stateDir: here(stateDir) }),
    ...(storage !== undefined && { storage: here(storage) }),
    ...(mounts !== undefined && { mounts: mounts.map((mount) => ({ ...mount, path: here(mount.path) })) }),
    rules: rules.map((text, index) => ({ text, source, line: json.lineOf(["rules", index]) })),
    protect: { ...CONFIG_PROPERTIES.protect.default, ...protect },
    commands: {
      ...CONFIG_PROPERTIES.commands.default,
      ...commands,
      toolchains: toolchains.map(here),
    },
  };
}
