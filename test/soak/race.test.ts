import { raceSuite } from "../kit/race-suite.ts";

raceSuite(200_000);
