import { COMMAND_TOOL, endedWith } from "../command-tool.ts";
import { defineTool } from "../define-tool.ts";

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
      stderrToStdout: true,
      ...(timeout !== undefined && { timeoutMs: timeout * 1000 }),
    });
    const { exitCode, signal, termination, truncated, stdout } = result;
    const metadata = { exitCode, signal, termination, truncated };
    return endedWith("command", result, { output: stdout, metadata, isError: exitCode !== 0 });
  },
});
