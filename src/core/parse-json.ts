// Strict, bounded JSON. It refuses text that two parsers could read differently, and keys that could reach a prototype,
// before JSON.parse builds anything.
import { HotcellError } from "./errors.ts";
import type { Json } from "./json.ts";
import { LIMITS } from "./limits.ts";
import { makeVisible, quote } from "./quote.ts";

export interface JsonLimits {
  readonly maxBytes: number;
  readonly maxDepth: number;
}

const CALL_LIMITS: JsonLimits = { maxBytes: LIMITS.maxCallBytes, maxDepth: LIMITS.maxCallDepth };

/** Throws INVALID_ARGUMENTS with the position and the reason. */
export function parseJson(text: string, limits: JsonLimits = CALL_LIMITS): Json {
  if (Buffer.byteLength(text) > limits.maxBytes) {
    throw unreadable(`it is larger than ${limits.maxBytes} bytes. Send less.`);
  }
  scan(text, limits.maxDepth);
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw unreadable(describeSyntaxError(text, error as SyntaxError));
  }
}

/** An object that is open at the scanner's position; arrays are null. */
interface OpenObject {
  readonly keys: Set<string>;
  /** The key of which this object is the value. */
  readonly under: string | undefined;
}

// Assumes valid JSON; JSON.parse reports syntax errors afterwards.
function scan(text: string, maxDepth: number): void {
  const open: (OpenObject | null)[] = [];
  let key: string | undefined;
  let entries = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case '"': {
        const end = endOfString(text, at);
        const object = open.at(-1);
        if (object && isFollowedByColon(text, end)) key = addKey(object, text, at, end);
        at = end;
        break;
      }
      case "{":
      case "[":
        if (open.length >= maxDepth) {
          throw unreadable(`it nests deeper than ${maxDepth} levels ${place(text, at)}.`);
        }
        open.push(text[at] === "[" ? null : { keys: new Set(), under: open.at(-1) ? key : undefined });
        entries++;
        break;
      case "}":
      case "]":
        open.pop();
        break;
      case ",":
        entries++;
        break;
      default:
        at = checkNumber(text, at);
    }
    if (entries > LIMITS.maxCallEntries) {
      throw unreadable(`it has more than ${LIMITS.maxCallEntries} entries.`);
    }
  }
}

/** The index of the closing quote; the end of the text if there is none. */
function endOfString(text: string, open: number): number {
  let quoteAt = text.indexOf('"', open + 1);
  while (quoteAt !== -1 && isEscaped(text, quoteAt)) quoteAt = text.indexOf('"', quoteAt + 1);
  return quoteAt === -1 ? text.length : quoteAt;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === "\\") backslashes++;
  return backslashes % 2 === 1;
}

function isFollowedByColon(text: string, end: number): boolean {
  let next = end + 1;
  while (isWhitespace(text[next])) next++;
  return text[next] === ":";
}

function isWhitespace(char: string | undefined): boolean {
  return char === " " || char === "\n" || char === "\r" || char === "\t";
}

function addKey(object: OpenObject, text: string, start: number, end: number): string {
  const key = decodeKey(text.slice(start, end + 1));
  if (object.keys.has(key)) {
    throw unreadable(`the key ${quote(key)} comes twice, again ${place(text, start)}. Send each key once.`);
  }
  if (reachesPrototype(key, object.under)) {
    throw unreadable(`the key ${quote(key)} ${place(text, start)} is not allowed. Leave it out.`);
  }
  object.keys.add(key);
  return key;
}

/** True for keys with which a careless merge would change every object of the process. */
export function reachesPrototype(key: string, under: string | number | undefined): boolean {
  return key === "__proto__" || (key === "prototype" && under === "constructor");
}

function decodeKey(literal: string): string {
  if (!literal.includes("\\")) return literal.slice(1, -1);
  try {
    return JSON.parse(literal) as string;
  } catch {
    return literal;
  }
}

const NUMBER_CHARS = "0123456789+-.eE";

/** The index of the number's last character, or of a character that does not begin a number. */
function checkNumber(text: string, start: number): number {
  let end = start;
  while (end < text.length && NUMBER_CHARS.includes(text[end]!)) end++;
  if (end === start) return start;
  if (Math.abs(Number(text.slice(start, end))) === Infinity) {
    throw unreadable(`the number ${quote(text.slice(start, end))} ${place(text, start)} is too large.`);
  }
  return end - 1;
}

function describeSyntaxError(text: string, error: SyntaxError): string {
  const [, what, at] = /^(.*?)(?: in JSON)? at position (\d+)(?: \(.*\))?$/s.exec(error.message) ?? [];
  if (what === undefined) return `${makeVisible(error.message)}.`;
  return `${makeVisible(what)} ${place(text, Number(at))}.`;
}

function place(text: string, at: number): string {
  const before = text.slice(0, at).split("\n");
  return `at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

function unreadable(reason: string): HotcellError {
  return new HotcellError("INVALID_ARGUMENTS", `Could not read the JSON: ${reason}`);
}
