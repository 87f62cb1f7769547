import type { Pace } from "../fs/cooperative.ts";
import { explainErrors } from "../fs/os-error.ts";
import { type Difference, differences, type MergedPath } from "../layers/clone-tree.ts";

/** The handler of each kind of step on the tour through the differences. */
export type DifferenceVisitor = Readonly<
  Record<Difference["step"], (difference: Difference) => Promise<void>>
>;

/** Errors name the path at which they occurred. */
export async function visitDifferences(
  have: MergedPath,
  want: MergedPath,
  steps: DifferenceVisitor,
  pace: Pace,
): Promise<void> {
  const trail: string[] = [];
  try {
    for (const difference of differences(have, want)) {
      if (difference.step !== "leave") trail.push(difference.name);
      await steps[difference.step](difference);
      if (difference.step !== "enter") trail.pop();
      await pace();
    }
  } catch (error) {
    explainErrors("copy", trail.join("/"), () => {
      throw error;
    });
  }
}
