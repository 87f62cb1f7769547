import { HotcellError } from "../core/errors.ts";
import { quote } from "../core/quote.ts";
import { findFault } from "./find-fault.ts";
import type { JsonText } from "./read-json.ts";
import type { Schema } from "./schema.ts";

/** Throws `code` for the first value that violates its schema, with its key and line. */
export function checkJsonText(
  json: JsonText,
  schema: Schema,
  source: string,
  code: "CONFIG_INVALID" | "POLICY_INVALID",
): void {
  const fault = findFault(json.value, schema);
  if (!fault) return;
  const key = formatKey(fault.path);
  const line = json.lineOf(fault.path);
  const what = key === "" ? "it" : quote(key);
  throw new HotcellError(code, `Could not use ${quote(source)}: ${what} at line ${line} ${fault.problem}.`, {
    source,
    line,
    key,
  });
}

/** `tests[2].expect` */
export function formatKey(path: readonly (string | number)[]): string {
  const steps = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`));
  return steps.join("").slice(1);
}
