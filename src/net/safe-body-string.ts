// A response's body as text that no template engine and no HTML page would run.
import { HotcellError } from "../core/errors.ts";
import { quote } from "../core/quote.ts";

/** JSON stays JSON with the same values, HTML and XML are escaped, everything else is plain text. No `{{` or `}}` is left. */
export function safeBodyString(body: Uint8Array | string, contentType: string): string {
  if (typeof body !== "string" && !(body instanceof Uint8Array))
    throw refused(`the body is ${quote(body)}; allowed are text and bytes`);
  if (typeof contentType !== "string")
    throw refused(`the content type is ${quote(contentType)}; allowed is text`);
  const text = typeof body === "string" ? body : decodeBody(body, contentType).text;
  const type = mediaType(contentType);
  if (isJson(type)) return breakBracesInJson(text);
  return isMarkup(type) ? escapeMarkup(text) : text.replace(DOUBLED_BRACE, "$& ");
}

function refused(problem: string): HotcellError {
  return new HotcellError("INVALID_ARGUMENTS", `Could not make a body safe: ${problem}.`);
}

export interface DecodedBody {
  readonly text: string;
  /** Whether some bytes were no text of the charset, or the charset is not known. */
  readonly replaced: boolean;
}

export function decodeBody(bytes: Uint8Array, contentType: string): DecodedBody {
  const label = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1] ?? "utf-8";
  const decoded = decodeAs(label, bytes);
  const text = decoded ?? new TextDecoder().decode(bytes);
  return { text, replaced: decoded === null || text.includes("\uFFFD") };
}

/** Null if the charset is not known. */
function decodeAs(label: string, bytes: Uint8Array): string | null {
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    return null;
  }
}

/** Without parameters, so that none can pretend to be the type. */
function mediaType(contentType: string): string {
  return contentType.split(";", 1)[0]!.trim().toLowerCase();
}

function isJson(type: string): boolean {
  return type === "application/json" || type === "text/json" || type.endsWith("+json");
}

function isMarkup(type: string): boolean {
  return /^(text|application)\/(html|xml|xhtml)$/.test(type) || type.endsWith("+xml");
}

/** A brace that is followed by the same brace. */
const DOUBLED_BRACE = /\{(?=\{)|\}(?=\})/g;

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&#39;"],
  ["{", "&#123;"],
  ["}", "&#125;"],
]);

function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']|\{(?=\{)|\}(?=\})/g, (char) => ENTITIES.get(char)!);
}

/** Inside a string a brace becomes its escape; elsewhere a space between two braces has no meaning. */
function breakBracesInJson(text: string): string {
  let isInString = false;
  return text.replace(/\\[\\"]|"|\{(?=\{)|\}(?=\})/g, (found) => {
    if (found === "{" || found === "}") return isInString ? escapeOf(found) : `${found} `;
    const isEscaped = isInString && found.length > 1;
    if (found.endsWith('"') && !isEscaped) isInString = !isInString;
    return found;
  });
}

const escapeOf = (brace: string): string => (brace === "{" ? "\\u007b" : "\\u007d");
