import { describe, test } from "vitest";
import { cutStream } from "../kit/machine-and-soak/cut-stream.ts";
import { type Dialect, WIRE_CASES } from "../kit/worlds/wire-cases.ts";

describe("of a stream that is cut at every byte, a run executes no call before the answer has ended", () => {
  test.each(Object.keys(WIRE_CASES) as Dialect[])("%s", (dialect) => cutStream(dialect, 1));
});
