// A tool whose code is a WebAssembly module or a script on QuickJS: JSON in, JSON out, and nothing else that its manifest
// does not ask for and its operator does not grant.
import { resolve } from "node:path";
import type { Schema } from "../../config/schema.ts";
import { HotcellError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { quote } from "../../core/quote.ts";
import { findProblem } from "../configured/check-definition.ts";
import { defineTool, type Tool } from "../define-tool.ts";
import type { SchemaCheck } from "../schema-check.ts";
import { type Capabilities, checkGrant, grantedOf, grantedValues } from "./grant.ts";
import {
  callGuest,
  type GuestKit,
  type GuestTool,
  guestLimits,
  guestTraits,
  readOutput,
  wasmGrants,
} from "./guest-call.ts";
import type { GuestProgram } from "./guests.ts";
import { loadTool, type Manifest } from "./load-manifest.ts";
import { commandProgram, scriptProgram } from "./program.ts";
import { withTimeLimit } from "./timed-check.ts";

export interface WasmToolOptions {
  /** The tool's folder, with `manifest.json` and its code. */
  readonly path: string;
  /** What the tool gets of the capabilities that its manifest asks for. @default nothing */
  readonly grant?: Capabilities;
  /** Where the values of granted variables come from. @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** `checkGrant` checks the grant. */
const OPTIONS: Schema & { readonly properties: Readonly<Record<keyof WasmToolOptions, Schema>> } = {
  type: "object",
  required: ["path"],
  properties: {
    path: { type: "string", minLength: 1 },
    grant: {},
    env: { type: "object" },
  },
};

/**
 * Loads a wasm tool from its folder. Throws CONFIG_INVALID for a wrong manifest or hash, INVALID_MODULE for a module that
 * hotcell does not run.
 * @example
 * wasmTool({ path: "tools/word-count", grant: { filesystem: "read" } });
 */
export function wasmTool(options: WasmToolOptions): Tool {
  const problem = findProblem(options, OPTIONS);
  if (problem !== null) throw new HotcellError("CONFIG_INVALID", `Could not load a wasm tool: ${problem}.`);
  const { path, grant = {}, env = process.env } = options;
  checkGrant(grant, `the tool in ${quote(path)}`);
  const { manifest, code, sha256 } = loadTool(path);
  const granted = grantedOf(manifest.capabilities ?? {}, grant);
  const limits = guestLimits(manifest.limits);
  const file = resolve(path, manifest.entry);
  const program =
    manifest.entry === "tool.js"
      ? scriptProgram(code.toString(), sha256)
      : naming(manifest.name, file, () => commandProgram(code, sha256, limits.memoryMiB));
  const guest = { name: manifest.name, granted, env: grantedValues(granted, env), limits };
  return createWasmTool(manifest, guest, { ...program, file });
}

/** Of many tools, the error tells which one has the wrong module. */
function naming<T>(name: string, file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof HotcellError)) throw error;
    const { section, found, allowed } = error.details;
    const message = `Could not load the tool ${quote(name)} from ${quote(file)}: its ${section} has ${found}; allowed is ${allowed}.`;
    throw new HotcellError(error.code, message, error.details);
  }
}

function createWasmTool(manifest: Manifest, guest: GuestTool, program: GuestProgram): Tool {
  const { name, description, inputSchema, outputSchema } = manifest;
  const checkOutput = outputChecker(name, outputSchema);
  const tool = defineTool({
    ...guestTraits(guest.granted),
    name,
    description,
    toolset: "wasm",
    input: inputSchema,
    ...(outputSchema && { outputSchema }),
    timeoutMs: guest.limits.timeoutMs,
    run: async (args: JsonObject, kit: GuestKit) =>
      checkOutput(readOutput(name, await callGuest(guest, program, args, kit))),
  });
  return Object.freeze({ ...tool, wasm: wasmGrants(guest.granted) });
}

function outputChecker(
  name: string,
  schema: JsonObject | undefined,
): (output: JsonObject) => Promise<JsonObject> {
  let compiled: Promise<SchemaCheck> | null = null;
  return async (output) => {
    if (schema === undefined) return output;
    // ajv is loaded with the first call that needs it.
    compiled ??= import("../compile-schemas.ts").then(({ compileSchema }) =>
      withTimeLimit(compileSchema(schema), schema, "INVALID_OUTPUT"),
    );
    const check = await compiled;
    if (check(output) === true) return output;
    const [problem] = check.errors ?? [];
    throw new HotcellError(
      "INVALID_OUTPUT",
      `The output of ${name} does not match its output schema: ${problem?.instancePath || "it"} ${problem?.message}. Correct the tool, or outputSchema in its manifest.`,
      { ...problem },
    );
  };
}
