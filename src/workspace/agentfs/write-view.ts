// Writes a view into an empty database: where a layer has an entry, the database has the view's. Then the project with
// the database, read as AgentFS reads them, equals the view.
import { type ComparedTrees, type PairOptions, visitPairs } from "../diff/compare-entries.ts";
import type { Cooperative } from "../fs/cooperative.ts";
import type { Delta } from "./delta.ts";
import { createEntryWriter, type IsSecret, identityIn, type WrittenView } from "./write-entry.ts";

export function* writeView(
  trees: ComparedTrees,
  options: PairOptions,
  isSecret: IsSecret,
  delta: Delta,
): Cooperative<WrittenView> {
  const { write, written } = createEntryWriter(trees, isSecret, delta, identityIn(trees.after));
  yield* visitPairs(trees, options, function* (pair) {
    yield;
    write(pair);
  });
  return written();
}
