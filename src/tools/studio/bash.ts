import { LIMITS } from "../../core/limits.ts";
import { COMMAND_TOOL, endedWith } from "../command-tool.ts";
import { defineTool } from "../define-tool.ts";
import { shownTogether } from "./shown-together.ts";

interface Args {
  readonly command: string;
  readonly timeout?: number;
}

export const bash = defineTool({
  ...COMMAND_TOOL,
  name: "bash",
  toolset: "studio",
  description: "Execute a shell command in the project. There is no network and no input.",
  inputSchema: {
    type: "object",
    properties: {
      command: { type: "string", minLength: 1, description: "Shell command to execute" },
      timeout: { type: "integer", minimum: 1, description: "Timeout in seconds (default 60)" },
    },
    required: ["command"],
    additionalProperties: false,
  },
  subject: "command",
  async run({ command, timeout }: Args, { commands }) {
    const result = await commands.run({
      argv: ["bash", "-c", "--", command],
      ...(timeout !== undefined && { timeoutMs: timeout * 1000 }),
    });
    const { exitCode, signal, termination } = result;
    const { text, truncated } = shownTogether(result, LIMITS.maxShownOutputBytes);
    const metadata = { exitCode, signal, termination, truncated };
    const output = { output: text, metadata, isError: exitCode !== 0 };
    return endedWith("command", result, output);
  },
});
