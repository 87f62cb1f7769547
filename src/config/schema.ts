// The schema of the configuration. The validator uses it, and it is published as JSON Schema.
import { LIMITS } from "../core/limits.ts";
import { TRUST_LEVELS } from "../core/types.ts";
import { TOOL_SCHEMA, VARIABLE } from "./tool-schema.ts";

/** The part of JSON Schema that `findFault` understands. */
export interface Schema {
  readonly type: "string" | "integer" | "boolean" | "array" | "object";
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly minLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly required?: readonly string[];
  /** Other keys are refused unless `additionalProperties` has their schema. If both are omitted, any key is valid. */
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: false | Schema;
  /** Alternatives that are distinguished by the value of their key `type`. */
  readonly oneOf?: readonly Schema[];
}

const TEXT: Schema = { type: "string", minLength: 1 };
const MAX_ITEMS = 1000;
/** A number of bytes that is an exact integer. */
const MAX_MIB = 2 ** 30;
/** More than Linux supports. */
const MAX_PROCESSES = 2 ** 22;

const MOUNT: Schema = {
  type: "object",
  additionalProperties: false,
  required: ["name", "path"],
  properties: {
    name: { ...TEXT, description: "Without the @: pkg is @pkg." },
    path: { ...TEXT, description: "Relative to this file." },
    access: {
      type: "string",
      enum: ["ro", "rw"],
      description: "ro unless told otherwise. What is written to rw is on the disk at once.",
    },
  },
};

const upTo = (maximum: number): Schema => ({ type: "integer", minimum: 1, maximum });

const AGENT: Schema = {
  type: "object",
  additionalProperties: false,
  required: ["id"],
  properties: {
    id: TEXT,
    maxReadBytes: upTo(LIMITS.mostOnMounts.maxReadBytes),
    maxWriteBytes: upTo(LIMITS.mostOnMounts.maxWriteBytes),
    maxEntries: upTo(LIMITS.mostOnMounts.maxEntries),
    maxMatches: upTo(LIMITS.mostOnMounts.maxMatches),
  },
};

export const CONFIG_PROPERTIES = {
  $schema: { type: "string", description: "Where editors find this schema." },
  toolRuntime: {
    type: "string",
    enum: ["builtin", "wasm"],
    default: "builtin",
    description: "What runs tools: hotcell's own code, or WebAssembly. TOOL_RUNTIME in the environment.",
  },
  toolTimeoutSecs: {
    type: "integer",
    minimum: 1,
    maximum: Math.floor(LIMITS.maxTimeoutMs / 1000),
    default: LIMITS.toolTimeoutMs / 1000,
    description: "The longest that one call may take, in seconds. TOOL_TIMEOUT_SECS in the environment.",
  },
  toolMemoryMb: {
    type: "integer",
    minimum: 16,
    maximum: 65_536,
    default: 512,
    description:
      "The most memory that one call may use, in MiB; nothing enforces it in this version. TOOL_MEMORY_MB in the environment.",
  },
  toolAllowDirectNetwork: {
    type: "boolean",
    default: false,
    description:
      "Whether tools may dial out by themselves. TOOL_ALLOW_DIRECT_NETWORK in the environment: true, false, 1 or 0.",
  },
  workspaceFsMode: {
    type: "string",
    enum: ["host", "overlay", "agentfs"],
    default: "overlay",
    description:
      "Where writes go: into a copy-on-write session (overlay), or into the project itself (host). WORKSPACE_FS_MODE in the environment, --fs.",
  },
  trust: {
    type: "string",
    enum: TRUST_LEVELS,
    default: "guided",
    description:
      "When to ask: before every call, before dangerous ones, or never. HOTCELL_TRUST in the environment, --trust.",
  },
  approve: {
    type: "string",
    enum: ["effects", "calls"],
    default: "effects",
    description:
      "What trust level guided asks for in a session: what leaves it, or each call of a dangerous tool.",
  },
  rules: {
    type: "array",
    items: TEXT,
    maxItems: MAX_ITEMS,
    default: [],
    description: 'Rules like "allow write_file(src/**)" or "deny run_command(git push *)". More with --rule.',
  },
  toolsets: {
    type: "array",
    items: TEXT,
    minItems: 1,
    maxItems: MAX_ITEMS,
    uniqueItems: true,
    default: ["sidecar"],
    description: "The families of tools that are loaded. --toolset.",
  },
  mounts: {
    type: "array",
    items: MOUNT,
    maxItems: MAX_ITEMS,
    default: [],
    description: "Directories for the toolset mounts, beside @project and @state.",
  },
  storage: {
    type: "string",
    minLength: 1,
    description:
      "The central storage of the toolset studio: a second directory for its file tools, which commands may read. Relative to this file.",
  },
  agents: {
    type: "array",
    items: AGENT,
    maxItems: MAX_ITEMS,
    default: [],
    description: "What agents may read and write at once with the toolset mounts, where it is not the usual.",
  },
  tools: {
    type: "array",
    items: TOOL_SCHEMA,
    maxItems: MAX_ITEMS,
    default: [],
    description: "Tools of your own: programs and scripts, which run in the shield.",
  },
  allowedCommands: {
    type: "array",
    items: TEXT,
    maxItems: MAX_ITEMS,
    uniqueItems: true,
    default: [],
    description: "The bare names of the programs that tools of type command may run. None but these.",
  },
  commands: {
    type: "object",
    additionalProperties: false,
    description: "What commands have and may use up.",
    default: { memoryMb: 4096, processes: 512, diskMb: 8192, outputMb: 64, toolchains: [], env: [] },
    properties: {
      memoryMb: {
        type: "integer",
        minimum: 16,
        maximum: MAX_MIB,
        description: "All processes of one command together, in MiB.",
      },
      processes: {
        type: "integer",
        minimum: 8,
        maximum: MAX_PROCESSES,
        description: "At once, of one command.",
      },
      diskMb: { ...upTo(MAX_MIB), description: "What a session may have on the disk, in MiB." },
      outputMb: { ...upTo(MAX_MIB), description: "What one command may write out, in MiB." },
      toolchains: {
        type: "array",
        items: TEXT,
        maxItems: MAX_ITEMS,
        description:
          "Directories outside the system that commands may read and run from, like /home/me/.pyenv/versions/3.12; relative to this file.",
      },
      env: {
        type: "array",
        items: VARIABLE,
        maxItems: MAX_ITEMS,
        description: "Names of variables that commands get from hotcell's own environment.",
      },
    },
  },
  stateDir: {
    type: "string",
    minLength: 1,
    description:
      "Where logs are kept; relative to this file. HOTCELL_STATE_DIR in the environment, --state-dir.",
  },
  protect: {
    type: "object",
    additionalProperties: false,
    description: "Changes to the list of protected paths.",
    default: { secrets: [], allow: [] },
    properties: {
      secrets: {
        type: "array",
        items: TEXT,
        maxItems: MAX_ITEMS,
        description: "More globs that no tool may read or write.",
      },
      allow: {
        type: "array",
        items: TEXT,
        maxItems: MAX_ITEMS,
        description: "Globs that are not protected.",
      },
    },
  },
} as const satisfies Readonly<Record<string, Schema>>;

export const CONFIG_SCHEMA = {
  $schema: "http://json-schema.org/draft-07/schema#",
  title: "hotcell.config.json",
  type: "object",
  additionalProperties: false,
  properties: CONFIG_PROPERTIES,
} as const;
