// The weaker tier is for ordinary users only.
import { dropRoot } from "../kit/drop-root.ts";
import { landlockTierSuite } from "../kit/landlock-tier-suite.ts";

dropRoot();
landlockTierSuite();
