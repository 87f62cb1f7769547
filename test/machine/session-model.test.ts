import os from "node:os";
import { MEMORY_DIR } from "../kit/memory-dir.ts";
import { sessionModelSuite } from "../kit/session-model.ts";

const SEED = 1;

sessionModelSuite(80, process.getuid!() === 0 ? MEMORY_DIR : os.tmpdir(), SEED);
