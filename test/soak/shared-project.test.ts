import os from "node:os";
import { MEMORY_DIR } from "../kit/memory-dir.ts";
import { sharedProjectSuite } from "../kit/shared-project-model.ts";

sharedProjectSuite(2000, process.getuid!() === 0 ? MEMORY_DIR : os.tmpdir());
