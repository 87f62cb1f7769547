import { describe } from "vitest";
import { developerSuite } from "../kit/developer-suite.ts";

const SOMEBODY = 1000;

describe("in a project of one's own", () => developerSuite());
describe.runIf(process.getuid!() === 0)("in somebody else's project, as root", () =>
  developerSuite({ owner: SOMEBODY }),
);
