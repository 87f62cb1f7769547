import type { CodePoints } from "./code-points.ts";

/** The meaning of a pattern, without groups, laziness and case. */
export type Shape =
  | { readonly kind: "one"; readonly of: CodePoints }
  | { readonly kind: "sequence"; readonly parts: readonly Shape[] }
  | { readonly kind: "choice"; readonly options: readonly Shape[] }
  | { readonly kind: "repeat"; readonly part: Shape; readonly min: number; readonly max: number }
  | { readonly kind: "edge"; readonly at: Edge }
  /** Look-around: not possible in a finite automaton, but it consumes no text. */
  | { readonly kind: "look" }
  /** Back-references and groups with flags: any text, or none. */
  | { readonly kind: "unknown" };

/** The start or end of a line, or a position between characters: `word` is `\b`, `inside` is `\B`. */
export type Edge = "start" | "end" | "word" | "inside";
