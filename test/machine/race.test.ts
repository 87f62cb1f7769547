import { raceSuite } from "../kit/race-suite.ts";

raceSuite(20_000);
