// Converts the syntax tree of a pattern to its shape. Without the `u` flag JavaScript parses a pattern by UTF-16 units.
// Here a pair of surrogates is one character, as in the files.
import type { AST } from "@eslint-community/regexpp";
import type { AddVariants } from "./case-variants.ts";
import {
  ANY,
  type CodePoints,
  complement,
  DIGIT,
  MAX_CODE_POINT,
  SPACE,
  unite,
  WORD,
} from "./code-points.ts";
import { createPropertyPoints, type PropertyPoints } from "./property-points.ts";
import type { Shape } from "./shape.ts";

const EMPTY: Shape = { kind: "sequence", parts: [] };

interface Reading {
  /** Whether the pattern is parsed with the `u` flag. */
  readonly unicode: boolean;
  /** Adds the case variants if case is ignored. */
  readonly add: AddVariants;
  /** The characters of `\p{…}`, with their case variants. */
  readonly propertyPoints: PropertyPoints;
}

/** `addVariants` is null if case matters. */
export function shapeOf(pattern: AST.Pattern, unicode: boolean, addVariants: AddVariants | null): Shape {
  const add = addVariants ?? ((points) => points);
  return choiceOf(pattern.alternatives, { unicode, add, propertyPoints: createPropertyPoints(add) });
}

function choiceOf(alternatives: readonly AST.Alternative[], reading: Reading): Shape {
  const options = alternatives.map((alternative) => sequenceOf(alternative, reading));
  return options.length === 1 ? options[0]! : { kind: "choice", options };
}

function sequenceOf({ elements }: AST.Alternative, reading: Reading): Shape {
  const shapes = joinPairs(elements).map((element) => shapeOfElement(element, reading));
  const parts = shapes.filter((shape) => !isEmpty(shape));
  return parts.length === 1 ? parts[0]! : { kind: "sequence", parts };
}

function shapeOfElement(element: AST.Element, reading: Reading): Shape {
  switch (element.type) {
    case "Character":
      return { kind: "one", of: reading.add([[element.value, element.value]]) };
    case "CharacterSet":
      return { kind: "one", of: setOf(element, reading) };
    case "CharacterClass":
      return oneOf(classOf(element, reading));
    case "CapturingGroup":
      return choiceOf(element.alternatives, reading);
    case "Group":
      return element.modifiers === null ? choiceOf(element.alternatives, reading) : { kind: "unknown" };
    case "Quantifier":
      return repeatOf(element, reading);
    case "Assertion":
      return edgeOf(element);
    default:
      return { kind: "unknown" };
  }
}

/** A repetition of an empty shape is empty. */
function repeatOf({ element, min, max }: AST.Quantifier, reading: Reading): Shape {
  const part = shapeOfElement(element, reading);
  return max === 0 || isEmpty(part) ? EMPTY : { kind: "repeat", part, min, max };
}

function isEmpty(shape: Shape): boolean {
  return shape.kind === "sequence" && shape.parts.length === 0;
}

function oneOf(of: CodePoints | null): Shape {
  return of === null ? { kind: "unknown" } : { kind: "one", of };
}

function edgeOf(assertion: AST.Assertion): Shape {
  if (assertion.kind === "lookahead" || assertion.kind === "lookbehind") return { kind: "look" };
  if (assertion.kind !== "word") return { kind: "edge", at: assertion.kind };
  return { kind: "edge", at: assertion.negate ? "inside" : "word" };
}

function classOf({ elements, negate }: AST.CharacterClass, reading: Reading): CodePoints | null {
  const members: (readonly [number, number])[] = [];
  for (const element of joinPairs<AST.CharacterClassElement>(elements)) {
    const points = membersOf(element, reading);
    if (points === null) return null;
    members.push(...points);
  }
  const points = reading.unicode ? unite(members) : withPairs(unite(members));
  return negate ? complement(points) : points;
}

function membersOf(element: AST.CharacterClassElement, reading: Reading): CodePoints | null {
  if (element.type === "Character") return reading.add([[element.value, element.value]]);
  if (element.type === "CharacterClassRange") return reading.add([[element.min.value, element.max.value]]);
  return element.type === "CharacterSet" ? setOf(element, reading) : null;
}

/** Except for properties, these sets already contain all case variants. */
function setOf(set: AST.CharacterSet, { propertyPoints }: Reading): CodePoints {
  if (set.kind === "any") return ANY;
  if (set.kind === "property") return propertyPoints(set.raw);
  const points = { digit: DIGIT, space: SPACE, word: WORD }[set.kind];
  return set.negate ? complement(points) : points;
}

/** `[\u0080-\uffff]` contains both halves of every surrogate pair, so it matches all characters above U+FFFF. */
function withPairs(points: CodePoints): CodePoints {
  const hasPairs = points.some(([first, last]) => first <= 0xd800 && last >= 0xdfff);
  return hasPairs ? unite([...points, [0x10000, MAX_CODE_POINT]]) : points;
}

/** Joins a high surrogate and the low one after it to one element. A quantifier of the low one then applies to both. */
function joinPairs<T extends AST.Element | AST.CharacterClassElement>(elements: readonly T[]): T[] {
  const joined: T[] = [];
  for (const element of elements) {
    const pair = pairOf(joined.at(-1), element);
    if (pair === null) joined.push(element);
    else joined[joined.length - 1] = pair;
  }
  return joined;
}

function pairOf<T extends AST.Element | AST.CharacterClassElement>(high: T | undefined, low: T): T | null {
  if (high?.type !== "Character" || high.value < 0xd800 || high.value > 0xdbff) return null;
  if (low.type === "Quantifier") {
    const element = pairOf<AST.Element>(high, low.element);
    return element === null ? null : { ...low, element };
  }
  if (low.type !== "Character" || low.value < 0xdc00 || low.value > 0xdfff) return null;
  return { ...low, value: (high.value - 0xd800) * 0x400 + (low.value - 0xdc00) + 0x10000 };
}
