import { landlockSuite } from "../kit/landlock-suite.ts";

landlockSuite();
