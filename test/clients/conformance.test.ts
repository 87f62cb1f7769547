// The official conformance suite, over HTTP. The suite knows no tokens: a relay adds the token.
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openClientPrograms, runProgram } from "../kit/worlds/client-programs.ts";
import { ERAS, openHttpWorld } from "../kit/worlds/mcp-world.ts";
import { tempDir } from "../kit/worlds/temp-cell.ts";
import { startRelay } from "../kit/worlds/token-relay.ts";
import { FIXTURES } from "./conformance-tools.ts";

test.each(ERAS)("the conformance suite for servers of %s passes, except for what is listed", async (era) => {
  const { node22 } = openClientPrograms();
  const { url, token } = await openHttpWorld({ tools: FIXTURES });
  const relay = await startRelay(url, token);
  onTestFinished(relay.close);
  const failures = path.join(import.meta.dirname, `expected-failures-${era}.yaml`);
  const args = ["server", "--url", relay.url, "--requirements", era, "--expected-failures", failures];
  const { code, out, err } = await runProgram([...node22("conformance"), ...args, "-o", tempDir()]);
  expect([code, out.slice(out.indexOf("=== SUMMARY")), err]).toEqual([
    0,
    expect.anything(),
    expect.anything(),
  ]);
  expect(out).toMatch(/✓ tools-list: /);
});
