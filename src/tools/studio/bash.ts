import { COMMAND_TOOL, requireEnd } from "../command-tool.ts";
import { defineTool } from "../define-tool.ts";
import { BASH_OUTPUT } from "../output/output-schemas.ts";

interface Args {
  readonly command: string;
  readonly timeout?: number;
}

export const bash = defineTool({
  ...COMMAND_TOOL,
  name: "bash",
  outputSchema: BASH_OUTPUT,
  toolset: "studio",
  description: "Execute a shell command in the project. There is no network and no input.",
  input: {
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
    const { exitCode, signal, termination, truncated, stdout, notes, refusedHosts } = result;
    const metadata = {
      exitCode,
      signal,
      termination,
      truncated,
      ...(refusedHosts.length > 0 && { refusedHosts }),
    };
    const output = [stdout, ...notes.map((note) => `[${note}]\n`)].join("");
    return requireEnd("command", result, { output, metadata, isError: exitCode !== 0 });
  },
});
