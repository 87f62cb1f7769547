// The only place where a model's provider is dialled: no redirects, no proxy, limits for time and size. A request is sent
// again only before the first byte of an answer.
import { setTimeout } from "node:timers/promises";
import { Agent, type Dispatcher } from "undici";
import { startDeadline } from "../core/deadline.ts";
import { HotcellError, osErrorCode } from "../core/errors.ts";
import type { Json, JsonObject } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import type { ModelSettings } from "./model.ts";
import { brokenProtocol, refusedAnswer } from "./model-error.ts";

type Headers = Readonly<Record<string, string>>;

export interface Dialer {
  /** For messages. */
  readonly host: string;
  /** Removes the key from a text of the provider. */
  hideKey(text: string): string;
  /** Sends one request and gives the bytes of the answer as they come. */
  stream(path: string, headers: Headers, body: JsonObject, signal: AbortSignal): AsyncIterable<Uint8Array>;
  get(path: string, headers: Headers, signal: AbortSignal): Promise<Json>;
  close(): Promise<void>;
}

export function createDialer({ baseUrl, apiKey, idleMs, totalMs }: ModelSettings): Dialer {
  const base = new URL(baseUrl);
  const prefix = base.pathname.replace(/\/+$/, "");
  const { host } = base;
  // Its own agent: the global one may have been given a proxy from the environment.
  const agent = new Agent({
    connect: { timeout: LIMITS.modelConnectMs },
    headersTimeout: idleMs,
    bodyTimeout: idleMs,
  });
  const hideKey = (text: string) => (apiKey === null ? text : text.replaceAll(apiKey, "[key]"));

  const send = async (
    path: string,
    options: Omit<Dispatcher.RequestOptions, "origin" | "path">,
  ): Promise<Dispatcher.ResponseData> => {
    const answer = await agent.request({ ...options, origin: base.origin, path: `${prefix}${path}` });
    const { statusCode: status, headers, body } = answer;
    if (status >= 300 && status < 400) {
      discard(body);
      throw brokenProtocol(
        host,
        "it redirects, and hotcell does not send keys elsewhere; check MODEL_BASE_URL",
      );
    }
    if (status === 200) return answer;
    const retryAfterMs = readRetryAfter(headers);
    throw refusedAnswer(host, { status, retryAfterMs, body: hideKey(await readHead(body)) });
  };
  const ask = async <T>(signal: AbortSignal, work: (ending: AbortSignal) => Promise<T>): Promise<T> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work(signal);
      } catch (raw) {
        const error = explain(raw, host, signal);
        const delayMs = retryDelayMs(error, attempt);
        if (delayMs === null) throw error;
        await setTimeout(delayMs, null, { signal }).catch(() => {
          throw explain(raw, host, signal);
        });
      }
    }
  };
  return {
    host,
    hideKey,
    async *stream(path, headers, body, caller) {
      const { signal, end } = startDeadline(totalMs, `The answer of ${host}`, caller);
      const text = JSON.stringify(body);
      const sent = { "content-type": "application/json", "accept-encoding": "identity", ...headers };
      let answer: Dispatcher.ResponseData | null = null;
      let bytes = 0;
      try {
        answer = await ask(signal, (ending) =>
          send(path, { method: "POST", headers: sent, body: text, signal: ending }),
        );
        for await (const piece of answer.body as AsyncIterable<Uint8Array>) {
          bytes += piece.length;
          if (bytes > LIMITS.maxModelAnswerBytes)
            throw brokenProtocol(host, `it is larger than ${LIMITS.maxModelAnswerBytes} bytes`);
          yield piece;
        }
      } catch (raw) {
        throw explain(raw, host, signal, "cut");
      } finally {
        end();
        if (answer !== null) discard(answer.body);
      }
    },
    async get(path, headers, caller) {
      const { signal, end } = startDeadline(totalMs, `The answer of ${host}`, caller);
      try {
        const answer = await ask(signal, (ending) => send(path, { method: "GET", headers, signal: ending }));
        return JSON.parse(await readHead(answer.body, LIMITS.maxModelAnswerBytes)) as Json;
      } catch (raw) {
        if (raw instanceof SyntaxError) throw brokenProtocol(host, "it is not JSON; check MODEL_BASE_URL");
        throw explain(raw, host, signal);
      } finally {
        end();
      }
    },
    close: () => agent.destroy(),
  };
}

/** Nobody reads the rest, so nobody would catch its error. */
function discard(body: Dispatcher.ResponseData["body"]): void {
  body.on("error", () => {}).destroy();
}

const REFUSAL_BYTES = 4096;

async function readHead(body: AsyncIterable<Uint8Array>, most = REFUSAL_BYTES): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes >= most) break;
  }
  return Buffer.concat(pieces).toString("utf8");
}

function readRetryAfter(headers: Dispatcher.ResponseData["headers"]): number | null {
  const exact = Number(headers["retry-after-ms"] ?? Number.NaN);
  if (Number.isFinite(exact)) return Math.max(0, exact);
  const said = headers["retry-after"];
  if (typeof said !== "string") return null;
  const ms = /^\d+$/.test(said) ? Number(said) * 1000 : Date.parse(said) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}

const RETRIED: ReadonlySet<string> = new Set(["MODEL_RATE_LIMITED", "MODEL_OVERLOADED", "MODEL_UNREACHABLE"]);

function retryDelayMs({ code, details }: HotcellError, attempt: number): number | null {
  if (!RETRIED.has(code) || attempt > LIMITS.modelRetries) return null;
  const delayMs =
    typeof details.retryAfterMs === "number"
      ? details.retryAfterMs
      : LIMITS.modelRetryMs * 2 ** (attempt - 1);
  return delayMs > LIMITS.maxModelRetryMs ? null : delayMs;
}

/** `when` is `cut` once an answer has begun. */
function explain(
  raw: unknown,
  host: string,
  signal: AbortSignal,
  when: "cut" | "before" = "before",
): HotcellError {
  if (raw instanceof HotcellError) return raw;
  if (signal.aborted) return signal.reason;
  const reason = osErrorCode(raw) ?? (raw instanceof Error ? raw.message : String(raw));
  if (reason === "UND_ERR_HEADERS_TIMEOUT" || reason === "UND_ERR_BODY_TIMEOUT")
    return new HotcellError("TIMEOUT", `${host} was silent for too long, so hotcell gave up.`);
  if (when === "cut")
    return new HotcellError(
      "MODEL_STREAM_CUT",
      `The connection to ${host} broke off in the answer (${reason}).`,
    );
  return new HotcellError(
    "MODEL_UNREACHABLE",
    `Could not reach ${host} (${reason}). Check MODEL_BASE_URL and the network.`,
  );
}
