// The only module that imports ajv, which costs about 30 ms: load it when a schema is not precompiled.
import { Ajv, type CodeOptions } from "ajv";
import { HotcellError } from "../core/errors.ts";
import { quote } from "../core/quote.ts";
import type { Tool } from "./define-tool.ts";
import { formats } from "./formats.ts";
import type { SchemaCheck } from "./schema-check.ts";

export function compileSchemas(tools: readonly Tool[]): Map<Tool, SchemaCheck> {
  const ajv = createAjv();
  return new Map(tools.map((tool) => [tool, compile(ajv, tool)]));
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
  try {
    return ajv.compile(tool.inputSchema);
  } catch (error) {
    const reason = (error as Error).message;
    throw new HotcellError(
      "CONFIG_INVALID",
      `Could not use the input schema of ${quote(tool.name)}: ${reason}.`,
    );
  }
}
