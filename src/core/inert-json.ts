// C1 controls, soft hyphen, bidirectional and zero-width characters, line and paragraph separators, byte
// order mark, annotations, and the plane of tags and variation selectors. JSON.stringify leaves them as they are.
const NOT_INERT =
  /[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udfff]/g;

/** JSON text that does nothing to a terminal that shows it, and means the same. */
export function inertJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(NOT_INERT, escapeUnits);
}

function escapeUnits(text: string): string {
  return Array.from(
    { length: text.length },
    (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`,
  ).join("");
}
