// Reads YAML as data: core schema, no custom tags, no duplicate keys. Limits are checked before the work is done.
import {
  type Alias,
  Composer,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  type Node,
  type Pair,
  Parser,
  type Scalar,
  visit,
  type YAMLMap,
} from "yaml";
import type { HotcellError } from "../../core/errors.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { LIMITS } from "../../core/limits.ts";
import { makeVisible, quote } from "../../core/quote.ts";
import { yamlError } from "./frontmatter-error.ts";

export interface YamlContent {
  readonly data: JsonObject;
  /** The map of the data; null for an empty document. */
  readonly map: YAMLMap | null;
}

interface Reading {
  readonly source: string;
  readonly targets: ReadonlyMap<Node, Node>;
  entries: number;
}

const MAX_MESSAGE_CHARS = 200;
const NOT_PRINTABLE = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/;

/** The data of a map; an empty document is an empty map. Throws INVALID_FRONTMATTER. */
export function readYaml(source: string): YamlContent {
  const unprintable = source.search(NOT_PRINTABLE);
  if (unprintable !== -1) throw yamlError(source, unprintable, "a control character is not allowed");
  const document = compose(source);
  const top = document.contents;
  if (isNothing(top)) return { data: {}, map: null };
  if (!isMap(top)) throw yamlError(source, startOf(top), "it must be a map of keys and values");
  const reading = { source, targets: aliasTargets(document, source), entries: 0 };
  return { data: readMap(top, 1, reading), map: top };
}

/** An explicit null is not an empty document. */
function isNothing(top: Document["contents"]): top is null | Scalar {
  return top === null || (isScalar(top) && top.value === null && top.source === "");
}

function compose(source: string): Document {
  const composer = new Composer({
    schema: "core",
    stringKeys: true,
    // The library compares each key with all others; readMap does not.
    uniqueKeys: false,
    resolveKnownTags: false,
    keepSourceTokens: true,
  });
  const [document, second] = composer.compose(syntaxTokens(source), true, source.length);
  const [fault] = [...document!.errors, ...document!.warnings];
  if (fault) throw yamlError(source, fault.pos[0], makeVisible(fault.message.slice(0, MAX_MESSAGE_CHARS)));
  if (second) throw yamlError(source, second.range[0], "a second document begins there");
  return document!;
}

// The composer recurses for each level, and near the end of the stack a regular expression that cannot be compiled
// ends the process. So the depth is checked first.
function* syntaxTokens(source: string): ReturnType<Parser["parse"]> {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(source)) {
    yield* parser.next(lexeme);
    if (parser.stack.length > LIMITS.maxFrontmatterDepth) throw tooDeep(source, parser.offset);
  }
  yield* parser.end();
}

/** An alias refers to the last node before it that has its name. */
function aliasTargets(document: Document, source: string): Map<Node, Node> {
  const targets = new Map<Node, Node>();
  const named = new Map<string, Node>();
  const setTarget = (alias: Alias): void => {
    const target = named.get(alias.source);
    if (!target) throw yamlError(source, startOf(alias), `the alias ${quote(alias.source)} has no anchor`);
    targets.set(alias, target);
  };
  visit(document, {
    Alias: (_, alias) => setTarget(alias),
    Value: (_, node) => {
      if (node.anchor) named.set(node.anchor, node);
    },
  });
  return targets;
}

function readNode(node: unknown, depth: number, reading: Reading): Json {
  if (!isNode(node)) return null;
  spendEntry(node, depth, reading);
  if (isAlias(node)) return readNode(reading.targets.get(node), depth + 1, reading);
  if (isMap(node)) return readMap(node, depth + 1, reading);
  if (isSeq(node)) return node.items.map((item) => readNode(item, depth + 1, reading));
  return (node as { readonly value: Json }).value;
}

function spendEntry(node: Node, depth: number, reading: Reading): void {
  if (depth > LIMITS.maxFrontmatterDepth) throw tooDeep(reading.source, startOf(node));
  reading.entries += 1;
  if (reading.entries <= LIMITS.maxFrontmatterEntries) return;
  const reason = `it has more than ${LIMITS.maxFrontmatterEntries} values`;
  throw yamlError(reading.source, startOf(node), reason);
}

function readMap(map: YAMLMap, depth: number, reading: Reading): JsonObject {
  const members = new Map<string, Json>();
  for (const { key, value } of map.items as Pair<Node>[]) {
    const name = String(isScalar(key) ? key.value : key);
    if (members.has(name)) {
      throw yamlError(reading.source, startOf(key), `the key ${quote(name)} occurs twice`);
    }
    members.set(name, readNode(value, depth, reading));
  }
  // Makes every name an own property, `__proto__` too.
  return Object.fromEntries(members);
}

const startOf = (node: Node): number => node.range?.[0] ?? 0;

const tooDeep = (source: string, offset: number): HotcellError =>
  yamlError(source, offset, `it is nested deeper than ${LIMITS.maxFrontmatterDepth} levels`);
