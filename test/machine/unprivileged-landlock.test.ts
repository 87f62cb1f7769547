// What Landlock does for root it does for anybody.
import { dropRoot } from "../kit/drop-root.ts";
import { landlockSuite } from "../kit/landlock-suite.ts";

dropRoot();
landlockSuite();
