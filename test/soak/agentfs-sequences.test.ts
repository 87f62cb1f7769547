import { test } from "vitest";
import { checkAgentfsSequences } from "../kit/machine-and-soak/agentfs-sequences.ts";
import { STRATEGIES } from "../kit/worlds/session-world.ts";

test.each(STRATEGIES)(
  "P2.6, P3.7, P6.1, P6.5: mode agentfs, by the strategy %s: the project with the database shows the session's view in 150 random sequences of calls, rewinds, discards, commits and reverts",
  (strategy) => checkAgentfsSequences(strategy, 150),
  150 * 30_000,
);
