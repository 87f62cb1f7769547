import type { HereDoc, HereString, Word, WordPart } from "unbash";
import type { ShellWord } from "./command-line.ts";

export function readWord({ text: source, value, parts = [] }: Word): ShellWord {
  const text = parts.some(isExpanded) ? null : value;
  const fixed = text !== null && !source.startsWith("~") && parts.every(isFixed);
  return { text, fixed, source };
}

/** A word of which nothing is known before it runs. */
export function unknownWord(source: string): ShellWord {
  return { text: null, fixed: false, source };
}

/** What a here-document or here-string hands to a command's input; null when it holds an expansion. */
export function readHereText(here: HereDoc | HereString): string | null {
  if (here.type === "HereString") return here.target ? readWord(here.target).text : null;
  const { parts, text } = here.body;
  if (parts === undefined) return text;
  return parts.every((part) => part.type === "Literal") ? parts.map(({ value }) => value).join("") : null;
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
