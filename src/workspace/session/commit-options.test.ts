import { expect, test } from "vitest";
import { openSessionCliWorld } from "../../../test/kit/worlds/session-cli-world.ts";

test.each([
  ["bogus", '"bogus"'],
  [null, "null"],
  [["ours"], "an array of 1"],
])("a commit or its plan with onConflict %j is refused, and nothing is committed", async (given, told) => {
  const world = await openSessionCliWorld({ a: "a\n" }, { c1: (w) => w.write("a", "b\n") });
  const session = await world.open();
  const options = { onConflict: given as never };
  const refusal = {
    code: "INVALID_ARGUMENTS",
    message: `Could not commit: onConflict is ${told}; allowed is "abort", "skip", "ours", "theirs", "merge".`,
  };
  await expect(session.plan(options)).rejects.toMatchObject(refusal);
  await expect(session.commit(options)).rejects.toMatchObject(refusal);
  expect(await session.commit({ onConflict: undefined as never })).toMatchObject({ committed: ["a"] });
  session.close();
});
