// Takes secrets out of text before it is logged: configured values exactly, and what looks like a
// credential by shape. Shapes are a net with holes; the configured values are the promise.

export interface Redactor {
  redact(text: string): string;
  /** The beginning of a text, redacted before it is cut, so that no half of a secret is left. */
  preview(text: string, maxChars: number): string;
}

export const REDACTED = "[redacted]";

/** How far a shape may reach beyond a preview's end and still be seen whole. */
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

/** Found near the beginning of everything that has a shape, and in few other strings: most are done after this one look. */
const SHAPE_HINT = /[=:]|-----BEGIN |sk-|gh[a-z]_|_pat_|glpat-|npm_|A[KS]IA|AIza|xox|eyJ|bearer|basic/i;

/** How far from a shape's first character its hint may end. */
const HINT_CHARS = 32;

export function createRedactor(secrets: readonly string[] = []): Redactor {
  const values = secrets.filter((value) => value !== "").sort((a, b) => b.length - a.length);
  const reach = Math.max(SHAPE_CHARS, values[0]?.length ?? 0);
  return {
    redact: (text) => redactShapes(redactValues(text, values)),
    preview(text, maxChars) {
      const seen = redactValues(text.slice(0, maxChars + reach), values);
      const hasShape = SHAPE_HINT.test(seen.slice(0, maxChars + HINT_CHARS));
      return (hasShape ? redactShapes(seen) : seen).slice(0, maxChars);
    },
  };
}

function redactValues(text: string, values: readonly string[]): string {
  return values.reduce((rest, value) => rest.replaceAll(value, REDACTED), text);
}

function redactShapes(text: string): string {
  if (!SHAPE_HINT.test(text)) return text;
  return SHAPES.reduce((rest, [shape, replacement]) => rest.replace(shape, replacement), text);
}

const CREDENTIAL_KEY =
  /(?:apikey|accesskey|privatekey|token|secret|password|passwd|passphrase|authorization|credentials?|cookie)$/;

/** Whether a key names a credential, in whatever case and with whatever dashes. */
export function namesCredential(key: string): boolean {
  return key.length <= 256 && CREDENTIAL_KEY.test(key.toLowerCase().replaceAll(/[-_.\s]/g, ""));
}
