import { commandOutput } from "../command-output.ts";
import { COMMAND_TOOL, endedWith } from "../command-tool.ts";
import type { CommandRequest } from "../commands.ts";
import { defineTool } from "../define-tool.ts";

interface Args {
  readonly command: string;
  readonly timeout_ms?: number;
  readonly cwd?: string;
  readonly background?: boolean;
}

export const runCommand = defineTool({
  ...COMMAND_TOOL,
  name: "run_command",
  toolset: "sidecar",
  description:
    "Run a shell command (bash) in the workspace. Pipes and redirects work; there is no network and no input. Files outside the workspace can't be changed.",
  inputSchema: {
    type: "object",
    properties: {
      command: { type: "string", minLength: 1, description: "The command line" },
      timeout_ms: { type: "integer", minimum: 1, description: "End it after so many milliseconds" },
      cwd: { type: "string", format: "path", description: "Directory to run in, relative to the workspace" },
      background: {
        type: "boolean",
        description: "Leave it running (a server) and go on: later commands reach its ports on 127.0.0.1",
      },
    },
    required: ["command"],
    additionalProperties: false,
  },
  subject: "command",
  async run({ command, timeout_ms, cwd, background }: Args, { commands }) {
    const request: CommandRequest = {
      argv: ["bash", "-c", "--", command],
      ...(cwd !== undefined && { cwd }),
    };
    if (background) return { process_id: (await commands.start(request, command)).id };
    const result = await commands.run({
      ...request,
      ...(timeout_ms !== undefined && { timeoutMs: timeout_ms }),
    });
    return endedWith("run_command", result, commandOutput(result));
  },
});
