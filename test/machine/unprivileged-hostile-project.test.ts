import { dropRoot } from "../kit/drop-root.ts";
import { hostileProjectSuite } from "../kit/hostile-project-suite.ts";

dropRoot();
hostileProjectSuite();
