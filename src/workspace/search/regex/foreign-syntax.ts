// Syntax of other regex engines that JavaScript reads as plain characters. Such a pattern would silently find nothing.

export interface ForeignPart {
  readonly part: string;
  /** The JavaScript syntax for it. */
  readonly instead: string;
}

/** With what belongs to it. */
const ESCAPE = /\\(?:c[A-Za-z]|x[\dA-Fa-f]{2}|u[\dA-Fa-f]{4}|[pPu]\{|.)/gs;
/** A class as a whole, or an escape. */
const TOKEN = new RegExp(`\\[(?:\\\\.|[^\\]\\\\])*\\]?|${ESCAPE.source}`, "gs");
const POSIX_CLASS = /\[:(\^?)([a-z]+):\]$/;
/** A letter alone that is no escape of JavaScript. */
const UNKNOWN_LETTER = /^\\(?![bBdDfknrsStvwW])[A-Za-z]$/;
const WORD_EDGE = /^\\[<>]$/;

const MEMBERS_OF: ReadonlyMap<string, string> = new Map([
  ["alnum", "A-Za-z0-9"],
  ["alpha", "A-Za-z"],
  ["ascii", "\\x00-\\x7f"],
  ["blank", " \\t"],
  ["cntrl", "\\x00-\\x1f\\x7f"],
  ["digit", "0-9"],
  ["graph", "!-~"],
  ["lower", "a-z"],
  ["print", " -~"],
  ["punct", "!-\\/:-@\\[-`{-~"],
  ["space", "\\s"],
  ["upper", "A-Z"],
  ["word", "\\w"],
  ["xdigit", "0-9A-Fa-f"],
]);

const LINE_START = "^ for the beginning of a line";
const LINE_END = "$ for the end of a line";
const EACH_ESCAPED = "a backslash before each literal character";
const BRACES = "a property in braces, as in \\p{Lu}";

const INSTEAD_OF: ReadonlyMap<string, string> = new Map([
  ["\\A", LINE_START],
  ["\\a", "\\x07"],
  ["\\c", "a letter after it, as in \\cJ"],
  ["\\E", EACH_ESCAPED],
  ["\\e", "\\x1b"],
  ["\\h", "[ \\t]"],
  ["\\K", "(?<=…) around the preceding text"],
  ["\\P", BRACES],
  ["\\p", BRACES],
  ["\\Q", EACH_ESCAPED],
  ["\\R", LINE_END],
  ["\\u", "four hexadecimal digits after it, or any number of digits in braces, as in \\u00e9 or \\u{1F600}"],
  ["\\x", "two hexadecimal digits after it, as in \\x41"],
  ["\\Z", LINE_END],
  ["\\z", LINE_END],
]);

/** The first such part of a pattern, if it has any. */
export function foreignPart(source: string): ForeignPart | null {
  for (const [token] of source.matchAll(TOKEN)) {
    const found = token.startsWith("[") ? foreignInClass(token) : foreignEscape(token);
    if (found !== null) return found;
  }
  return null;
}

function foreignInClass(text: string): ForeignPart | null {
  const [part = "", not, name = ""] = POSIX_CLASS.exec(text) ?? [];
  const members = MEMBERS_OF.get(name);
  if (members !== undefined)
    return { part, instead: not ? `[^${members}] as a separate class` : `${members} between the brackets` };
  const letter = Array.from(text.matchAll(ESCAPE), ([part]) => part).find(isUnknownLetter);
  return letter === undefined ? null : foreignEscape(letter);
}

function foreignEscape(part: string): ForeignPart | null {
  if (WORD_EDGE.test(part))
    return { part, instead: `\\b for the edge of a word, or ${part[1]} without the backslash` };
  if (!isUnknownLetter(part)) return null;
  return { part, instead: INSTEAD_OF.get(part) ?? `${part[1]} for the letter itself` };
}

const isUnknownLetter = (part: string): boolean => UNKNOWN_LETTER.test(part);
