import { isMap, isScalar, isSeq, type Pair, type YAMLMap } from "yaml";
import { canonicalJson } from "../../core/canonical-json.ts";
import { HotcellError } from "../../core/errors.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { quote } from "../../core/quote.ts";
import {
  changeData,
  changesOf,
  type FrontmatterChange,
  type FrontmatterUpdate,
  type Member,
} from "./frontmatter-changes.ts";
import { updateError } from "./frontmatter-error.ts";
import { type Frontmatter, parseFrontmatter } from "./parse-frontmatter.ts";
import * as edits from "./yaml-edits.ts";

/**
 * Changes only the text of the updated keys. Everything else stays byte for byte: comments, order, quotes, line endings
 * and the body. Throws INVALID_FRONTMATTER.
 */
export function updateFrontmatter(text: string, update: FrontmatterUpdate): string {
  const found = parseFrontmatter(text);
  const changes = changesOf(found.data, update);
  if (changes.length === 0) return text;
  if (found.range === null) return updateFrontmatter(withEmptyFrontmatter(text), update);
  const result = applyChanges(text, found, changes);
  checkResult(result, changes.reduce(changeData, found.data), text.slice(found.range.end));
  return result;
}

function withEmptyFrontmatter(text: string): string {
  const newline = /\r?\n/.exec(text)?.[0] ?? "\n";
  return text.replace(/^\ufeff?/, (mark) => `${mark}---${newline}---${newline}`);
}

function applyChanges(
  text: string,
  { map, range }: Frontmatter,
  changes: readonly FrontmatterChange[],
): string {
  const { start, end } = range!;
  const newline = text.slice(0, start).endsWith("\r\n") ? "\r\n" : "\n";
  const yaml = text.slice(start, end);
  const all = editsOf({ text: yaml, newline }, map, changes);
  return text.slice(0, start) + edits.applyEdits(yaml, all) + text.slice(end);
}

/** A new key follows the values that are added to the last key. */
function editsOf(
  source: edits.YamlSource,
  top: YAMLMap | null,
  changes: readonly FrontmatterChange[],
): edits.YamlEdit[] {
  const pairs = top ? pairsOf(top) : new Map<unknown, Pair>();
  const changed = changes.filter(({ key }) => pairs.has(key));
  const added = changes.filter(({ key }) => !pairs.has(key));
  const members = added.map((change): Member => [change.key, firstValue(change)]);
  const all = changed.flatMap((change) => changePair(source, top!, pairs.get(change.key)!, change));
  return members.length === 0 ? all : [...all, edits.addTopMembers(source, top, members)];
}

function changePair(
  source: edits.YamlSource,
  top: YAMLMap,
  pair: Pair,
  change: FrontmatterChange,
): edits.YamlEdit[] {
  const node = pair.value;
  if (change.kind === "set") return [edits.replaceValue(source, pair, change.value)];
  if (node === null || (isScalar(node) && node.value === null)) {
    return edits.replaceNull(source, top, pair, firstValue(change));
  }
  if (change.kind === "append" && isSeq(node)) return [edits.addItems(source, node, change.items)];
  if (change.kind === "merge" && isMap(node)) return mergeEdits(source, node, change.members);
  throw updateError(`${quote(change.key)} is not a literal value at its key`);
}

/** Where nothing was before. */
function firstValue(change: FrontmatterChange): Json {
  return changeData({}, change)[change.key]!;
}

/** Replacements come first, because an insertion may begin where a replacement ends. */
function mergeEdits(source: edits.YamlSource, map: YAMLMap, members: readonly Member[]): edits.YamlEdit[] {
  const pairs = pairsOf(map);
  const replaced = members.filter(([key]) => pairs.has(key));
  const added = members.filter(([key]) => !pairs.has(key));
  const replacing = replaced.map(([key, value]) => edits.replaceValue(source, pairs.get(key)!, value));
  return added.length === 0 ? replacing : [...replacing, edits.addMembers(source, map, added)];
}

function pairsOf(map: YAMLMap): Map<unknown, Pair> {
  return new Map(map.items.map((pair) => [isScalar(pair.key) && pair.key.value, pair]));
}

/** Aliases, anchors and tags can change the meaning of the new text, and the new values may exceed a limit. */
function checkResult(result: string, expected: JsonObject, rest: string): void {
  const { data, range } = readAgain(result);
  const isExpected = canonicalJson(data) === canonicalJson(expected);
  if (isExpected && result.slice(range!.end) === rest) return;
  throw updateError("after the change, a YAML parser would read another value");
}

function readAgain(result: string): Frontmatter {
  try {
    return parseFrontmatter(result);
  } catch (error) {
    if (!(error instanceof HotcellError)) throw error;
    throw updateError(`after the change, it could not be parsed: ${error.details.reason}`);
  }
}
