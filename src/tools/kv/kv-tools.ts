// The toolset `kv`: values of the session by key, with the names and arguments of AgentFS's MCP server. The values are
// notes of the agent: they are in no file of the project, and no rewind changes them.
import { HotcellError } from "../../core/errors.ts";
import type { Json } from "../../core/json.ts";
import { quote } from "../../core/quote.ts";
import type { KvGetOutput, KvKeyArguments, KvListArguments, KvSetArguments } from "../builtin-types.ts";
import { fittingItems } from "../coding/fit-items.ts";
import { defineTool } from "../define-tool.ts";
import { KV_DELETE_OUTPUT, KV_GET_OUTPUT, KV_LIST_OUTPUT, KV_SET_OUTPUT } from "../output/output-schemas.ts";

const common = { toolset: "kv", category: "info", danger: "safe" } as const;

const key = (description: string) => ({ type: "string", minLength: 1, description }) as const;
const keyOnly = (description: string) =>
  ({
    type: "object",
    properties: { key: key(description) },
    required: ["key"],
    additionalProperties: false,
  }) as const;

export const kvGet = defineTool({
  ...common,
  name: "kv_get",
  description: "Get a value that kv_set stored in this session.",
  input: keyOnly("The key of the value"),
  outputSchema: KV_GET_OUTPUT,
  effect: "read",
  needs: ["kv", "limits"],
  async run({ key }: KvKeyArguments, { kv, limits: { observationBytes } }): Promise<KvGetOutput> {
    const value = await kv.get(key);
    if (value === undefined) return { key, found: false, value: null };
    if (sizeOf(value) <= observationBytes) return { key, found: true, value };
    throw new HotcellError(
      "OUTPUT_LIMIT",
      `Could not show the value of ${quote(key)}: it has ${sizeOf(value)} bytes, more than the ${observationBytes} of an observation.`,
    );
  },
});

export const kvSet = defineTool({
  ...common,
  name: "kv_set",
  description:
    "Store a value under a key, for later calls in this session. It replaces the old value. Rewinds do not change it, and commits leave it out of the project.",
  input: {
    type: "object",
    properties: {
      key: key("The key, such as task/status"),
      value: { description: "Any JSON value" },
    },
    required: ["key", "value"],
    additionalProperties: false,
  },
  outputSchema: KV_SET_OUTPUT,
  effect: "change",
  needs: ["kv", "limits"],
  async run({ key, value }: KvSetArguments, { kv, limits: { observationBytes } }) {
    if (sizeOf(value) <= observationBytes) return { key, created: await kv.set(key, value) };
    throw new HotcellError(
      "WRITE_TOO_LARGE",
      `Could not set the key ${quote(key)}: its value has ${sizeOf(value)} bytes, and kv_get shows at most ${observationBytes}. Write it to a file.`,
    );
  },
});

export const kvDelete = defineTool({
  ...common,
  name: "kv_delete",
  description: "Delete a key and its value from this session.",
  input: keyOnly("The key to delete"),
  outputSchema: KV_DELETE_OUTPUT,
  effect: "change",
  needs: ["kv"],
  run: async ({ key }: KvKeyArguments, { kv }) => ({ key, deleted: await kv.delete(key) }),
});

export const kvList = defineTool({
  ...common,
  name: "kv_list",
  description: "List the keys of this session that have a value.",
  input: {
    type: "object",
    properties: {
      prefix: { type: "string", description: "Only keys that begin with it. Default: all keys" },
    },
    additionalProperties: false,
  },
  outputSchema: KV_LIST_OUTPUT,
  effect: "read",
  needs: ["kv", "limits"],
  async run({ prefix = "" }: KvListArguments, { kv, limits: { observationBytes } }) {
    const all = (await kv.list(prefix)).map(({ key }) => key);
    const keys = fittingItems(all, observationBytes);
    if (keys.length === all.length) return { keys, truncated: false };
    const note = `Only the first ${keys.length} of ${all.length} keys are shown: give a longer prefix.`;
    return { keys, truncated: true, note };
  },
});

/** As JSON. */
const sizeOf = (value: Json): number => Buffer.byteLength(JSON.stringify(value));
