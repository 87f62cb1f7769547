import { expect, test } from "vitest";
import { openCliWorld } from "../../../../test/kit/worlds/cli-world.ts";

test.each([
  ["an address that other machines can reach, without a token file", ["--host", "0.0.0.0"], "--token-file"],
  ["a port that is none", ["--port", "70000"], "0 to 65535"],
  ["a token file that is not there", ["--token-file", "nothing"], "cannot be opened"],
  ["the mode host", ["--fs", "host"], "sessions"],
  ["one session", ["--session", "last"], "omit --session"],
])("exit 2 for %s", async (_what, flags, message) => {
  const { code, out, err } = await openCliWorld({ a: "" }).run(["serve", ...flags]);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toContain(message);
});
