import { entrancesSuite } from "../kit/entrances-suite.ts";

entrancesSuite();
