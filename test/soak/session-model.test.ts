import os from "node:os";
import { MEMORY_DIR } from "../kit/memory-dir.ts";
import { sessionModelSuite } from "../kit/session-model.ts";

sessionModelSuite(2000, process.getuid!() === 0 ? MEMORY_DIR : os.tmpdir());
