import { commandsOsSuite } from "../kit/commands-os-suite.ts";
import { dropRoot } from "../kit/drop-root.ts";

dropRoot();
commandsOsSuite();
