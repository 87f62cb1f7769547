import { defineTool } from "../define-tool.ts";
import { RUN_COMMAND, type RunCommandArgs, runShellCommand } from "../sidecar/run-command.ts";

export const codingRunCommand = defineTool({
  ...RUN_COMMAND,
  toolset: "coding",
  needs: ["commands", "limits"],
  async run(args: RunCommandArgs, { commands, limits: { observationBytes } }) {
    const output = await runShellCommand(args, commands, observationBytes);
    if (output.truncated !== true) return output;
    return { ...output, note: output.note === undefined ? CUT : `${output.note}\n${CUT}` };
  },
});

const CUT = "The middle of the output was cut.";
