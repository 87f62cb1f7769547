// A person's command in the cell. No model is offered it: it takes part in the life of a call, so that what it
// did is recorded, and can be seen, taken and rewound like everything else.
import { commandFailure } from "./command-failure.ts";
import { defineTool } from "./define-tool.ts";

interface Args {
  readonly argv: readonly [string, ...string[]];
  readonly cwd?: string;
  readonly attached?: boolean;
}

export const exec = defineTool({
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
  category: "exec",
  danger: "dangerous",
  effect: "change",
  contained: true,
  keepsTime: true,
  needs: ["commands"],
  subject: "none",
  async run(args: Args, { commands }) {
    const result = await commands.run(args);
    const { exitCode, signal, stdout, stderr, termination, truncated } = result;
    const output = { exit_code: exitCode, signal, stdout, stderr, termination, truncated };
    const failure = commandFailure("The command", result, output);
    if (failure !== null) throw failure;
    return output;
  },
});
