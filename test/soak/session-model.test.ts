import { sessionModelSuite } from "../kit/session-model.ts";

sessionModelSuite(800);
