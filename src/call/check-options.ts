// Checks the options of openCell before anything is opened, with the validator of the configuration file.
import { formatKey } from "../config/check-json-text.ts";
import { describeUnknownKey, findFault } from "../config/find-fault.ts";
import { CONFIG_PROPERTIES, type Schema } from "../config/schema.ts";
import { HotcellError } from "../core/errors.ts";
import { isJsonObject } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import { quote } from "../core/quote.ts";
import type { WebSearchOptions } from "../net/network-clients.ts";
import { scopeTimeoutMs, type ToolPermission, type ToolScope } from "../policy/scope.ts";
import type { MountOptions } from "../workspace/mounts/mount.ts";
import type { CellOptions } from "./cell-options.ts";

export const TEXT: Schema = { type: "string" };
export const TEXTS: Schema = { type: "array", items: TEXT };
export const BOOLEAN: Schema = { type: "boolean" };
export const NAME: Schema = { type: "string", minLength: 1 };

/** A schema for each key of a type: the compiler ensures that the keys are complete. */
type SchemasOf<T> = Readonly<Record<keyof T, Schema>>;

/** The same for options. Null: no JSON, or checked where it is used. */
export type OptionSchemas<T> = Readonly<Record<keyof T, Schema | null>>;

interface OtherType {
  readonly allowed: string;
  readonly fits: (value: unknown) => boolean;
}

const FUNCTION: OtherType = { allowed: "a function", fits: (value) => typeof value === "function" };

/** What no schema can describe, by the name of the option. */
const OTHER_TYPES: ReadonlyMap<string, OtherType> = new Map([
  ["signal", { allowed: "an AbortSignal", fits: (value: unknown) => value instanceof AbortSignal }],
  ["onAsk", FUNCTION],
  ["onEvent", FUNCTION],
  ["onProgress", FUNCTION],
  ["packageDir", FUNCTION],
]);

const MOUNT: SchemasOf<MountOptions> = { path: TEXT, access: TEXT };
const PERMISSION: SchemasOf<ToolPermission> = {
  allowed: BOOLEAN,
  paths: TEXTS,
  timeout: TEXT,
};
const SCOPE: SchemasOf<ToolScope> = {
  permissions: { type: "object", additionalProperties: { type: "object", properties: PERMISSION } },
};

const WEB_SEARCH: SchemasOf<WebSearchOptions> = {
  ...CONFIG_PROPERTIES.webSearch.properties,
  braveApiKey: TEXT,
};

/** Every option. Options with null, such as functions and choices, are checked where they are used. */
const OPTIONS: OptionSchemas<CellOptions> = {
  workspace: NAME,
  stateDir: NAME,
  session: NAME,
  run: NAME,
  storage: NAME,
  fs: CONFIG_PROPERTIES.fs,
  database: NAME,
  strategy: { type: "string", enum: ["kernel", "clone"] },
  toolsets: TEXTS,
  tools: { type: "array" },
  trust: CONFIG_PROPERTIES.trust,
  approve: CONFIG_PROPERTIES.approve,
  onAsk: null,
  rules: { type: "array" },
  scope: { type: "object", required: ["permissions"], properties: SCOPE },
  mounts: {
    type: "object",
    additionalProperties: { type: "object", required: ["path"], properties: MOUNT },
  },
  agentId: TEXT,
  deterministic: BOOLEAN,
  model: null,
  modelAccess: TEXTS,
  agents: { type: "object" },
  protect: CONFIG_PROPERTIES.protect,
  secrets: TEXTS,
  toolchains: CONFIG_PROPERTIES.toolchains,
  home: NAME,
  readable: TEXTS,
  allowedPrivateHosts: CONFIG_PROPERTIES.allowedPrivateHosts,
  toolAllowDirectNetwork: CONFIG_PROPERTIES.toolAllowDirectNetwork,
  maxResponseBytes: CONFIG_PROPERTIES.maxResponseBytes,
  webSearch: { type: "object", properties: WEB_SEARCH },
  userToolchains: BOOLEAN,
  env: { type: "object" },
  limits: CONFIG_PROPERTIES.limits,
  timeoutMs: CONFIG_PROPERTIES.timeoutMs,
  toolMemoryMb: CONFIG_PROPERTIES.toolMemoryMb,
  guestProcesses: CONFIG_PROPERTIES.guestProcesses,
  waitMs: { type: "integer", minimum: 0, maximum: LIMITS.maxTimerMs },
  maxSessions: { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
  onProgress: null,
};

export const OPTION_NAMES: readonly string[] = Object.keys(OPTIONS);

/** Throws CONFIG_INVALID with the first option that is wrong, what it is, and what is allowed. */
export function checkOptions(options: CellOptions, action = "open the cell"): void {
  // Null also means that there is no scope.
  const given = options?.scope === null ? { ...options, scope: undefined } : options;
  checkTypes(given, action, OPTIONS);
  if (options.model !== undefined && typeof options.model?.sendMessage !== "function")
    throw refused(action, "model", "is no model; open one with openModel of hotcell/agent");
  for (const tool of Object.keys(options.scope?.permissions ?? {})) scopeTimeoutMs(options.scope, tool);
  const wrong = (options.tools ?? []).findIndex((tool) => typeof tool?.subjects !== "function");
  if (wrong >= 0) throw refused(action, `tools[${wrong}]`, "is no tool; make it with defineTool");
}

/** Throws CONFIG_INVALID with the first option that is unknown or of a wrong type. */
export function checkTypes(given: object, action: string, types: OptionSchemas<object>): void {
  const schemas = new Map(Object.entries<Schema | null>(types));
  refuseUnknownKeys(given, { known: [...schemas.keys()], action });
  for (const [name, value] of Object.entries(withoutUndefined(given))) {
    const schema = schemas.get(name);
    const fault = schema && findFault(value, schema, [name]);
    if (fault) throw refused(action, formatKey(fault.path), fault.problem);
    const other = OTHER_TYPES.get(name);
    if (other && !other.fits(value))
      throw refused(action, name, `is ${quote(value)}; allowed is ${other.allowed}`);
  }
}

/** Throws INVALID_ARGUMENTS if an argument of a method is missing or of a wrong type. */
export function checkArgument(action: string, name: string, value: unknown, schema: Schema): void {
  const fault = findFault(value, schema, [name]);
  if (fault === null) return;
  const message = `Could not ${action}: ${formatKey(fault.path)} ${fault.problem}.`;
  throw new HotcellError("INVALID_ARGUMENTS", message);
}

export interface KnownKeys {
  readonly known: readonly string[];
  /** For the error message: `open the cell`. */
  readonly action: string;
  /** The key of the object in the options, if it is not the options object itself. */
  readonly at?: string;
}

/** A caller without a compiler may misspell an option, which would silently have no effect. */
export function refuseUnknownKeys(given: object, { known, action, at }: KnownKeys): void {
  if (!isJsonObject(given))
    throw refused(action, at ?? "the options", `are ${quote(given)}; allowed is an object`);
  const unknown = Object.keys(withoutUndefined(given)).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  const name = at === undefined ? unknown : `${at}.${unknown}`;
  throw refused(action, name, describeUnknownKey(unknown, known));
}

function refused(action: string, name: string, problem: string): HotcellError {
  return new HotcellError("CONFIG_INVALID", `Could not ${action}: ${name} ${problem}.`);
}

/** An undefined value counts as omitted. */
export function withoutUndefined<T extends object>(given: T): T {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as T;
}
