import { acrossToolsSuite } from "../kit/across-tools-suite.ts";

acrossToolsSuite();
