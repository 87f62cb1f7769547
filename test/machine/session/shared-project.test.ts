import os from "node:os";
import { test } from "vitest";
import { IS_ROOT } from "../../kit/is-root.ts";
import { MEMORY_DIR } from "../../kit/memory-dir.ts";
import { checkSharedProject } from "../../kit/models/shared-project-model.ts";
import { STRATEGIES } from "../../kit/worlds/session-world.ts";

const DIR = IS_ROOT ? MEMORY_DIR : os.tmpdir();

test.each(STRATEGIES)(
  "whatever a user does in the project beside a session of the strategy %s, no edit is lost, and view and diff are true",
  (strategy) => checkSharedProject(strategy, 30, DIR),
);
