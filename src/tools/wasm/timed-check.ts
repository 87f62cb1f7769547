// The patterns of a manifest come with the tool, and so may the text that they are matched with: V8 may backtrack for ever.
import vm from "node:vm";
import { type ErrorCode, HotcellError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { LIMITS } from "../../core/limits.ts";
import type { SchemaCheck } from "../schema-check.ts";
import { patternsOf } from "./slow-pattern.ts";

/** The same check; throws `code` if it takes too long. Node's vm is used as a timer only: the check is hotcell's own code. */
export function withTimeLimit(check: SchemaCheck, schema: JsonObject, code: ErrorCode): SchemaCheck {
  if (patternsOf(schema).next().done === true) return check;
  const context = vm.createContext({ check, value: null });
  const script = new vm.Script("check(value)");
  const timed: SchemaCheck = Object.assign(
    (value: unknown) => {
      context.value = value;
      try {
        return script.runInContext(context, { timeout: LIMITS.schemaCheckMs });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
        throw new HotcellError(
          code,
          `Could not check the value: the patterns of the tool's schema took longer than ${LIMITS.schemaCheckMs} ms. Simplify them.`,
        );
      } finally {
        context.value = null;
        timed.errors = check.errors ?? null;
      }
    },
    { errors: null },
  ) as SchemaCheck;
  return timed;
}
