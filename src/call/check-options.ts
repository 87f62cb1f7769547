// What a program gives to openCell is checked by the same means as a configuration file, before anything is opened.
import { formatKey } from "../config/check-json-text.ts";
import { findFault } from "../config/find-fault.ts";
import { CONFIG_PROPERTIES, type Schema } from "../config/schema.ts";
import { HotcellError } from "../core/errors.ts";
import { isJsonObject } from "../core/json.ts";
import { DEFAULT_LIMITS } from "../shield/limits.ts";

const TEXT: Schema = { type: "string" };
const COUNT: Schema = { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER };
const { timeoutMs: _, ...COMMAND_LIMITS } = DEFAULT_LIMITS;

/** What a schema can't say, as tools and functions, is checked where it is used. */
const OPTIONS: ReadonlyMap<string, Schema> = new Map<string, Schema>([
  ["workspace", TEXT],
  ["stateDir", TEXT],
  ["session", TEXT],
  ["run", TEXT],
  ["storage", TEXT],
  ["fs", CONFIG_PROPERTIES.workspaceFsMode],
  ["strategy", { type: "string", enum: ["kernel", "clone"] }],
  ["toolsets", { type: "array", items: TEXT }],
  ["rules", { type: "array" }],
  ["mounts", { type: "object" }],
  ["agents", { type: "object" }],
  ["protect", CONFIG_PROPERTIES.protect],
  ["secrets", { type: "array", items: TEXT }],
  ["toolchains", CONFIG_PROPERTIES.commands.properties.toolchains],
  ["env", { type: "object" }],
  [
    "limits",
    {
      type: "object",
      properties: Object.fromEntries(Object.keys(COMMAND_LIMITS).map((name) => [name, COUNT])),
    },
  ],
]);

/** Throws CONFIG_INVALID with the first option that is wrong, what it is, and what is allowed. */
export function checkOptions(options: object): void {
  for (const [name, value] of Object.entries(withoutUndefined(options))) {
    const schema = OPTIONS.get(name);
    const fault = schema && findFault(isJsonObject(value) ? withoutUndefined(value) : value, schema, [name]);
    if (fault)
      throw new HotcellError(
        "CONFIG_INVALID",
        `Could not open the cell: ${formatKey(fault.path)} ${fault.problem}.`,
      );
  }
}

/** What is undefined counts as left out. */
export function withoutUndefined<T extends object>(given: T): T {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as T;
}
