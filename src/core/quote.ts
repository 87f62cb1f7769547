const QUOTED_CHARS = 60;

/** Formats a value for a message: one short line without characters that control a terminal or a log. */
export function quote(value: unknown): string {
  if (typeof value === "string") return quoteText(value);
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value === "function" || typeof value === "symbol") return `a ${typeof value}`;
  return typeof value === "bigint" ? `${value}n` : String(value);
}

function quoteText(text: string): string {
  const cut = text.length > QUOTED_CHARS;
  return makeVisible(JSON.stringify(cut ? text.slice(0, QUOTED_CHARS) : text)) + (cut ? "…" : "");
}

/** Escapes control, formatting (also bidirectional) and unpaired surrogate characters. */
export function makeVisible(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);
}
