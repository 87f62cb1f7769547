import { expect, test } from "vitest";
import { raceCommits, raceRenames } from "../../kit/machine-and-soak/commit-race.ts";

const ROUNDS = 2000;

test.each(["abort", "skip"] as const)(
  `crash-009: in ${ROUNDS} commits (%s) that an editor saves into, no edit is lost`,
  async (policy) => {
    const { lost, met, unmet } = await raceCommits(ROUNDS, policy);
    expect(lost).toBe(0);
    expect(Math.min(met, unmet)).toBeGreaterThan(ROUNDS / 20);
  },
);

test(`control: ${ROUNDS} renames over the file lose edits`, async () => {
  const { lost } = await raceRenames(ROUNDS);
  expect(lost).toBeGreaterThan(0);
});
