import type { CodePoints } from "./code-points.ts";

/** What a pattern says, without how it is written: groups, laziness and case are gone. */
export type Shape =
  | { readonly kind: "one"; readonly of: CodePoints }
  | { readonly kind: "sequence"; readonly parts: readonly Shape[] }
  | { readonly kind: "choice"; readonly options: readonly Shape[] }
  | { readonly kind: "repeat"; readonly part: Shape; readonly min: number; readonly max: number }
  | { readonly kind: "edge"; readonly at: Edge }
  /** Look-around: beyond a finite automaton, but it takes no text. */
  | { readonly kind: "look" }
  /** Back-references and groups with flags of their own: any text, or none. */
  | { readonly kind: "unknown" };

/** Of a line, or between characters: `word` is `\b`, `inside` is `\B`. */
export type Edge = "start" | "end" | "word" | "inside";
