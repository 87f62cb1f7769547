import { commandsSuite } from "../kit/commands-suite.ts";
import { dropRoot } from "../kit/drop-root.ts";

dropRoot();
commandsSuite();
