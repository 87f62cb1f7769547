// Opens a model by its name "PROVIDER/NAME".
import { formatKey } from "../config/check-json-text.ts";
import { findFault } from "../config/find-fault.ts";
import type { Schema } from "../config/schema.ts";
import { HotcellError } from "../core/errors.ts";
import { isJsonObject } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import { nearest } from "../core/nearest.ts";
import { parseUrl } from "../core/parse-url.ts";
import { quote } from "../core/quote.ts";
import { createAnthropic } from "./anthropic.ts";
import type { ModelProvider, ModelSettings, ProviderName } from "./model.ts";
import { PROVIDERS } from "./model.ts";
import { createOllama } from "./ollama.ts";
import { createOpenAI } from "./openai.ts";
import { createOpenAIResponses } from "./openai-responses.ts";
import { createScripted } from "./scripted.ts";

export interface ModelOptions {
  /**
   * The provider and its name for the model: `anthropic/…`, `openai/…`, `openai-responses/…`, `ollama/…`; or
   * `scripted/FILE`, which plays a script, and `scripted`, which follows simple typed commands.
   * @example "ollama/qwen3:8b"
   */
  readonly model: string;
  /**
   * The address of the provider's API, for compatible servers.
   * @default the provider's own
   * @example "http://127.0.0.1:8080/v1"
   */
  readonly baseUrl?: string | undefined;
  /**
   * The key. It goes to the provider alone: no log, observation or command has it.
   * @default none; `anthropic` and OpenAI's own address need one
   */
  readonly apiKey?: string | undefined;
  /**
   * The longest silence of the provider, in milliseconds.
   * @default 300_000
   */
  readonly idleMs?: number | undefined;
  /**
   * The longest time of one answer, in milliseconds.
   * @default 1_800_000
   */
  readonly totalMs?: number | undefined;
}

interface Wire {
  readonly baseUrl: string;
  readonly create: (settings: ModelSettings) => ModelProvider;
  readonly needsKey: boolean;
}

const OPENAI_URL = "https://api.openai.com/v1";

const WIRES: ReadonlyMap<ProviderName, Wire> = new Map([
  ["anthropic", { baseUrl: "https://api.anthropic.com", create: createAnthropic, needsKey: true }],
  ["openai", { baseUrl: OPENAI_URL, create: createOpenAI, needsKey: true }],
  ["openai-responses", { baseUrl: OPENAI_URL, create: createOpenAIResponses, needsKey: true }],
  ["ollama", { baseUrl: "http://127.0.0.1:11434", create: createOllama, needsKey: false }],
]);

const MS: Schema = { type: "integer", minimum: 1, maximum: LIMITS.maxTimerMs };
const OPTIONS: Readonly<Record<keyof ModelOptions, Schema>> = {
  model: { type: "string" },
  baseUrl: { type: "string" },
  apiKey: { type: "string" },
  idleMs: MS,
  totalMs: MS,
};

export function openModel(options: ModelOptions): ModelProvider {
  checkOptions(options);
  const { provider, name } = splitName(options.model);
  if (provider === "scripted") return createScripted(name === "" ? null : name);
  const { baseUrl: ownUrl, create, needsKey } = WIRES.get(provider)!;
  if (name === "")
    throw wrong(`no model is named. Write ${provider}/NAME, or set MODEL_NAME on the command line`);
  const apiKey = readKey(options.apiKey);
  if (needsKey && apiKey === null && options.baseUrl === undefined)
    throw wrong(`${provider} needs a key. Set MODEL_API_KEY, or apiKey in the library`);
  return create({
    model: name,
    baseUrl: readUrl(options.baseUrl ?? ownUrl),
    apiKey,
    idleMs: options.idleMs ?? LIMITS.modelIdleMs,
    totalMs: options.totalMs ?? LIMITS.modelTotalMs,
  });
}

/** A misspelled address would send the conversation to the provider's own. The key's text is never shown. */
function checkOptions(options: ModelOptions): void {
  if (isJsonObject(options) && options.apiKey !== undefined && typeof options.apiKey !== "string")
    throw wrong("apiKey is no text; give the key as text");
  const fault = findFault(options, { type: "object", required: ["model"], properties: OPTIONS });
  if (fault !== null) throw wrong(`${formatKey(fault.path) || "the argument"} ${fault.problem}`);
}

function splitName(model: string): { readonly provider: ProviderName; readonly name: string } {
  const slash = model.indexOf("/");
  const given = slash < 0 ? model : model.slice(0, slash);
  const provider = PROVIDERS.find((known) => known === given);
  if (provider !== undefined) return { provider, name: slash < 0 ? "" : model.slice(slash + 1) };
  const [near] = nearest(given, PROVIDERS);
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  throw wrong(
    `there is no provider ${quote(given)}, only ${PROVIDERS.join(", ")}.${hint} Set MODEL_PROVIDER, or model in the library to PROVIDER/NAME`,
  );
}

function readUrl(text: string): string {
  const url = parseUrl(text);
  const usable = url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.search === "";
  if (!usable)
    throw wrong(
      `the base URL ${quote(text)} is not one that can be used. Set MODEL_BASE_URL, or baseUrl in the library, to http(s)://HOST[:PORT][/PATH]`,
    );
  return text;
}

/** An empty key counts as none. Its text is never shown. */
function readKey(key: string | undefined): string | null {
  if (key === undefined || key === "") return null;
  if (!/^[\x21-\x7e]+$/.test(key))
    throw wrong(
      "the key has a space, a line break or another character that no key has. Set MODEL_API_KEY, or apiKey in the library",
    );
  return key;
}

function wrong(reason: string): HotcellError {
  return new HotcellError("CONFIG_INVALID", `Could not open the model: ${reason}.`);
}
