import { hostileProjectSuite } from "../kit/hostile-project-suite.ts";

hostileProjectSuite();
