// Parses JSON that a person wrote. Every error has line and column (JSON.parse does not on every Node). A duplicate key
// is refused. The line of each value is kept for later messages.
import { HotcellError } from "../core/errors.ts";
import type { Json, JsonObject } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import { quote } from "../core/quote.ts";

type JsonPath = readonly (string | number)[];

export interface JsonText {
  readonly value: Json;
  /** The line on which the value at that path begins; 1 if there is none. */
  lineOf(path: JsonPath): number;
}

/** Throws CONFIG_INVALID; `source` is the file's name in messages. */
export function readJson(text: string, source: string): JsonText {
  const reader: Reader = { text, source, at: 0, line: 1, lineStart: 0, lines: new Map() };
  const value = readValue(reader, []);
  skipBlanks(reader);
  if (reader.at < text.length) throw misplaced(reader, "the end of the file");
  return { value, lineOf: (path) => reader.lines.get(pointer(path)) ?? 1 };
}

interface Reader {
  readonly text: string;
  readonly source: string;
  readonly lines: Map<string, number>;
  at: number;
  line: number;
  lineStart: number;
}

function readValue(reader: Reader, path: JsonPath): Json {
  skipBlanks(reader);
  reader.lines.set(pointer(path), reader.line);
  if (path.length > LIMITS.maxConfigDepth) {
    throw refused(reader, `nests deeper than ${LIMITS.maxConfigDepth} levels`);
  }
  const first = reader.text[reader.at];
  if (first === "{") return readObject(reader, path);
  if (first === "[") return readArray(reader, path);
  if (first === '"') return readString(reader, "text without line ends, ended by a quote");
  return JSON.parse(readToken(reader, SCALAR, "a value")) as Json;
}

function readObject(reader: Reader, path: JsonPath): JsonObject {
  const members = new Map<string, Json>();
  for (const _ of readItems(reader, "}")) {
    const key = readString(reader, "a key in quotes");
    if (members.has(key)) throw refused(reader, `has the key ${quote(key)} a second time`);
    skipBlanks(reader);
    readToken(reader, /:/y, '":"');
    members.set(key, readValue(reader, [...path, key]));
  }
  return Object.fromEntries(members);
}

function readArray(reader: Reader, path: JsonPath): Json[] {
  const items: Json[] = [];
  for (const index of readItems(reader, "]")) items.push(readValue(reader, [...path, index]));
  return items;
}

/** Yields once at the beginning of each item, from after the opening bracket to after the closing one. */
function* readItems(reader: Reader, close: "}" | "]"): Generator<number> {
  reader.at++;
  skipBlanks(reader);
  for (let index = 0; index > 0 || reader.text[reader.at] !== close; index++) {
    skipBlanks(reader);
    yield index;
    skipBlanks(reader);
    if (reader.text[reader.at] === close) break;
    readToken(reader, /,/y, `"," or "${close}"`);
  }
  reader.at++;
}

const STRING = /"(?:[^"\\\0-\x1f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

function readString(reader: Reader, expected: string): string {
  return JSON.parse(readToken(reader, STRING, expected)) as string;
}

function readToken(reader: Reader, token: RegExp, expected: string): string {
  token.lastIndex = reader.at;
  const found = token.exec(reader.text)?.[0];
  if (found === undefined) throw misplaced(reader, expected);
  reader.at += found.length;
  return found;
}

function skipBlanks(reader: Reader): void {
  for (; " \t\r\n".includes(reader.text[reader.at] ?? "."); reader.at++) {
    if (reader.text[reader.at] !== "\n") continue;
    reader.line++;
    reader.lineStart = reader.at + 1;
  }
}

function pointer(path: JsonPath): string {
  return path.join("/");
}

function misplaced(reader: Reader, expected: string): HotcellError {
  const rest = reader.text.slice(reader.at, reader.at + 20).split("\n", 1)[0];
  return refused(reader, `has ${rest ? quote(rest) : "nothing more"} where ${expected} should be`);
}

function refused({ source, line, at, lineStart }: Reader, problem: string): HotcellError {
  const column = at - lineStart + 1;
  const message = `Could not read ${quote(source)}: line ${line}, column ${column} ${problem}.`;
  return new HotcellError("CONFIG_INVALID", message, { source, line, column });
}
