import type { HereDoc, Redirection } from "unbash";
import { readWord } from "./read-word.ts";

/** The standard input that here-documents and here-strings give a command; null if the line does not show it. */
export function readInput(redirects: readonly Redirection[]): string | null {
  const input = redirects.findLast(isInput);
  if (input?.type === "HereString") return input.target ? readWord(input.target).text : null;
  return input?.type === "HereDoc" ? readHereDoc(input) : null;
}

function isInput({ descriptor, operator }: Redirection): boolean {
  if (descriptor === undefined) return operator.startsWith("<");
  return descriptor.type === "FileDescriptor" && descriptor.value === 0;
}

function readHereDoc({ operator, delimiter, body: { parts = [], text } }: HereDoc): string | null {
  const isQuoted = delimiter?.quoted ?? false;
  if (!isQuoted && parts.some(({ type }) => type !== "Literal")) return null;
  const dedented = operator === "<<-" ? text.replace(/^\t+/gm, "") : text;
  return isQuoted ? dedented : dedented.replace(/\\([$`\\\n])/g, (_, next) => (next === "\n" ? "" : next));
}
