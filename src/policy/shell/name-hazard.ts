import { quote } from "../../core/quote.ts";
import { isDangerousVariable } from "./dangerous-variable.ts";

/** The hazard of setting a variable. The shell evaluates the subscript of a name, if there is one. */
export function findNameHazard(name: string): string | null {
  if (!isPlainName(name)) return evaluated(name);
  return isDangerousVariable(name)
    ? `${quote(name)} is set, and programs run or load what such a variable says`
    : null;
}

export function isPlainName(text: string | null): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(text ?? "");
}

/** In arithmetic, in subscripts and in `${!x}` the shell evaluates the value of a variable, which may run commands. */
export function evaluated(text: string): string {
  return `the shell evaluates what a variable holds in ${quote(text)}`;
}
