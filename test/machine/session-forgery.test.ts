import os from "node:os";
import { sessionForgerySuite } from "../kit/session-forgery-suite.ts";

sessionForgerySuite(os.tmpdir());
