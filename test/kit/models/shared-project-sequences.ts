// Random sequences of actions of a session and its user.
import fc from "fast-check";
import type { ConflictPolicy } from "../../../src/workspace/commit/plan/plan.ts";

/** The written texts are not part of a step: each is unique. */
export type Action =
  | {
      readonly do: "write" | "replace" | "edit" | "append" | "mkdir" | "remove" | "symlink";
      readonly at: string;
    }
  | { readonly do: "rename" | "copy" | "swap"; readonly at: string; readonly to: string }
  | { readonly do: "chmod"; readonly at: string; readonly mode: number };

export interface Acting {
  readonly who: "user" | "session";
  readonly action: Action;
}

export type SharedStep =
  | { readonly do: "call"; readonly actions: readonly Acting[] }
  | { readonly do: "user"; readonly actions: readonly Action[] }
  | { readonly do: "commit"; readonly onConflict: ConflictPolicy; readonly path: string | null }
  | { readonly do: "revert" | "rewind"; readonly nth: number; readonly path: string | null }
  | { readonly do: "discard"; readonly path: string | null }
  | { readonly do: "undo" | "fork" | "reopen" };

/** Few names, so that actions meet at the same paths. */
const path = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom("a", "b", "a/a", "a/a", "a/b", "b/a") },
  { weight: 1, arbitrary: fc.constantFrom("a/a/a", "a/a/b", "b/b", "b/a/b") },
);
const does = <const T extends string>(...names: T[]) => fc.constantFrom(...names);

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: does("write", "replace"), at: path }) },
  { weight: 4, arbitrary: fc.record({ do: does("edit", "edit", "append"), at: path }) },
  { weight: 1, arbitrary: fc.record({ do: does("mkdir"), at: path }) },
  { weight: 4, arbitrary: fc.record({ do: does("remove"), at: path }) },
  { weight: 4, arbitrary: fc.record({ do: does("rename", "copy", "swap"), at: path, to: path }) },
  { weight: 1, arbitrary: fc.record({ do: does("symlink"), at: path }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: does("chmod"), at: path, mode: fc.constantFrom(0o755, 0o700) }),
  },
);

const who = does("session", "session", "session", "user");
const actions = fc.array(action, { minLength: 1, maxLength: 3 });
const acting = fc.array(fc.record({ who, action }), { minLength: 0, maxLength: 4 });
const onConflict = does("abort", "skip", "skip", "merge", "ours", "theirs");
const some = fc.option(path, { freq: 2 });
const none = fc.constant(null);

const step: fc.Arbitrary<SharedStep> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: does("call"), actions: acting }) },
  { weight: 7, arbitrary: fc.record({ do: does("user"), actions }) },
  { weight: 5, arbitrary: fc.record({ do: does("commit"), onConflict, path: fc.oneof(none, some) }) },
  { weight: 2, arbitrary: fc.record({ do: does("revert"), nth: fc.nat(3), path: none }) },
  { weight: 2, arbitrary: fc.record({ do: does("rewind"), nth: fc.nat(9), path: fc.oneof(none, some) }) },
  { weight: 1, arbitrary: fc.record({ do: does("discard"), path: some }) },
  { weight: 2, arbitrary: fc.record({ do: does("undo") }) },
  { weight: 1, arbitrary: fc.record({ do: does("fork", "reopen") }) },
);

export interface SharedSequence {
  readonly planted: readonly string[];
  readonly steps: readonly SharedStep[];
}

export const sharedSequences: fc.Arbitrary<SharedSequence> = fc.record({
  planted: fc.array(path, { minLength: 1, maxLength: 6 }),
  steps: fc.array(step, { minLength: 3, maxLength: 12 }),
});
