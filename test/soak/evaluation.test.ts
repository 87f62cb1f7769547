import { test } from "vitest";
import { randomSeed } from "../kit/assert-property.ts";
import { compareWithBash } from "../kit/machine-and-soak/evaluation-oracle.ts";

const FIRST_SEED = randomSeed();

test.each(Array.from({ length: 20 }, (_, at) => FIRST_SEED + at))(
  "bash runs no command past a deny rule by evaluating text again, seed %d",
  async (seed) => {
    await compareWithBash(seed, 2500);
  },
);
