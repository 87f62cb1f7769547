import os from "node:os";
import { layersSuite } from "../kit/layers-suite.ts";

layersSuite(os.tmpdir(), [1, 2, 3]);
