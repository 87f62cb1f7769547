// Finds regular expressions in a schema that a short text can keep busy for ever.
import { RegExpParser, visitRegExpAST } from "@eslint-community/regexpp";
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";

/** The first such pattern; null if there is none. */
export function findSlowPattern(schema: JsonObject): string | null {
  for (const pattern of patternsOf(schema)) if (isSlow(pattern)) return pattern;
  return null;
}

/** All patterns of a schema. */
export function* patternsOf(schema: JsonObject): Generator<string> {
  const todo: Json[] = [schema];
  for (let value = todo.pop(); value !== undefined; value = todo.pop()) {
    if (typeof value !== "object" || value === null) continue;
    if (isJsonObject(value)) {
      if (typeof value.pattern === "string") yield value.pattern;
      if (isJsonObject(value.patternProperties)) yield* Object.keys(value.patternProperties);
    }
    for (const member of Object.values(value)) todo.push(member as Json);
  }
}

/** An unlimited repeat that contains another one, alternatives or a back-reference. Some of these are harmless. */
function isSlow(pattern: string): boolean {
  let repeats = 0;
  let found = false;
  const inside = () => {
    if (repeats > 0) found = true;
  };
  try {
    visitRegExpAST(new RegExpParser().parsePattern(pattern, undefined, undefined, { unicode: true }), {
      onQuantifierEnter({ max }) {
        if (max < MANY) return;
        inside();
        repeats++;
      },
      onQuantifierLeave({ max }) {
        if (max >= MANY) repeats--;
      },
      onGroupEnter({ alternatives }) {
        if (alternatives.length > 1) inside();
      },
      onCapturingGroupEnter({ alternatives }) {
        if (alternatives.length > 1) inside();
      },
      onBackreferenceEnter: inside,
    });
  } catch {
    // ajv refuses what is no regular expression, and says so.
    return false;
  }
  return found;
}

const MANY = 16;
