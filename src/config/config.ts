import type { Json, JsonObject } from "../core/json.ts";
import type { Effect, FileLimits, RuleOrigin, TrustLevel } from "../core/types.ts";
import type { ModelConfig } from "./model-config.ts";
import type { CONFIG_PROPERTIES } from "./schema.ts";
import type { HttpToolMethod, Interpreter } from "./tool-schema.ts";

/** The complete, checked configuration. It is deeply frozen, so it does not change while a cell is open. */
export interface Config {
  readonly toolRuntime: "builtin" | "wasm";
  readonly toolMemoryMb: number;
  readonly guestProcesses: number;
  readonly timeoutMs: number;
  readonly toolAllowDirectNetwork: boolean;
  readonly fs: "host" | "overlay" | "agentfs";
  readonly trust: TrustLevel;
  readonly approve: "effects" | "calls";
  /** Not parsed yet; the policy parses rules. */
  readonly rules: readonly RuleOrigin[];
  readonly toolsets: readonly string[];
  readonly mounts: Readonly<Record<string, MountConfig>>;
  /** Absolute. */
  readonly storage?: string;
  readonly agents: Readonly<Record<string, Partial<FileLimits>>>;
  readonly tools: readonly ToolConfig[];
  readonly allowedCommands: readonly string[];
  readonly allowedPrivateHosts: readonly string[];
  readonly networkSets: Readonly<Record<string, readonly string[]>>;
  readonly maxResponseBytes: number;
  readonly webSearch: WebSearchConfig;
  readonly limits: LimitsConfig;
  /** Absolute. */
  readonly toolchains: readonly string[];
  readonly userToolchains: boolean;
  /** Names only. */
  readonly env: readonly string[];
  /** Names only. */
  readonly secrets: readonly string[];
  readonly model: ModelConfig;
  readonly profiles: Readonly<Record<string, ProfileConfig>>;
  /** Absolute. */
  readonly stateDir: string;
  readonly protect: Readonly<Record<"secrets" | "readonly" | "allow", readonly string[]>>;
}

/** The settings of one file. */
export interface FileConfig extends Partial<Omit<Config, "protect" | "limits" | "webSearch">> {
  readonly protect?: Partial<Config["protect"]>;
  readonly limits?: Partial<LimitsConfig>;
  readonly webSearch?: Partial<WebSearchConfig>;
}

export interface MountConfig {
  /** Absolute. */
  readonly path: string;
  readonly access?: "ro" | "rw";
}

export type LimitsConfig = Readonly<Record<keyof typeof CONFIG_PROPERTIES.limits.properties, number>>;

export interface WebSearchConfig {
  readonly searxngUrl: string;
  readonly engines: readonly string[];
}

/** What a program needs to run in a cell. */
export interface ProfileConfig {
  readonly description?: string;
  readonly program: string;
  readonly arguments?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  /** Names only. */
  readonly secrets?: readonly string[];
  readonly hosts?: readonly string[];
  readonly homeFiles?: readonly string[];
  readonly searched?: readonly string[];
  readonly install?: string;
}

export type ToolConfig =
  | CommandToolConfig
  | InlineToolConfig
  | HttpToolConfig
  | WasmToolConfig
  | JsToolConfig;

interface GrantConfig {
  readonly model_access?: boolean;
  readonly network?: readonly string[] | boolean;
  readonly filesystem?: "none" | "read" | "write";
  readonly env?: readonly string[];
}

export interface WasmToolConfig {
  readonly type: "wasm";
  /** Absolute. */
  readonly path: string;
  readonly grant?: GrantConfig;
}

interface JsToolConfig {
  readonly type: "js";
  readonly grant?: GrantConfig;
  readonly limits?: { readonly timeout?: number; readonly memory?: number; readonly fuel?: number };
}

interface CommandToolConfig extends CommonToolConfig {
  readonly type: "command";
  readonly command: string;
  readonly args?: readonly string[];
}

interface InlineToolConfig extends CommonToolConfig {
  readonly type: "inline";
  readonly interpreter: Interpreter;
  readonly script: string;
}

interface HttpToolConfig extends Omit<CommonToolConfig, "effect"> {
  readonly type: "http";
  readonly url: string;
  readonly method?: HttpToolMethod;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Json;
}

interface CommonToolConfig {
  readonly name: string;
  readonly description: string;
  readonly parameters?: JsonObject;
  /** Names only. */
  readonly secrets?: readonly string[];
  readonly timeoutMs?: number;
  readonly effect?: Exclude<Effect, "session">;
}

/** Flags of the command line, as written. */
export interface ConfigFlags {
  readonly fs?: string | undefined;
  readonly trust?: string | undefined;
  readonly stateDir?: string | undefined;
  readonly toolset?: readonly string[] | undefined;
  readonly rule?: readonly string[] | undefined;
}

export interface ConfigSources {
  /** A file that the user named, relative to `cwd`; it must exist. */
  readonly file?: string | undefined;
  /** The directory to search for `hotcell.config.json` if no file is named; `cwd` if omitted. */
  readonly workspace?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: ConfigFlags;
  readonly cwd: string;
}
