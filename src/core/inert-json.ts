// Controls, format characters (bidirectional, zero-width, tags), line separators, and all other characters without a
// glyph (joiners, fillers, selectors). JSON.stringify does not escape most of them. Newlines in its output are only
// indentation.
const NOT_INERT = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Printable ASCII that needs no escape in JSON: most texts. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** JSON text with the same value and without characters that affect a terminal. */
export function inertJson(value: unknown, indent?: number): string {
  if (typeof value === "string" && PLAIN.test(value)) return `"${value}"`;
  return JSON.stringify(value, null, indent).replace(NOT_INERT, escapeUnits);
}

function escapeUnits(text: string): string {
  return Array.from(
    { length: text.length },
    (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`,
  ).join("");
}
