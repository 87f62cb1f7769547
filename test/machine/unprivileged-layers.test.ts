// What is done for root with layers and masks is done for anybody.
import os from "node:os";
import { dropRoot } from "../kit/drop-root.ts";
import { layersSuite } from "../kit/layers-suite.ts";
import { maskSuite } from "../kit/mask-suite.ts";

dropRoot();
layersSuite(os.tmpdir(), [4]);
maskSuite(os.tmpdir());
