import type { JsonObject } from "../../core/json.ts";
import { commandOutput } from "../command-output.ts";
import { COMMAND_TOOL, requireEnd } from "../command-tool.ts";
import type { CommandRequest, Commands } from "../commands.ts";
import { defineTool } from "../define-tool.ts";
import { RUN_COMMAND_OUTPUT } from "../output/output-schemas.ts";

export interface RunCommandArgs {
  readonly command: string;
  readonly timeout_ms?: number;
  readonly cwd?: string;
  readonly background?: boolean;
}

export const RUN_COMMAND = {
  ...COMMAND_TOOL,
  name: "run_command",
  outputSchema: RUN_COMMAND_OUTPUT,
  description:
    "Run a shell command (bash) in the workspace. Pipes and redirects work; there is no network and no input. Files outside the workspace cannot be changed.",
  input: {
    type: "object",
    properties: {
      command: { type: "string", minLength: 1, description: "The command line" },
      timeout_ms: {
        type: "integer",
        minimum: 1,
        description: "Time limit in milliseconds; at most 600000 unless configured",
      },
      cwd: { type: "string", format: "path", description: "Directory to run in, relative to the workspace" },
      background: {
        type: "boolean",
        description: "Run in the background, such as a server. Later commands reach its ports on 127.0.0.1",
      },
    },
    required: ["command"],
    additionalProperties: false,
  },
  subject: "command",
} as const;

export const runCommand = defineTool({
  ...RUN_COMMAND,
  toolset: "sidecar",
  run: (args: RunCommandArgs, { commands }) => runShellCommand(args, commands),
});

/** `maxShownBytes` is for both streams together; without it each stream has the cell's limit. */
export async function runShellCommand(
  { command, timeout_ms, cwd, background }: RunCommandArgs,
  commands: Commands,
  maxShownBytes?: number,
): Promise<JsonObject> {
  const request: CommandRequest = {
    argv: ["bash", "-c", "--", command],
    ...(cwd !== undefined && { cwd }),
    ...(maxShownBytes !== undefined && { maxShownBytes }),
  };
  if (background) return { process_id: (await commands.start(request, command)).id };
  const result = await commands.run({
    ...request,
    ...(timeout_ms !== undefined && { timeoutMs: timeout_ms }),
  });
  return requireEnd("run_command", result, commandOutput(result));
}
