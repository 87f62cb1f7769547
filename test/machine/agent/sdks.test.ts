// The answers of the mock server are those of real providers: the SDKs that the providers publish, and Vercel's AI SDK,
// read them as hotcell's adapters do. Where they differ, the table says how.
import { spawn } from "node:child_process";
import fs from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { installSdks } from "../../../bench/sdks.js";
import { serveModel } from "../../kit/worlds/model-server.ts";
import { type Dialect, type ExpectedAnswer, WIRE_CASES } from "../../kit/worlds/wire-cases.ts";

const CHILD = new URL("../../kit/children/sdk-child.mjs", import.meta.url);

interface SdkAnswer {
  readonly text?: string;
  readonly thinking?: string;
  readonly calls?: readonly (readonly [name: string, input: unknown])[];
  readonly error?: string;
}

async function readAll(sdk: string, dialect: Dialect): Promise<SdkAnswer[]> {
  const cases = WIRE_CASES[dialect];
  const headers = { "content-type": dialect === "ollama" ? "application/x-ndjson" : "text/event-stream" };
  const server = await serveModel(...cases.map(({ body }) => ({ body, headers })));
  const { dir, node } = installSdks();
  const args = ["--input-type=module", "-", server.url, sdk, String(cases.length)];
  const child = spawn(node, args, { cwd: dir, env: { HOME: dir }, stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(fs.readFileSync(CHILD));
  const pieces: Buffer[] = [];
  for await (const piece of child.stdout) pieces.push(piece as Buffer);
  await server.close();
  return JSON.parse(Buffer.concat(pieces).toString()) as SdkAnswer[];
}

/** What hotcell makes of the same answer. One that broke off is an error, whatever came before. */
function asSdkAnswer({ text, thinking, calls = [], ends }: ExpectedAnswer): SdkAnswer {
  if (ends.startsWith("MODEL_")) return { error: ends };
  const input = (args: string): unknown => (args === "" ? {} : JSON.parse(args));
  const complete = calls.filter(([, , isComplete]) => isComplete);
  return {
    ...(text !== undefined && { text }),
    ...(thinking !== undefined && { thinking }),
    ...(complete.length > 0 && { calls: complete.map(([name, args]) => [name, input(args)] as const) }),
  };
}

/**
 * How an SDK differs: it `refuses` an answer that hotcell reads, `takes` one that was cut off as a whole one, or
 * `leaves out` the thinking, which its API does not have.
 */
type Difference = "refuses" | "takes" | "leaves out";

function differenceOf(found: SdkAnswer, expected: SdkAnswer): Difference | "same" | SdkAnswer {
  if (expected.error === undefined && found.error !== undefined) return "refuses";
  if (equals(found, expected)) return "same";
  if (expected.error !== undefined) return "takes";
  const { thinking: _, ...rest } = expected;
  if (equals(found, rest)) return "leaves out";
  const { calls: more = [], ...others } = found;
  const { calls = [], ...alike } = expected;
  return more.length > calls.length && equals(others, alike) ? "takes" : found;
}

function equals(found: SdkAnswer, expected: SdkAnswer): boolean {
  return expected.error !== undefined ? found.error !== undefined : isDeepStrictEqual(found, expected);
}

type Differences = Readonly<Record<string, Difference>>;

const SDKS: readonly (readonly [sdk: string, dialect: Dialect, differences: Differences])[] = [
  [
    "anthropic",
    "anthropic",
    {
      "a call cut off by a refusal": "takes",
      "a call cut off by the token limit": "takes",
      "a delta of a block that never began": "refuses",
      "a whole call before one cut off by the token limit": "takes",
      "an end for an unknown reason": "takes",
      "an end without a reason": "takes",
    },
  ],
  [
    "ai anthropic",
    "anthropic",
    {
      "a block of an unknown type": "refuses",
      "a call cut off by a refusal": "takes",
      "a call cut off by the token limit": "refuses",
      "a whole call before one cut off by the token limit": "takes",
      "an end before message_stop": "takes",
      "an end in the middle of a call": "takes",
    },
  ],
  [
    "openai",
    "openai",
    {
      "a call cut off by a content filter": "takes",
      "a call cut off by the token limit": "refuses",
      "a call without an index": "refuses",
      "a whole call before one cut off by the token limit": "takes",
      "an end for an unknown reason": "takes",
      "arguments as an object": "refuses",
      reasoning: "leaves out",
      "two calls with the same index": "refuses",
      "two calls without an index": "refuses",
    },
  ],
  [
    "ai openai",
    "openai",
    {
      "[DONE] without a finish reason": "takes",
      "a call cut off by a content filter": "takes",
      "a call cut off by the token limit": "refuses",
      "a call without an index": "refuses",
      "a finish reason of a compatible server": "refuses",
      "a whole call before one cut off by the token limit": "takes",
      "arguments as an object": "refuses",
      reasoning: "leaves out",
      "two calls without an index": "refuses",
    },
  ],
  [
    "ai openai-compatible",
    "openai",
    {
      "a call cut off by a content filter": "takes",
      "a call cut off by the token limit": "refuses",
      "a finish reason of a compatible server": "refuses",
      "a whole call before one cut off by the token limit": "takes",
      "arguments as an object": "refuses",
    },
  ],
  [
    "openai-responses",
    "openai-responses",
    {
      "a call cut off by the token limit": "refuses",
      "a call that is done, but incomplete": "takes",
      "a failed response": "takes",
      "an end for an unknown reason": "takes",
      "an incomplete response without a reason": "takes",
      "events of an unknown type": "refuses",
      "too long a conversation": "takes",
    },
  ],
  [
    "ai openai-responses",
    "openai-responses",
    {
      "a call that is done, but incomplete": "takes",
      "a response that is completed with the status cancelled": "takes",
      "an end in the middle of a call": "takes",
      "an incomplete response without a reason": "takes",
    },
  ],
  ["ollama", "ollama", { "an end for an unknown reason": "takes", "an end without a reason": "takes" }],
];

describe("SDKs of others read the mock server's answers as hotcell does, but for what the table says", () => {
  test.each(SDKS)("%s", async (sdk, dialect, differences) => {
    const answers = await readAll(sdk, dialect);
    const found = WIRE_CASES[dialect].map(
      ({ name, expected }, at) => [name, differenceOf(answers[at]!, asSdkAnswer(expected))] as const,
    );
    expect(Object.fromEntries(found.filter(([, difference]) => difference !== "same"))).toEqual(differences);
  });
});
