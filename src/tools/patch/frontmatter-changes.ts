// Computes the changes of an update as data, before any text changes.
import { canonicalJson } from "../../core/canonical-json.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import { quote } from "../../core/quote.ts";
import { updateError } from "./frontmatter-error.ts";

export interface FrontmatterUpdate {
  readonly stepsCompleted?: { readonly append: readonly string[] };
  readonly variables?: { readonly set: JsonObject };
  readonly decisionLog?: { readonly append: readonly JsonObject[] };
  readonly artifacts?: { readonly append: readonly string[] };
  readonly currentNodeId?: { readonly set: string };
  readonly updatedAt?: { readonly set: string };
}

export type Member = readonly [key: string, value: Json];

/** The change of one key. */
export type FrontmatterChange =
  | { readonly key: string; readonly kind: "append"; readonly items: readonly Json[] }
  | { readonly key: string; readonly kind: "merge"; readonly members: readonly Member[] }
  | { readonly key: string; readonly kind: "set"; readonly value: Json };

/** Empty if the data already has the values of the update. */
export function changesOf(data: JsonObject, update: FrontmatterUpdate): FrontmatterChange[] {
  return [
    appendNew(data, "stepsCompleted", update.stepsCompleted?.append),
    merge(data, "variables", update.variables?.set),
    append(data, "decisionLog", update.decisionLog?.append),
    appendNew(data, "artifacts", update.artifacts?.append),
    set(data, "currentNodeId", update.currentNodeId?.set),
    set(data, "updatedAt", update.updatedAt?.set),
  ].flat();
}

export function changeData(data: JsonObject, change: FrontmatterChange): JsonObject {
  const { key } = change;
  if (change.kind === "append") return { ...data, [key]: [...listAt(data, key), ...change.items] };
  if (change.kind === "set") return { ...data, [key]: change.value };
  return { ...data, [key]: { ...mapAt(data, key), ...Object.fromEntries(change.members) } };
}

function append(data: JsonObject, key: string, items: readonly Json[] = []): FrontmatterChange[] {
  if (items.length === 0) return [];
  listAt(data, key);
  return [{ key, kind: "append", items }];
}

function appendNew(data: JsonObject, key: string, strings: readonly string[] = []): FrontmatterChange[] {
  if (strings.length === 0) return [];
  const present = new Set(listAt(data, key));
  const news = [...new Set(strings)].filter((text) => !present.has(text));
  return append(data, key, news);
}

function merge(data: JsonObject, key: string, members: JsonObject | undefined): FrontmatterChange[] {
  if (members === undefined) return [];
  const present = new Map(Object.entries(mapAt(data, key)));
  const news = Object.entries(members).filter(([name, value]) => !isSame(present.get(name), value));
  return news.length === 0 ? [] : [{ key, kind: "merge", members: news }];
}

function set(data: JsonObject, key: string, value: string | undefined): FrontmatterChange[] {
  return value === undefined || data[key] === value ? [] : [{ key, kind: "set", value }];
}

function isSame(present: Json | undefined, value: Json): boolean {
  return present !== undefined && canonicalJson(present) === canonicalJson(value);
}

function listAt(data: JsonObject, key: string): readonly Json[] {
  const value = data[key] ?? [];
  if (!Array.isArray(value)) throw updateError(`${quote(key)} is not a list`);
  return value;
}

function mapAt(data: JsonObject, key: string): JsonObject {
  const value = data[key] ?? {};
  if (!isJsonObject(value)) throw updateError(`${quote(key)} is not a map`);
  return value;
}
