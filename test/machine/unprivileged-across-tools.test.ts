import { acrossToolsSuite } from "../kit/across-tools-suite.ts";
import { dropRoot } from "../kit/drop-root.ts";

dropRoot();
acrossToolsSuite();
