import type { Word, WordPart } from "unbash";
import type { ShellWord } from "./command-line.ts";

export function readWord({ text: source, value, parts = [] }: Word): ShellWord {
  const text = parts.some(isExpanded) ? null : value;
  const fixed = text !== null && !source.startsWith("~") && parts.every(isFixed);
  return { text, fixed, source };
}

/** A word whose value is known only at run time. */
export function unknownWord(source: string): ShellWord {
  return { text: null, fixed: false, source };
}

function isExpanded(part: WordPart): boolean {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return false;
    case "DoubleQuoted":
    case "LocaleString":
    case "Glob":
    case "ExtendedGlob":
    case "BraceExpansion":
      return (part.parts ?? []).some(isExpanded);
    default:
      return true;
  }
}

function isFixed({ type }: WordPart): boolean {
  return type === "Literal" || type === "SingleQuoted" || type === "DoubleQuoted";
}
