import { expect, test } from "vitest";
import type { CommandRequest, CommandResult, Commands } from "../commands.ts";
import { bash } from "./bash.ts";

async function run(
  args: Parameters<typeof bash.run>[0],
  result: Pick<CommandResult, "stdout" | "truncated">,
) {
  const requests: CommandRequest[] = [];
  const ended = {
    exitCode: 0,
    signal: null,
    termination: null,
    stderr: "",
    notes: [],
    refusedHosts: [],
    ...result,
  } as unknown as CommandResult;
  const commands = {
    run: async (request: CommandRequest) => {
      requests.push(request);
      return ended;
    },
  } as unknown as Commands;
  const given = await bash.run(args, { commands } as never, new AbortController().signal);
  return { given, requests };
}

test("004: both streams are asked for as one, so that their order is kept", async () => {
  const { requests } = await run({ command: "x", timeout: 2 }, { stdout: "", truncated: false });
  expect(requests).toEqual([{ argv: ["bash", "-c", "--", "x"], stderrToStdout: true, timeoutMs: 2000 }]);
});

test.each([
  ["that is short", "out\nerr\nout\n", false],
  ["that was cut", "a\n[… 9 bytes cut …]\nb", true],
])("004: output %s is shown as it was captured", async (_, stdout, truncated) => {
  const { given } = await run({ command: "x" }, { stdout, truncated });
  expect(given).toEqual({
    output: stdout,
    metadata: { exitCode: 0, signal: null, termination: null, truncated },
    isError: false,
  });
});
