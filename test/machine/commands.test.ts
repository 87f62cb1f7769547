import { commandsSuite } from "../kit/commands-suite.ts";

commandsSuite();
