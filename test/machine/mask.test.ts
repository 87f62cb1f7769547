import os from "node:os";
import { maskSuite } from "../kit/mask-suite.ts";

maskSuite(os.tmpdir());
