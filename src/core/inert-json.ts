// Controls, format characters (bidirectional, zero-width, tags), line separators, and all else that has no
// glyph (joiners, fillers, selectors). JSON.stringify leaves most of them as they are; the newlines in its
// text are its own indentation.
const NOT_INERT = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Printable ASCII that JSON has no escape for: most texts. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** JSON text that does nothing to a terminal that shows it, and means the same. */
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
