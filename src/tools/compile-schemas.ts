// The only module that imports ajv, which costs about 30 ms: load it when a schema is not precompiled.
import { Ajv, type CodeOptions } from "ajv";
import { HotcellError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { quote } from "../core/quote.ts";
import type { Tool } from "./define-tool.ts";
import { formats } from "./formats.ts";
import type { SchemaCheck } from "./schema-check.ts";
import { withTimeLimit } from "./wasm/timed-check.ts";

export function compileSchemas(tools: readonly Tool[]): Map<Tool, SchemaCheck> {
  const ajv = createAjv();
  return new Map(tools.map((tool) => [tool, compile(ajv, tool)]));
}

/** One schema that belongs to no tool. */
export function compileSchema(schema: JsonObject): SchemaCheck {
  return createAjv().compile(schema);
}

export function createAjv(code: CodeOptions = {}): Ajv {
  return new Ajv({
    strict: true,
    allowUnionTypes: true,
    allErrors: true,
    ownProperties: true,
    // Lengths in UTF-16 units: counting code points would make precompiled checks import ajv.
    unicode: false,
    logger: false,
    formats,
    code,
  });
}

function compile(ajv: Ajv, tool: Tool): SchemaCheck {
  // The output of a wasm tool is checked too: a schema that cannot be used stops the start.
  if (tool.wasm !== undefined && tool.outputSchema !== null)
    compileOne(ajv, tool, "output", tool.outputSchema);
  const check = compileOne(ajv, tool, "input", tool.inputSchema);
  return tool.wasm === undefined ? check : withTimeLimit(check, tool.inputSchema, "INVALID_ARGUMENTS");
}

function compileOne(ajv: Ajv, tool: Tool, which: "input" | "output", schema: JsonObject): SchemaCheck {
  try {
    return ajv.compile(schema);
  } catch (error) {
    const reason = (error as Error).message;
    throw new HotcellError(
      "CONFIG_INVALID",
      `Could not use the ${which} schema of ${quote(tool.name)}: ${reason}.`,
    );
  }
}
