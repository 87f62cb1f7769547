// Edits the text of YAML: each edit replaces one value or inserts lines, and all other text stays as it is. If an alias,
// an anchor or a tag makes an edit wrong, the caller notices it when it reads the result again.
import { isCollection, isPair, type Pair, type Scalar, type YAMLMap, type YAMLSeq } from "yaml";
import type { Json } from "../../core/json.ts";
import type { Member } from "./frontmatter-changes.ts";
import { blockLines, flowText, indentLines, itemLines, memberLines, memberText } from "./yaml-text.ts";

export interface YamlSource {
  readonly text: string;
  readonly newline: string;
}

export interface YamlEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Edits at the same position keep their order. */
export function applyEdits(text: string, edits: readonly YamlEdit[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    pieces.push(text.slice(at, edit.start), edit.text);
    at = edit.end;
  }
  return pieces.join("") + text.slice(at);
}

export function addItems(source: YamlSource, list: YAMLSeq, items: readonly Json[]): YamlEdit {
  if (list.flow) return addToFlow(list, items.map(flowText));
  return addToBlock(source, list, items.flatMap(itemLines));
}

export function addMembers(source: YamlSource, map: YAMLMap, members: readonly Member[]): YamlEdit {
  if (map.flow) return addToFlow(map, members.map(memberText));
  return addToBlock(source, map, members.flatMap(memberLines));
}

/** At the very end, after comments too. */
export function addTopMembers(source: YamlSource, top: YAMLMap | null, members: readonly Member[]): YamlEdit {
  if (top?.flow) return addMembers(source, top, members);
  return insertLines(source, source.text.length, indentLines(members.flatMap(memberLines), indentOf(top)));
}

/** A comment after the old value stays. */
export function replaceValue({ text }: YamlSource, pair: Pair, value: Json): YamlEdit {
  const colon = afterColon(pair);
  if (colon === null) return insert(endOf(pair), `: ${flowText(value)}`);
  if (isUnwritten(pair)) return insert(colon, ` ${flowText(value)}`);
  const [start, end] = rangeOf(pair.value);
  const between = text.slice(colon, start);
  const isBelow = between.includes("\n") && !between.includes("#");
  const replacement = isBelow ? ` ${flowText(value)}` : flowText(value);
  return { start: isBelow ? colon : start, end: withoutNewlines(text, end), text: replacement };
}

/** A null, written or not, becomes a block collection below its key. */
export function replaceNull(source: YamlSource, top: YAMLMap, pair: Pair, value: Json): YamlEdit[] {
  const colon = afterColon(pair);
  if (top.flow || colon === null) return [replaceValue(source, pair, value)];
  const end = Math.max(colon, endOf(pair));
  const lines = indentLines(indentLines(blockLines(value)), indentOf(top));
  return [{ start: colon, end, text: "" }, insertLines(source, nextLine(source.text, end), lines)];
}

function addToFlow(collection: YAMLMap | YAMLSeq, texts: readonly string[]): YamlEdit {
  const last = collection.items.at(-1);
  const text = texts.join(", ");
  return last ? insert(endOf(last), `, ${text}`) : insert(rangeOf(collection)[0] + 1, text);
}

function addToBlock(source: YamlSource, collection: YAMLMap | YAMLSeq, lines: readonly string[]): YamlEdit {
  const at = behindComments(source.text, nextLine(source.text, endOf(collection)));
  return insertLines(source, at, indentLines(lines, indentOf(collection)));
}

function insert(at: number, text: string): YamlEdit {
  return { start: at, end: at, text };
}

function insertLines({ newline }: YamlSource, at: number, lines: readonly string[]): YamlEdit {
  return insert(at, lines.map((line) => line + newline).join(""));
}

function indentOf(collection: YAMLMap | YAMLSeq | null): string {
  const token = collection?.srcToken;
  return " ".repeat(token && "indent" in token ? token.indent : 0);
}

/** After the last node in it. The range of a block collection extends to the next node. */
function endOf(node: unknown): number {
  if (isPair(node)) {
    return isUnwritten(node) ? (afterColon(node) ?? rangeOf(node.key)[1]) : endOf(node.value);
  }
  if (isCollection(node) && !node.flow && node.items.length > 0) return endOf(node.items.at(-1));
  return rangeOf(node)[1];
}

function isUnwritten({ value }: Pair): boolean {
  if (value === null) return true;
  const [start, end] = rangeOf(value);
  return start === end;
}

function afterColon({ srcToken }: Pair): number | null {
  const colon = srcToken?.sep?.find(({ type }) => type === "map-value-ind");
  return colon ? colon.offset + 1 : null;
}

/** Every node of a parsed text has a range. */
function rangeOf(node: unknown): readonly [start: number, end: number, behindComment: number] {
  return (node as Scalar).range!;
}

/** A block scalar ends with its newline. */
function nextLine(text: string, offset: number): number {
  return text[offset - 1] === "\n" ? offset : text.indexOf("\n", offset) + 1;
}

/** Indented comments belong to the node above them. */
function behindComments(text: string, offset: number): number {
  const comments = /(?:[ \t]+#[^\n]*\n)*/y;
  comments.lastIndex = offset;
  comments.exec(text);
  return comments.lastIndex;
}

function withoutNewlines(text: string, offset: number): number {
  let end = offset;
  while (text[end - 1] === "\n" || text[end - 1] === "\r") end--;
  return end;
}
