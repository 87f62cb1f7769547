// Finds constructs that give words a meaning that the line does not show. An allow rule does not cover such a line.
import type { Assignment, ParameterExpansionPart, Redirect, SyntaxNode, TestExpression, Word } from "unbash";
import { quote } from "../../core/quote.ts";
import { describeEvaluation, findNameHazard, type Hazard, isPlainName } from "./name-hazard.ts";
import { readWord } from "./read-word.ts";

export function findHazard(node: SyntaxNode): Hazard | null {
  switch (node.type) {
    case "Function":
      return { text: `${quote(node.name.text)} is defined as a function`, evaluates: false };
    case "Coproc":
      return { text: "a coprocess is started", evaluates: false };
    case "Assignment":
      return findAssignmentHazard(node);
    case "For":
    case "Select":
      return findNameHazard(node.name.text);
    case "FileDescriptorVariable":
      return findNameHazard(node.name);
    case "ParameterExpansion":
      return findExpansionHazard(node);
    case "ArithmeticWord":
      return isNumber(node.value) ? null : describeEvaluation(node.value);
    case "ArithmeticCommandExpansion":
      return describeEvaluation(node.text);
    case "TestBinary":
    case "TestUnary":
      return findTestHazard(node);
    case "Redirect":
      return findRedirectHazard(node);
    default:
      return null;
  }
}

function findAssignmentHazard({ name, index, value, text }: Assignment): Hazard | null {
  if (index !== undefined && !isNumber(index.text)) return describeEvaluation(text);
  const subscript = value.type === "ArrayValue" && value.elements.some((word) => word.text.startsWith("["));
  return subscript ? describeEvaluation(text) : findNameHazard(name);
}

function findExpansionHazard(node: ParameterExpansionPart): Hazard | null {
  const { parameter, prefix, index, operation, text } = node;
  if (prefix === "!" && operation?.type !== "Names") return describeEvaluation(text);
  if (index !== undefined && !isPlainSubscript(index.text)) return describeEvaluation(text);
  switch (operation?.type) {
    case "Transform":
    case "Unknown":
      return describeEvaluation(text);
    case "Slice":
      return [operation.offset, operation.length].every((at) => isNumber(at?.text ?? ""))
        ? null
        : describeEvaluation(text);
    case "Default":
      return operation.operator.includes("=") ? findNameHazard(parameter) : null;
    default:
      return null;
  }
}

function findTestHazard(node: Extract<TestExpression, { type: "TestBinary" | "TestUnary" }>): Hazard | null {
  const words = node.type === "TestUnary" ? [node.operand] : [node.left, node.right];
  const isComputed = /^-(eq|ne|lt|le|gt|ge)$/.test(node.operator);
  const odd = words.find((word) => (isComputed ? !isNumber(word.value) : isOddName(node.operator, word)));
  return odd ? describeEvaluation(odd.text) : null;
}

function isOddName(operator: string, word: Word): boolean {
  return (operator === "-v" || operator === "-R") && !isPlainName(readWord(word).text);
}

/** Bash expands the target of `>&` and `1>&` twice: `>&'$(id)'` runs id, and `>&'"a"'` writes a. */
function findRedirectHazard({ operator, descriptor, target }: Redirect): Hazard | null {
  const isStdout =
    descriptor === undefined || (descriptor.type === "FileDescriptor" && descriptor.value === 1);
  if (operator !== ">&" || !isStdout || target === undefined) return null;
  const { text, fixed } = readWord(target);
  if (fixed && !/[^\p{L}\p{N}_./:,@%+=-]/u.test(text!)) return null;
  return { text: `the shell expands ${quote(target.text)} twice`, evaluates: true };
}

function isPlainSubscript(text: string): boolean {
  return text === "@" || text === "*" || isNumber(text);
}

function isNumber(text: string): boolean {
  return /^\s*-?\s*\d*\s*$/.test(text);
}
