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

const TEXT: Schema = { type: "string" };
const NAME: Schema = { type: "string", minLength: 1 };

/** A schema for each key of a type: the compiler ensures that the keys are complete. */
type SchemasOf<T> = Readonly<Record<keyof T, Schema>>;

const MOUNT: SchemasOf<MountOptions> = { path: TEXT, access: TEXT };
const PERMISSION: SchemasOf<ToolPermission> = {
  allowed: { type: "boolean" },
  paths: { type: "array", items: TEXT },
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
const OPTIONS: Readonly<Record<keyof CellOptions, Schema | null>> = {
  workspace: NAME,
  stateDir: NAME,
  session: NAME,
  run: NAME,
  storage: NAME,
  fs: CONFIG_PROPERTIES.fs,
  database: NAME,
  strategy: { type: "string", enum: ["kernel", "clone"] },
  toolsets: { type: "array", items: TEXT },
  tools: { type: "array" },
  trust: null,
  approve: null,
  onAsk: null,
  rules: { type: "array" },
  scope: { type: "object", required: ["permissions"], properties: SCOPE },
  mounts: {
    type: "object",
    additionalProperties: { type: "object", required: ["path"], properties: MOUNT },
  },
  agentId: TEXT,
  deterministic: { type: "boolean" },
  model: null,
  modelAccess: { type: "array", items: TEXT },
  agents: { type: "object" },
  protect: CONFIG_PROPERTIES.protect,
  secrets: { type: "array", items: TEXT },
  toolchains: CONFIG_PROPERTIES.toolchains,
  home: NAME,
  readable: { type: "array", items: TEXT },
  allowedPrivateHosts: CONFIG_PROPERTIES.allowedPrivateHosts,
  toolAllowDirectNetwork: CONFIG_PROPERTIES.toolAllowDirectNetwork,
  maxResponseBytes: CONFIG_PROPERTIES.maxResponseBytes,
  webSearch: { type: "object", properties: WEB_SEARCH },
  userToolchains: { type: "boolean" },
  env: { type: "object" },
  limits: CONFIG_PROPERTIES.limits,
  timeoutMs: CONFIG_PROPERTIES.timeoutMs,
  toolMemoryMb: CONFIG_PROPERTIES.toolMemoryMb,
  guestProcesses: CONFIG_PROPERTIES.guestProcesses,
  waitMs: { type: "integer", minimum: 0, maximum: LIMITS.maxTimerMs },
  onProgress: null,
};

export const OPTION_NAMES: readonly string[] = Object.keys(OPTIONS);

/** Throws CONFIG_INVALID with the first option that is wrong, what it is, and what is allowed. */
export function checkOptions(options: CellOptions): void {
  refuseUnknownKeys(options, { known: OPTION_NAMES, action: "open the cell" });
  const schemas = new Map(Object.entries(OPTIONS));
  // Null also means that there is no scope.
  const given = withoutUndefined({ ...options, scope: options.scope ?? undefined });
  for (const [name, value] of Object.entries(given)) {
    const schema = schemas.get(name);
    const fault = schema && findFault(value, schema, [name]);
    if (fault) throw refused("open the cell", formatKey(fault.path), fault.problem);
  }
  for (const name of ["onAsk", "onProgress"] as const)
    if (options[name] !== undefined && typeof options[name] !== "function")
      throw refused("open the cell", name, `is ${quote(options[name])}; allowed is a function`);
  if (options.model !== undefined && typeof options.model?.sendMessage !== "function")
    throw refused("open the cell", "model", "is no model; open one with openModel of hotcell/agent");
  for (const tool of Object.keys(options.scope?.permissions ?? {})) scopeTimeoutMs(options.scope, tool);
  const wrong = (options.tools ?? []).findIndex((tool) => typeof tool?.subjects !== "function");
  if (wrong >= 0) throw refused("open the cell", `tools[${wrong}]`, "is no tool; make it with defineTool");
}

/** The options of one call or of one operation on a session. */
export function checkCallOptions(options: unknown): void {
  if (!isJsonObject(options))
    throw refused("run the call", "the options", `are ${quote(options)}; allowed is an object`);
  const { signal, onEvent, agentId, ...lists } = options as Readonly<Record<string, unknown>>;
  for (const name of ["paths", "hunks", "roots"])
    if (lists[name] !== undefined && !Array.isArray(lists[name]))
      throw refused("run the call", name, `is ${quote(lists[name])}; allowed is a list`);
  if (signal !== undefined && !(signal instanceof AbortSignal))
    throw refused("run the call", "signal", `is ${quote(signal)}; allowed is an AbortSignal`);
  if (agentId !== undefined && typeof agentId !== "string")
    throw refused("run the call", "agentId", `is ${quote(agentId)}; allowed is text`);
  if (onEvent !== undefined && typeof onEvent !== "function")
    throw refused("run the call", "onEvent", `is ${quote(onEvent)}; allowed is a function`);
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
