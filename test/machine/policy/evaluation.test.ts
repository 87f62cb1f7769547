import { test } from "vitest";
import { randomSeed } from "../../kit/assert-property.ts";
import { compareWithBash } from "../../kit/machine-and-soak/evaluation-oracle.ts";

const SEED = 20_261_118;

test.each([SEED, randomSeed()])(
  "bash runs no command past a deny rule by evaluating text again, seed %d",
  async (seed) => {
    await compareWithBash(seed, 250);
  },
);
