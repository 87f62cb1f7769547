import type { JsonObject } from "../core/json.ts";
import type { Effect, FileLimits, RuleOrigin, TrustLevel } from "../core/types.ts";
import type { Interpreter } from "./tool-schema.ts";

/** The complete, checked configuration. It is deeply frozen, so it does not change while a cell is open. */
export interface Config {
  readonly toolRuntime: "builtin" | "wasm";
  readonly toolTimeoutSecs: number;
  readonly toolMemoryMb: number;
  readonly toolAllowDirectNetwork: boolean;
  readonly workspaceFsMode: "host" | "overlay" | "agentfs";
  readonly trust: TrustLevel;
  readonly approve: "effects" | "calls";
  /** Not parsed yet; the policy parses rules. */
  readonly rules: readonly RuleOrigin[];
  readonly toolsets: readonly string[];
  readonly mounts: readonly MountConfig[];
  /** Absolute. */
  readonly storage?: string;
  readonly agents: readonly AgentConfig[];
  readonly tools: readonly ToolConfig[];
  readonly allowedCommands: readonly string[];
  readonly commands: CommandConfig;
  /** Absolute. */
  readonly stateDir: string;
  readonly protect: { readonly secrets: readonly string[]; readonly allow: readonly string[] };
}

export interface MountConfig {
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  readonly access?: "ro" | "rw";
}

export interface AgentConfig extends Partial<FileLimits> {
  readonly id: string;
}

export interface CommandConfig {
  readonly memoryMb: number;
  readonly processes: number;
  readonly diskMb: number;
  readonly outputMb: number;
  /** Absolute. */
  readonly toolchains: readonly string[];
  /** Names only. */
  readonly env: readonly string[];
}

export type ToolConfig = CommandToolConfig | InlineToolConfig;

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

interface CommonToolConfig {
  readonly name: string;
  readonly description: string;
  readonly parameters?: JsonObject;
  /** Names only. */
  readonly secrets?: readonly string[];
  readonly timeoutSecs?: number;
  readonly effect?: Effect;
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
