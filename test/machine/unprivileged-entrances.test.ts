import { dropRoot } from "../kit/drop-root.ts";
import { entrancesSuite } from "../kit/entrances-suite.ts";

dropRoot();
entrancesSuite();
