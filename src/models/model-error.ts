// The errors of providers, as codes that a caller can act on.
import { type ErrorCode, HotcellError } from "../core/errors.ts";
import { isJsonObject } from "../core/json.ts";

export interface RefusedAnswer {
  readonly status: number;
  readonly retryAfterMs: number | null;
  /** The beginning of the body. */
  readonly body: string;
}

/** The error for an HTTP answer that is not a success. */
export function refusedAnswer(host: string, { status, retryAfterMs, body }: RefusedAnswer): HotcellError {
  const said = messageIn(body);
  const code = codeOf(status, said);
  const wait = retryAfterMs === null ? "" : ` It asks to wait ${Math.ceil(retryAfterMs / 1000)} s.`;
  const details = { status, ...(retryAfterMs !== null && { retryAfterMs }) };
  return new HotcellError(
    code,
    `${host} answered with status ${status}${said === "" ? "" : `: ${said}`}.${wait}${adviceFor(code)}`,
    details,
  );
}

/** The error that a provider reports within a stream that had begun well. */
export function streamedError(host: string, kind: string, said: string): HotcellError {
  const code = BY_KIND.get(kind) ?? codeBySaying(said) ?? "MODEL_OVERLOADED";
  return new HotcellError(code, `${host} broke off its answer: ${tidy(said)}.${adviceFor(code)}`);
}

export function brokenProtocol(host: string, what: string): HotcellError {
  return new HotcellError("MODEL_PROTOCOL", `Could not read the answer of ${host}: ${what}.`);
}

const BY_KIND: ReadonlyMap<string, ErrorCode> = new Map([
  ["authentication_error", "MODEL_AUTH"],
  ["permission_error", "MODEL_AUTH"],
  ["rate_limit_error", "MODEL_RATE_LIMITED"],
  ["rate_limit_exceeded", "MODEL_RATE_LIMITED"],
  ["insufficient_quota", "MODEL_RATE_LIMITED"],
  ["overloaded_error", "MODEL_OVERLOADED"],
  ["invalid_request_error", "MODEL_REQUEST_REFUSED"],
  ["context_length_exceeded", "MODEL_CONTEXT_LENGTH"],
]);

function codeOf(status: number, said: string): ErrorCode {
  if (status === 401 || status === 403) return "MODEL_AUTH";
  if (status === 413) return "MODEL_CONTEXT_LENGTH";
  if (status === 429) return "MODEL_RATE_LIMITED";
  if (status >= 500 || status === 408 || status === 409) return "MODEL_OVERLOADED";
  return codeBySaying(said) ?? "MODEL_REQUEST_REFUSED";
}

// Providers give these two the status of any wrong request: only the text tells them apart.
function codeBySaying(said: string): ErrorCode | undefined {
  if (/context (?:length|window)|prompt is too long|maximum context|too many tokens/i.test(said))
    return "MODEL_CONTEXT_LENGTH";
  if (/does not support tools|tool use is not supported|no endpoints? found that support tool/i.test(said))
    return "MODEL_WITHOUT_TOOLS";
  return undefined;
}

function adviceFor(code: ErrorCode): string {
  if (code === "MODEL_AUTH") return " Check MODEL_API_KEY.";
  if (code === "MODEL_WITHOUT_TOOLS") return ' Use another model, or toolMode "text".';
  return "";
}

function messageIn(body: string): string {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return tidy(body);
  }
  const error = isJsonObject(value) ? (value.error ?? value.message) : value;
  const said = isJsonObject(error) ? error.message : error;
  return tidy(typeof said === "string" ? said : body);
}

const SHOWN_CHARS = 500;

function tidy(text: string): string {
  const line = text.replace(/[\p{C}\s]+/gu, " ").trim();
  return (line.length > SHOWN_CHARS ? `${line.slice(0, SHOWN_CHARS)}…` : line).replace(/\.$/, "");
}
