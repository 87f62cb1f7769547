import os from "node:os";
import { test } from "vitest";
import { IS_ROOT } from "../kit/is-root.ts";
import { MEMORY_DIR } from "../kit/memory-dir.ts";
import { compareWithModel } from "../kit/models/session-model.ts";
import { STRATEGIES } from "../kit/worlds/session-world.ts";

const DIR = IS_ROOT ? MEMORY_DIR : os.tmpdir();

test.each(STRATEGIES)(
  "P2.4, P3.6 and P4.2.c: whatever is done in a session by the strategy %s, its view, diff and commit are those of a model",
  (strategy) => compareWithModel(strategy, 2000, DIR),
);
