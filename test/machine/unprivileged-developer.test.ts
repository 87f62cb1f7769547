import { developerSuite } from "../kit/developer-suite.ts";
import { dropRoot } from "../kit/drop-root.ts";

dropRoot();
developerSuite();
