// Random sequences of session operations.
import fc from "fast-check";
import { directory, file, symlink } from "../worlds/planted-tree.ts";
import { put } from "./arbitrary-trees.ts";
import type { Operation, Tree } from "./tree-model.ts";

export type Step =
  | { readonly do: "call" | "outside a call"; readonly operations: readonly Operation[] }
  | { readonly do: "checkpoint" | "undo" | "reopen" | "commit" | "discard all" }
  | { readonly do: "rewind"; readonly nth: number; readonly path: string | null }
  | { readonly do: "fork"; readonly follow: boolean }
  | { readonly do: "discard"; readonly path: string };

export interface Sequence {
  readonly project: Tree;
  readonly steps: readonly Step[];
}

/** Few names, so that operations meet at the same paths. */
const names = fc.array(fc.constantFrom("a", "\uDCFF"), { minLength: 1, maxLength: 3 });
const path = names.map((way) => way.join("/"));
const content = fc.constantFrom("", "one\n", "two\n", "one\ntwo\n", "x".repeat(5000));
const fileMode = fc.constantFrom(0o644, 0o600, 0o755);
const directoryMode = fc.constantFrom(0o755, 0o700);
const target = fc.constantFrom("no", "no/no", "\uDCF0");
const does = <const T extends string>(...names: T[]) => fc.constantFrom(...names);

const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: does("write", "append"), at: path, content }) },
  { weight: 2, arbitrary: fc.record({ do: does("mkdir"), at: path }) },
  { weight: 3, arbitrary: fc.record({ do: does("remove"), at: path, recursive: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ do: does("rename", "rename", "copy"), at: path, to: path }) },
  { weight: 1, arbitrary: fc.record({ do: does("symlink"), at: path, target }) },
  { weight: 1, arbitrary: fc.record({ do: does("chmod"), at: path, mode: directoryMode }) },
);

const operations = fc.array(operation, { minLength: 1, maxLength: 6 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: does("call"), operations }) },
  { weight: 2, arbitrary: fc.record({ do: does("outside a call"), operations }) },
  { weight: 3, arbitrary: fc.record({ do: does("rewind"), nth: fc.nat(9), path: fc.option(path) }) },
  { weight: 3, arbitrary: fc.record({ do: does("undo") }) },
  { weight: 2, arbitrary: fc.record({ do: does("discard"), path }) },
  { weight: 3, arbitrary: fc.record({ do: does("checkpoint", "reopen", "discard all") }) },
  { weight: 1, arbitrary: fc.record({ do: does("commit") }) },
  { weight: 1, arbitrary: fc.record({ do: does("fork"), follow: fc.boolean() }) },
);

const planted = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(content, fileMode).map((parts) => file(...parts)) },
  { weight: 1, arbitrary: target.map(symlink) },
  { weight: 1, arbitrary: directoryMode.map(directory) },
);
const project = fc.array(fc.tuple(names, planted), { maxLength: 12 }).map((entries) => {
  const tree: Tree = new Map();
  for (const [way, what] of entries) put(tree, way, what);
  return tree;
});

export const sequences: fc.Arbitrary<Sequence> = fc.record({
  project,
  steps: fc.array(step, { minLength: 6, maxLength: 14 }),
});
