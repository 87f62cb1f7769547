import os from "node:os";
import { MEMORY_DIR } from "../kit/memory-dir.ts";
import { sharedProjectSuite } from "../kit/shared-project-model.ts";

const SEED = 1;

sharedProjectSuite(30, process.getuid!() === 0 ? MEMORY_DIR : os.tmpdir(), SEED);
