import { quote } from "../../core/quote.ts";
import { isDangerousVariable, isEvaluatedVariable } from "./dangerous-variable.ts";

/** A construct that gives words of a line a meaning that the line does not show. */
export interface Hazard {
  /** A sentence without a full stop: `"PATH" is set, and …`. */
  readonly text: string;
  /** The shell may run text as commands that the parsed line does not contain. */
  readonly evaluates: boolean;
}

/** The hazard of setting a variable in the shell, which evaluates the subscript of a name, if there is one. */
export function findNameHazard(name: string): Hazard | null {
  return isPlainName(name) ? findVariableHazard(name) : describeEvaluation(name);
}

/** The hazard of a variable in the environment of a command. Its name may be any text: `BASH_FUNC_ls%%` is a function ls. */
export function findVariableHazard(name: string): Hazard | null {
  const text = `${quote(name)} is set, and programs run or load the value of such a variable`;
  return isDangerousVariable(name) ? { text, evaluates: isEvaluatedVariable(name) } : null;
}

export function isPlainName(text: string | null): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(text ?? "");
}

/** In arithmetic, in subscripts and in `${!x}` the shell evaluates the value of a variable, which may run commands. */
export function describeEvaluation(text: string): Hazard {
  return { text: `the shell evaluates the value of a variable in ${quote(text)}`, evaluates: true };
}
