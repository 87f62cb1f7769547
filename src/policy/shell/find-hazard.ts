// What gives words of the line a meaning that the line does not show. It keeps an allow from covering it.
import type { Assignment, Command, ParameterExpansionPart, SyntaxNode, TestExpression, Word } from "unbash";
import { quote } from "../../core/quote.ts";
import { isDangerousVariable } from "./dangerous-variable.ts";

/** As a sentence without its end: `"PATH=." sets a variable that …`. */
export function findHazard(node: SyntaxNode): string | null {
  switch (node.type) {
    case "Function":
      return `${quote(node.name.text)} is made a function`;
    case "Coproc":
      return "a coprocess is started";
    case "Assignment":
      return findAssignmentHazard(node);
    case "For":
    case "Select":
      return findNameHazard(node.name.text);
    case "FileDescriptorVariable":
      return findNameHazard(node.name);
    case "Command":
      return findBuiltinHazard(node);
    case "ParameterExpansion":
      return findExpansionHazard(node);
    case "ArithmeticWord":
      return isNumber(node.value) ? null : evaluated(node.value);
    case "ArithmeticCommandExpansion":
      return evaluated(node.text);
    case "TestBinary":
    case "TestUnary":
      return findTestHazard(node);
    default:
      return null;
  }
}

function findAssignmentHazard({ name, index, value, text }: Assignment): string | null {
  if (index !== undefined && !isNumber(index.text)) return evaluated(text);
  const subscript = value.type === "ArrayValue" && value.elements.some((word) => word.text.startsWith("["));
  return subscript ? evaluated(text) : findNameHazard(name);
}

export function findNameHazard(name: string): string | null {
  return isDangerousVariable(name)
    ? `${quote(name)} is set, and programs run or load what such a variable says`
    : null;
}

const NAMING_BUILTINS: ReadonlySet<string> = new Set(["alias", "declare", "typeset"]);
const ASSIGNING_BUILTINS: ReadonlySet<string> = new Set(["read", "mapfile", "readarray", "getopts", "let"]);
const SUBSCRIPT_BUILTINS: ReadonlySet<string> = new Set([
  ...ASSIGNING_BUILTINS,
  "printf",
  "test",
  "[",
  "unset",
  "wait",
]);

function findBuiltinHazard({ name, args }: Command): string | null {
  const builtin = name?.value ?? "";
  const words = args.filter((arg): arg is Word => arg.type === "Word").map(({ value }) => value);
  if (NAMING_BUILTINS.has(builtin)) return `${quote(builtin)} gives names another meaning`;
  if (builtin === "let" && words.length > 0) return evaluated(words[0]!);
  // The shell evaluates a subscript once more: `test -v 'a[$(id)]'` runs id.
  const subscript = SUBSCRIPT_BUILTINS.has(builtin) && words.find((word) => /\[[^\]]*[$`]/.test(word));
  if (subscript) return evaluated(subscript);
  const set = ASSIGNING_BUILTINS.has(builtin) && words.find(isDangerousVariable);
  return set ? findNameHazard(set) : null;
}

function findExpansionHazard(node: ParameterExpansionPart): string | null {
  const { parameter, prefix, index, operation, text } = node;
  if (prefix === "!" && operation?.type !== "Names") return evaluated(text);
  if (index !== undefined && !isPlainSubscript(index.text)) return evaluated(text);
  switch (operation?.type) {
    case "Transform":
    case "Unknown":
      return evaluated(text);
    case "Slice":
      return [operation.offset, operation.length].every((at) => isNumber(at?.text ?? ""))
        ? null
        : evaluated(text);
    case "Default":
      return operation.operator.includes("=") ? findNameHazard(parameter) : null;
    default:
      return null;
  }
}

function findTestHazard(node: Extract<TestExpression, { type: "TestBinary" | "TestUnary" }>): string | null {
  const words = node.type === "TestUnary" ? [node.operand] : [node.left, node.right];
  const isComputed = /^-(eq|ne|lt|le|gt|ge)$/.test(node.operator);
  const odd = words.find(({ value }) => (isComputed ? !isNumber(value) : isNamed(node.operator, value)));
  return odd ? evaluated(odd.text) : null;
}

function isNamed(operator: string, value: string): boolean {
  return (operator === "-v" || operator === "-R") && value.includes("[");
}

function isPlainSubscript(text: string): boolean {
  return text === "@" || text === "*" || isNumber(text);
}

function isNumber(text: string): boolean {
  return /^\s*-?\s*\d*\s*$/.test(text);
}

/** In arithmetic, in subscripts and in `${!x}` the value of a variable is read as code: it may run commands. */
function evaluated(text: string): string {
  return `the shell evaluates what a variable holds in ${quote(text)}`;
}
