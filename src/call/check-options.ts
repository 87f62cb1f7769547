// Checks the options of openCell before anything is opened, with the validator of the configuration file.
import { formatKey } from "../config/check-json-text.ts";
import { describeUnknownKey, findFault } from "../config/find-fault.ts";
import { CONFIG_PROPERTIES, type Schema } from "../config/schema.ts";
import { HotcellError } from "../core/errors.ts";
import type { ToolPermission, ToolScope } from "../policy/scope.ts";
import { DEFAULT_LIMITS } from "../shield/process/limits.ts";
import type { MountOptions } from "../workspace/mounts/mount.ts";
import type { CellOptions } from "./cell-options.ts";

const TEXT: Schema = { type: "string" };
const COUNT: Schema = { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER };
const { timeoutMs: _, ...COMMAND_LIMITS } = DEFAULT_LIMITS;

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

/** Every option. Options with null, such as functions and choices, are checked where they are used. */
const OPTIONS: Readonly<Record<keyof CellOptions, Schema | null>> = {
  workspace: TEXT,
  stateDir: TEXT,
  session: TEXT,
  run: TEXT,
  storage: TEXT,
  fs: CONFIG_PROPERTIES.workspaceFsMode,
  strategy: { type: "string", enum: ["kernel", "clone"] },
  toolsets: { type: "array", items: TEXT },
  tools: { type: "array" },
  trust: null,
  approvals: null,
  approve: null,
  rules: { type: "array" },
  scope: { type: "object", required: ["permissions"], properties: SCOPE },
  mounts: {
    type: "object",
    additionalProperties: { type: "object", required: ["path"], properties: MOUNT },
  },
  agentId: TEXT,
  agents: { type: "object" },
  protect: CONFIG_PROPERTIES.protect,
  secrets: { type: "array", items: TEXT },
  toolchains: CONFIG_PROPERTIES.commands.properties.toolchains,
  env: { type: "object" },
  limits: {
    type: "object",
    properties: Object.fromEntries(Object.keys(COMMAND_LIMITS).map((name) => [name, COUNT])),
  },
  timeoutMs: null,
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
