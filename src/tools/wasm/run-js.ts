// The tool `run_js`: code that the model wrote, on QuickJS in a guest process, with no capability unless it is granted.
import { createHash } from "node:crypto";
import type { Schema } from "../../config/schema.ts";
import { GUEST_LIMITS } from "../../config/tool-schema.ts";
import { HotcellError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { LIMITS } from "../../core/limits.ts";
import { findProblem } from "../configured/check-definition.ts";
import { defineTool, type Tool } from "../define-tool.ts";
import { RUN_JS_OUTPUT } from "../output/output-schemas.ts";
import { type Capabilities, checkGrant, type Granted, grantedOf, grantedValues } from "./grant.ts";
import {
  callGuest,
  type GuestKit,
  guestLimits,
  guestTraits,
  readOutput,
  type ToolGuestLimits,
  wasmGrants,
} from "./guest-call.ts";
import { scriptProgram } from "./program.ts";

export interface RunJsOptions {
  /** What the model's code gets. @default nothing */
  readonly grant?: Capabilities;
  /** The limits of one call. @default 30 seconds, 128 MiB, 10,000,000,000 units of fuel */
  readonly limits?: ToolGuestLimits;
  /** Where the values of granted variables come from. @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

interface RunJsInput {
  readonly code: string;
  readonly input?: JsonObject;
}

/**
 * The tool `run_js` with capabilities. Without any, it is in the toolset `js`.
 * @example
 * runJsTool({ grant: { filesystem: "read" } });
 */
export function runJsTool(options: RunJsOptions = {}): Tool {
  const problem = findProblem(options, OPTIONS);
  if (problem !== null) throw new HotcellError("CONFIG_INVALID", `Could not make run_js: ${problem}.`);
  const { grant = {}, limits = {}, env = process.env } = options;
  checkGrant(grant, "run_js");
  const granted = grantedOf(grant, grant);
  const guest = {
    name: "run_js",
    granted,
    env: grantedValues(granted, env),
    limits: guestLimits(limits),
  };
  const tool = defineTool({
    ...guestTraits(granted),
    name: "run_js",
    description: describe(granted),
    toolset: "js",
    input: INPUT,
    outputSchema: RUN_JS_OUTPUT,
    timeoutMs: guest.limits.timeoutMs,
    async run({ code, input = {} }: RunJsInput, kit: GuestKit) {
      const sha256 = createHash("sha256").update(code).digest("hex");
      const ran = await callGuest(guest, scriptProgram(asTool(code), sha256), input, kit);
      return shown(readOutput("run_js", ran), ran.stderr);
    },
  });
  return Object.freeze({ ...tool, wasm: wasmGrants(granted) });
}

/** `checkGrant` checks the grant. */
const OPTIONS: Schema & { readonly properties: Readonly<Record<keyof RunJsOptions, Schema>> } = {
  type: "object",
  properties: { grant: {}, limits: GUEST_LIMITS, env: { type: "object" } },
};

const INPUT = {
  type: "object",
  properties: {
    code: {
      type: "string",
      minLength: 1,
      maxLength: LIMITS.maxScriptBytes,
      description: "JavaScript: the body of an async function. Return a value that can be JSON",
    },
    input: { type: "object", description: "An object that the code gets as input" },
  },
  required: ["code"],
  additionalProperties: false,
} as const;

/** The code stays on its own lines, as the messages count them. */
function asTool(code: string): string {
  return `export default async (input, host) => { const run = async () => {${code}\n}; const result = await run(); return { returned: result !== undefined, result: result ?? null }; };`;
}

function shown({ returned, result }: JsonObject, logs: string): JsonObject {
  return {
    result: result ?? null,
    ...(logs !== "" && { logs }),
    ...(returned === false && logs === "" && { note: "The code returned nothing. Return the result." }),
  };
}

function describe({ filesystem, model, network }: Granted): string {
  const calls = [
    ...(filesystem === "none" ? [] : ["workspace.read {path}", "workspace.list {path}"]),
    ...(filesystem === "write" ? ["workspace.write {path, content}"] : []),
    ...(model ? ["model.chat {messages: [{role, content}]}"] : []),
    ...(network === "any" || network.length > 0 ? ["http.fetch {url, method, headers, body}"] : []),
  ];
  const parts = [
    "Run JavaScript and get what it returns, for calculations and for work on text and data.",
    "There is nothing of Node and no import; console.log is shown.",
    calls.length === 0
      ? "It has no files and no network."
      : `host.call(method, request) has ${calls.join(", ")}; it gives the result, or throws.`,
  ];
  return parts.join(" ");
}
