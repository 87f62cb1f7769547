// Removes secrets from text before it is logged: configured values, and text with the shape of a credential. Only the
// removal of configured values is guaranteed; shapes may miss a credential.
import { makeVisible } from "../core/quote.ts";

interface TextRedactor {
  redact(text: string): string;
  /** The beginning of a text. It is redacted before it is cut, so that no part of a secret is left. */
  preview(text: string, maxChars: number): string;
}

export interface ExactRedactor extends TextRedactor {
  /** A text that was cut at its end, maybe within a secret. */
  redactTruncated(text: string): string;
}

export interface Redactor extends TextRedactor {
  /** Removes only the configured values. */
  readonly exact: ExactRedactor;
  /** Whether a text is a configured value. */
  isSecret(text: string): boolean;
}

export const REDACTED = "[redacted]";

/** How far a shape may extend beyond a preview's end and still be matched whole. */
const SHAPE_CHARS = 4096;

const SECRET_NAME =
  "(?:api[_-]?key|access[_-]?key|private[_-]?key|token|secret|passw(?:or)?d|passphrase|pwd)";

const SHAPES: readonly (readonly [RegExp, string])[] = [
  [
    /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|$)/g,
    REDACTED,
  ],
  [/\bsk-[\w-]{16,}/g, REDACTED],
  [/\b(?:gh[a-z]_|github_pat_|glpat-|npm_)\w{16,}/g, REDACTED],
  [/\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g, REDACTED],
  [/\bAIza[\w-]{35}/g, REDACTED],
  [/\bxox[a-z]-[\w-]{10,}/g, REDACTED],
  [/\beyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]*/g, REDACTED],
  [/\b(bearer|basic)(\s+)[\w.~+/=-]{8,}/gi, `$1$2${REDACTED}`],
  [/([?&;](?:key|sig|signature|auth|code)=)[^&;#\s"'\\]+/gi, `$1${REDACTED}`],
  [
    new RegExp(`(${SECRET_NAME}["']?\\s{0,8}[=:]\\s{0,8}["']?)(?!\\[redacted)[^\\s&;#"',\\\\]+`, "gi"),
    `$1${REDACTED}`,
  ],
  [/(:\/\/[^\s:/@]{0,128}:)[^\s/@]+(?=@)/g, `$1${REDACTED}`],
];

/** Matches near the start of every shape and in few other strings, so most strings need only this one test. */
const SHAPE_HINT =
  /-----BEGIN |sk-|gh[a-z]_|_pat_|glpat-|npm_|A[KS]IA|AIza|xox|eyJ|bearer|basic|[?&;](?:sig|auth|code)|key|token|secret|passw|passphrase|pwd|:\/\//i;

/** The greatest distance from a shape's first character to the end of its hint. */
const HINT_CHARS = 32;

/** Shorter lines or beginnings of a secret are too common in other text. */
const MIN_PART_CHARS = 8;

export function createRedactor(secrets: readonly string[] = []): Redactor {
  const forms = secretForms(secrets);
  const reach = Math.max(SHAPE_CHARS, forms[0]?.length ?? 0);
  const exact = (text: string) => redactCut(redactForms(text, forms), forms);
  /** The source text of a preview. A secret may continue beyond its end. */
  const exactPreview = (text: string, maxChars: number) => {
    const seen = exact(text.slice(0, maxChars + reach));
    return text.length > maxChars + reach ? redactEnd(seen, forms) : seen;
  };
  return {
    redact: (text) => redactShapes(exact(text)),
    preview(text, maxChars) {
      const seen = exactPreview(text, maxChars);
      const hasShape = SHAPE_HINT.test(seen.slice(0, maxChars + HINT_CHARS));
      return (hasShape ? redactShapes(seen) : seen).slice(0, maxChars);
    },
    exact: {
      redact: exact,
      preview: (text, maxChars) => exactPreview(text, maxChars).slice(0, maxChars),
      // Bytes of a character that was cut are decoded as U+FFFD.
      redactTruncated: (text) => redactEnd(exact(text.replace(/\uFFFD{1,3}$/, "")), forms),
    },
    isSecret: (text) => forms.includes(text),
  };
}

/** The forms of secrets in text: whole or by line, raw or escaped as in JSON and in messages. Longest first. */
export function secretForms(secrets: readonly string[]): string[] {
  const parts = secrets.flatMap((secret) => [secret, ...longLines(secret)]);
  const forms = parts.flatMap((part) => {
    const escaped = JSON.stringify(part).slice(1, -1);
    return [part, escaped, makeVisible(escaped)];
  });
  return [...new Set(forms)].filter((form) => form !== "").sort((a, b) => b.length - a.length);
}

function longLines(secret: string): string[] {
  const lines = secret.split(/[\r\n]+/).map((line) => line.trim());
  return lines.filter((line) => line.length >= MIN_PART_CHARS);
}

function redactForms(text: string, forms: readonly string[]): string {
  return forms.reduce((rest, form) => rest.replaceAll(form, REDACTED), text);
}

/** The position where a message of ours or of JSON.parse cut a quoted value. */
const CUT = /(?="(?:…|\.\.\.))/;

/** Removes beginnings of secrets that a message cut. */
function redactCut(text: string, forms: readonly string[]): string {
  if (forms.length === 0 || !CUT.test(text)) return text;
  const pieces = text.split(CUT);
  return [...pieces.slice(0, -1).map((piece) => redactEnd(piece, forms)), pieces.at(-1)].join("");
}

/** Removes the beginning of a secret at the end of a text. */
function redactEnd(text: string, forms: readonly string[]): string {
  const chars = Math.max(0, ...forms.map((form) => overlap(text, form)));
  return chars === 0 ? text : text.slice(0, -chars) + REDACTED;
}

function overlap(text: string, form: string): number {
  for (let chars = Math.min(text.length, form.length); chars >= MIN_PART_CHARS; chars--)
    if (text.endsWith(form.slice(0, chars))) return chars;
  return 0;
}

function redactShapes(text: string): string {
  if (!SHAPE_HINT.test(text)) return text;
  return SHAPES.reduce((rest, [shape, replacement]) => rest.replace(shape, replacement), text);
}

const CREDENTIAL_KEY =
  /(?:apikey|accesskey|privatekey|token|secret|password|passwd|passphrase|authorization|credentials?|cookie)$/;

/** Whether a key names a credential, ignoring case and dashes. */
export function namesCredential(key: string): boolean {
  return key.length <= 256 && CREDENTIAL_KEY.test(key.toLowerCase().replaceAll(/[-_.\s]/g, ""));
}
