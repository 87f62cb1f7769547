// The settings of the model: which one, what it costs, what a run may spend. A project's own file may set none of them,
// and the key comes from the environment alone.
import { HotcellError } from "../core/errors.ts";
import { LIMITS } from "../core/limits.ts";
import { quote } from "../core/quote.ts";
import { findFault } from "./find-fault.ts";
import type { Schema } from "./schema.ts";

export interface ModelConfig {
  readonly provider?: string;
  readonly name?: string;
  readonly baseUrl?: string;
  readonly idleMs?: number;
  readonly toolMode?: "native" | "text" | "auto";
  readonly prices?: { readonly input: number; readonly output: number; readonly cachedInput?: number };
  readonly budget?: ModelBudget;
}

export interface ModelBudget {
  readonly tokens?: number;
  readonly costUsd?: number;
  readonly timeMs?: number;
  readonly calls?: number;
}

const TEXT: Schema = { type: "string", minLength: 1 };
const AMOUNT: Schema = { type: "number", minimum: 0, maximum: 1_000_000 };
const COUNT: Schema = { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER };

export const MODEL_SCHEMA = {
  type: "object",
  additionalProperties: false,
  default: {},
  description: "The model of hotcell chat. Its key is the variable MODEL_API_KEY, never in a file.",
  properties: {
    provider: {
      ...TEXT,
      description:
        "anthropic, openai, openai-responses, ollama or scripted. MODEL_PROVIDER in the environment, --model.",
    },
    name: {
      ...TEXT,
      description: "The provider's name for the model. MODEL_NAME in the environment, --model.",
    },
    baseUrl: {
      ...TEXT,
      description:
        "The address of a compatible server, like http://127.0.0.1:8080/v1. MODEL_BASE_URL in the environment, --model-url.",
    },
    idleMs: {
      type: "integer",
      minimum: 1,
      maximum: LIMITS.maxTimerMs,
      description: "The longest silence of the provider, in milliseconds.",
    },
    toolMode: {
      type: "string",
      enum: ["native", "text", "auto"],
      description: "Whether the model calls tools in its provider's form or as text.",
    },
    prices: {
      type: "object",
      additionalProperties: false,
      required: ["input", "output"],
      description: "In US dollars for a million tokens. --price.",
      properties: { input: AMOUNT, output: AMOUNT, cachedInput: AMOUNT },
    },
    budget: {
      type: "object",
      additionalProperties: false,
      description: "What one run may spend. --budget.",
      properties: { tokens: COUNT, costUsd: AMOUNT, timeMs: COUNT, calls: COUNT },
    },
  },
} as const satisfies Schema;

type Env = Readonly<Record<string, string | undefined>>;

/** An empty variable counts as not set. */
export function readModelVariables(env: Env): ModelConfig {
  const given = (name: string) => (env[name] === undefined || env[name] === "" ? undefined : env[name]);
  const [provider, name, baseUrl] = ["MODEL_PROVIDER", "MODEL_NAME", "MODEL_BASE_URL"].map(given);
  return {
    ...(provider !== undefined && { provider }),
    ...(name !== undefined && { name }),
    ...(baseUrl !== undefined && { baseUrl }),
  };
}

/** `--budget tokens=100000,costUsd=2` and `--price input=3,output=15`: the keys of the file, as text. */
export function readAmounts<Key extends "budget" | "prices">(
  key: Key,
  flag: string,
  given: string | undefined,
): Pick<ModelConfig, Key> | undefined {
  if (given === undefined) return undefined;
  const amounts = Object.fromEntries(given.split(",").map((part) => readAmount(part, flag)));
  const fault = findFault(amounts, MODEL_SCHEMA.properties[key]);
  if (fault === null) return { [key]: amounts } as unknown as Pick<ModelConfig, Key>;
  const at = fault.path.length === 0 ? "it" : quote(fault.path.join("."));
  throw new HotcellError("CONFIG_INVALID", `Could not use ${flag}: ${at} ${fault.problem}.`);
}

function readAmount(part: string, flag: string): [string, number] {
  const [name = "", amount = ""] = part.split("=");
  if (name === "" || amount.trim() === "" || !Number.isFinite(Number(amount)))
    throw new HotcellError("CONFIG_INVALID", `Could not use ${flag}: ${quote(part)} is not NAME=NUMBER.`);
  return [name.trim(), Number(amount)];
}
