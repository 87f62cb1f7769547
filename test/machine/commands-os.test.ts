import { commandsOsSuite } from "../kit/commands-os-suite.ts";

commandsOsSuite();
