// A person's command in the cell. No model is offered it: it takes part in the life of a call, so that what it
// did is recorded, and can be seen, taken and rewound like everything else.

import { commandOutput } from "./command-output.ts";
import { COMMAND_TOOL, endedWith } from "./command-tool.ts";
import { defineTool } from "./define-tool.ts";

interface Args {
  readonly argv: readonly [string, ...string[]];
  readonly cwd?: string;
  readonly attached?: boolean;
}

export const exec = defineTool({
  ...COMMAND_TOOL,
  name: "exec",
  toolset: "person",
  description: "Run a command as a person would.",
  inputSchema: {
    type: "object",
    properties: {
      argv: { type: "array", items: { type: "string" }, minItems: 1 },
      cwd: { type: "string", format: "path" },
      attached: { type: "boolean" },
    },
    required: ["argv"],
    additionalProperties: false,
  },
  subject: "none",
  async run(args: Args, { commands }) {
    const result = await commands.run(args);
    return endedWith("The command", result, commandOutput(result));
  },
});
