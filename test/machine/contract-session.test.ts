import { contractSessionSuite } from "../kit/contract-session-suite.ts";

contractSessionSuite();
