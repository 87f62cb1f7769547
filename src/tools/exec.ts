// The command of a person in the cell. Models do not see this tool. The command runs as a call, so its changes can be
// reviewed, committed and rewound like all others, and the log records it.

import { commandOutput } from "./command-output.ts";
import { COMMAND_TOOL, requireEnd } from "./command-tool.ts";
import { defineTool } from "./define-tool.ts";

interface Args {
  readonly argv: readonly [string, ...string[]];
  readonly cwd?: string;
  readonly attached?: boolean;
  readonly terminal?: boolean;
}

export const exec = defineTool({
  ...COMMAND_TOOL,
  name: "exec",
  toolset: "person",
  description: "Run a command as a person would.",
  input: {
    type: "object",
    properties: {
      argv: { type: "array", items: { type: "string" }, minItems: 1 },
      cwd: { type: "string", format: "path" },
      attached: { type: "boolean" },
      terminal: { type: "boolean" },
    },
    required: ["argv"],
    additionalProperties: false,
  },
  subject: "none",
  async run(args: Args, { commands }) {
    const result = await commands.run(args);
    return requireEnd("The command", result, commandOutput(result));
  },
});
