// The schema of the configuration. The validator uses it, and it is published as JSON Schema.
import { LIMITS } from "../core/limits.ts";
import { TRUST_LEVELS } from "../core/types.ts";
import { MODEL_SCHEMA } from "./model-config.ts";
import { PROFILE_SCHEMA } from "./profile-schema.ts";
import { TOOL_SCHEMA, VARIABLE } from "./tool-schema.ts";

/** The part of JSON Schema that `findFault` understands. */
export interface Schema {
  /** Any value if omitted. */
  readonly type?: "string" | "integer" | "number" | "boolean" | "array" | "object";
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
const TEXTS: Schema = { type: "array", items: TEXT, maxItems: MAX_ITEMS };
/** More than Linux supports. */
const MAX_PROCESSES = 2 ** 22;

const MOUNT: Schema = {
  type: "object",
  additionalProperties: false,
  required: ["path"],
  properties: {
    path: { ...TEXT, description: "Relative to this file." },
    access: {
      type: "string",
      enum: ["ro", "rw"],
      description: "The default is ro. Writes to an rw mount take effect immediately.",
    },
  },
};

const COUNT: Schema = { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER };
const upTo = (maximum: number): Schema => ({ type: "integer", minimum: 1, maximum });

const AGENT: Schema = {
  type: "object",
  additionalProperties: false,
  properties: {
    maxReadBytes: upTo(LIMITS.mostOnMounts.maxReadBytes),
    maxWriteBytes: upTo(LIMITS.mostOnMounts.maxWriteBytes),
    maxEntries: upTo(LIMITS.mostOnMounts.maxEntries),
    maxMatches: upTo(LIMITS.mostOnMounts.maxMatches),
  },
};

export const CONFIG_PROPERTIES = {
  $schema: { type: "string", description: "The location of this schema, for editors." },
  toolRuntime: {
    type: "string",
    enum: ["builtin", "wasm"],
    default: "wasm",
    description:
      "Whether wasm tools are loaded: wasm loads them, builtin leaves them out. TOOL_RUNTIME in the environment.",
  },
  toolMemoryMb: {
    type: "integer",
    minimum: 1,
    maximum: LIMITS.wasm.maxMemoryMiB,
    default: LIMITS.toolMemoryMiB,
    description:
      "The most memory that a wasm tool may have, in MiB, whatever its manifest asks for. TOOL_MEMORY_MB in the environment.",
  },
  guestProcesses: {
    type: "integer",
    minimum: 1,
    maximum: 64,
    default: LIMITS.guestProcesses,
    description: "The processes in which wasm tools run, at most. Further calls wait for a free one.",
  },
  timeoutMs: {
    type: "integer",
    minimum: 1,
    maximum: LIMITS.maxTimerMs,
    default: LIMITS.toolTimeoutMs,
    description:
      "The time limit of one call, in milliseconds. TOOL_TIMEOUT_SECS in the environment, in seconds.",
  },
  toolAllowDirectNetwork: {
    type: "boolean",
    default: false,
    description:
      "Whether commands use this machine's own network instead of granted hosts only. TOOL_ALLOW_DIRECT_NETWORK in the environment: true, false, 1 or 0.",
  },
  fs: {
    type: "string",
    enum: ["host", "overlay", "agentfs"],
    default: "overlay",
    description:
      "Where writes go: into a copy-on-write session (overlay), into one that is also a file of AgentFS (agentfs), or into the project itself (host). WORKSPACE_FS_MODE in the environment, --fs.",
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
      "What needs approval at trust level guided in a session: effects outside the session, or each call of a dangerous tool.",
  },
  rules: {
    ...TEXTS,
    default: [],
    description: 'Rules like "allow write_file(src/**)" or "deny run_command(git push *)". More with --rule.',
  },
  toolsets: {
    ...TEXTS,
    minItems: 1,
    uniqueItems: true,
    default: ["coding"],
    description: "The toolsets to load. --toolset.",
  },
  mounts: {
    type: "object",
    additionalProperties: MOUNT,
    default: {},
    description:
      "Directories for the toolset mounts, beside @project and @state, by name without the @: pkg is @pkg.",
  },
  storage: {
    type: "string",
    minLength: 1,
    description:
      "The central storage of the toolset studio: a second directory for its file tools, which commands may read. Relative to this file.",
  },
  agents: {
    type: "object",
    additionalProperties: AGENT,
    default: {},
    description:
      "How much an agent may read and write in one call with the toolset mounts, by agent id. Other agents have the default limits.",
  },
  tools: {
    type: "array",
    items: TOOL_SCHEMA,
    maxItems: MAX_ITEMS,
    default: [],
    description: "Custom tools: programs and scripts, which run in the sandbox.",
  },
  allowedPrivateHosts: {
    ...TEXTS,
    uniqueItems: true,
    default: [],
    description:
      'Exact pairs of host and port with a private address that tools of type http and granted commands may reach, like "localhost:3000".',
  },
  networkSets: {
    type: "object",
    additionalProperties: TEXTS,
    default: {},
    description:
      'Sets of hosts with their ports, by name: { "work": ["git.example.com:443"] }. --allow-network work lets commands reach them.',
  },
  maxResponseBytes: {
    ...upTo(1024 ** 3),
    default: LIMITS.maxResponseBytes,
    description: "The most that a tool of type http reads of a response, in bytes. The rest is cut.",
  },
  webSearch: {
    type: "object",
    additionalProperties: false,
    description: "Where web_search searches. It asks Brave second, if BRAVE_API_KEY is in the environment.",
    default: { searxngUrl: "http://localhost:8080", engines: ["bing", "duckduckgo", "brave"] },
    properties: {
      searxngUrl: {
        ...TEXT,
        description: "The address of a SearXNG instance. SEARXNG_URL in the environment.",
      },
      engines: {
        ...TEXTS,
        uniqueItems: true,
        description: "The engines that SearXNG asks. Its own choice if the list is empty.",
      },
    },
  },
  allowedCommands: {
    ...TEXTS,
    uniqueItems: true,
    default: [],
    description:
      "The names of the programs, without a path, that tools of type command may run. All others are refused.",
  },
  limits: {
    type: "object",
    additionalProperties: false,
    description:
      "The limits of one command, and of what an observation shows. Sizes are in bytes. An omitted limit has its default.",
    default: { ...LIMITS.command, observationBytes: LIMITS.observationBytes },
    properties: {
      observationBytes: {
        type: "integer",
        minimum: 1024,
        maximum: 1024 * 1024,
        description: "What one observation of the toolsets coding, processes, js and kv shows a model.",
      },
      cpuSeconds: { ...COUNT, description: "CPU time of one process." },
      memoryBytes: {
        ...COUNT,
        minimum: 16 * 1024 * 1024,
        description: "Memory of all processes of one command together.",
      },
      processes: {
        type: "integer",
        minimum: 8,
        maximum: MAX_PROCESSES,
        description: "Processes of one command at once.",
      },
      fileBytes: { ...COUNT, description: "The size of one file that a command writes." },
      openFiles: { ...COUNT, description: "Open files of one process." },
      diskBytes: { ...COUNT, description: "Disk space of a session." },
      homeBytes: { ...COUNT, description: "Disk space of the home of a profile of hotcell run." },
      outputBytes: { ...COUNT, description: "The output of one command." },
      maxTimeoutMs: {
        type: "integer",
        minimum: 1,
        maximum: LIMITS.maxTimerMs,
        description: "The longest time that a call may ask for with timeout_ms.",
      },
    },
  },
  toolchains: {
    ...TEXTS,
    default: [],
    description:
      "Directories outside the system that commands may read and run from, like /home/me/.pyenv/versions/3.12; relative to this file.",
  },
  userToolchains: {
    type: "boolean",
    default: true,
    description:
      "Whether commands see the directories on your PATH that belong to version managers, and ~/.local/bin, read-only.",
  },
  env: {
    type: "array",
    items: VARIABLE,
    maxItems: MAX_ITEMS,
    default: [],
    description: "Names of variables that commands get from hotcell's own environment.",
  },
  secrets: {
    type: "array",
    items: VARIABLE,
    maxItems: MAX_ITEMS,
    default: [],
    description:
      "Names of variables of hotcell's own environment whose values must not appear in the log. Commands get those that env names too.",
  },
  model: MODEL_SCHEMA,
  profiles: {
    type: "object",
    additionalProperties: PROFILE_SCHEMA,
    default: {},
    description:
      "Programs for hotcell run, by name, beside those that hotcell brings along. A name has small letters, digits and -.",
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
    default: { secrets: [], readonly: [], allow: [] },
    properties: {
      secrets: {
        ...TEXTS,
        description: "More globs that no tool may read or write.",
      },
      readonly: {
        ...TEXTS,
        description: "Globs that no tool, command or commit may write.",
      },
      allow: {
        ...TEXTS,
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
