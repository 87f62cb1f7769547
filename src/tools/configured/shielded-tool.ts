// What all configured tools share: one program in the shield, with PATH, HOME and its own secrets, and with
// those taken out of what it shows.
import { HotcellError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { LIMITS } from "../../core/limits.ts";
import { quote } from "../../core/quote.ts";
import type { Effect } from "../../core/types.ts";
import { createRedactor } from "../../log/redact.ts";
import { envFor } from "../../shield/process/environment.ts";
import { commandOutput } from "../command-output.ts";
import { COMMAND_TOOL, endedWith } from "../command-tool.ts";
import { defineTool, type Tool } from "../define-tool.ts";

export interface ShieldedToolOptions {
  readonly name: string;
  /** Tells a model what it is for. */
  readonly description: string;
  /** The JSON Schema of its arguments, of type object. Without it, it takes none. */
  readonly parameters?: JsonObject;
  /** Variables that only this tool gets. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** The cell's own limit when left out. */
  readonly timeoutMs?: number;
  /** `read`: it runs beside others, and finds the project read-only. `change` when left out. */
  readonly effect?: Effect;
}

export interface ConfiguredProgram {
  readonly toolset: "command" | "inline";
  /** Throws when it may not be run at all. */
  permit(): void;
  /** Throws for a call that it can't be run for. */
  arguments(args: JsonObject): readonly string[];
  /** Where it is; never in `workspace`. */
  find(workspace: string): string;
}

const NO_PARAMETERS = { type: "object", properties: {}, additionalProperties: false } as const;

export function parametersOf({ name, parameters = NO_PARAMETERS }: ShieldedToolOptions): JsonObject {
  if (parameters.type === "object") return parameters;
  const problem = `the type of its parameters is ${quote(parameters.type)}; allowed is "object"`;
  throw new HotcellError("CONFIG_INVALID", `Could not define the tool ${quote(name)}: ${problem}.`);
}

export function shieldedTool(options: ShieldedToolOptions, program: ConfiguredProgram): Tool {
  const { name, description, secrets = {}, effect = "change", timeoutMs } = options;
  const env = envFor(secrets);
  const { redact } = createRedactor(Object.values(secrets)).exact;
  const argumentsFor = (args: JsonObject) => passable(name, program.arguments(args));
  return defineTool({
    ...COMMAND_TOOL,
    name,
    toolset: program.toolset,
    description,
    inputSchema: parametersOf(options),
    effect,
    ...(timeoutMs !== undefined && { timeoutMs }),
    // What it may do with a secret is not known.
    contained: Object.keys(secrets).length === 0,
    needs: ["commands", "workspace"],
    subject: "none",
    // What can't be run is refused here, before anybody is asked about it.
    subjects(args) {
      program.permit();
      argumentsFor(args);
      return [];
    },
    async run(args, { commands, workspace }) {
      const argv = [program.find(workspace.root), ...argumentsFor(args)] as const;
      const result = await commands.run({ argv, env, bareEnv: true, readOnly: effect === "read" });
      const { stdout, stderr } = result;
      const output = commandOutput({ ...result, stdout: redact(stdout), stderr: redact(stderr) });
      return endedWith(name, result, output);
    },
  });
}

function passable(tool: string, given: readonly string[]): readonly string[] {
  const bytes = given.reduce((sum, text) => sum + Buffer.byteLength(text) + 1, 0);
  if (given.some((text) => text.includes("\0")))
    throw unpassable(tool, "a NUL is in its arguments, and no program can be given one. Leave it out");
  if (bytes > LIMITS.maxCommandBytes)
    throw unpassable(
      tool,
      `its arguments are longer than the ${LIMITS.maxCommandBytes} bytes that a program can be given. Give less, or the path of a file`,
    );
  return given;
}

function unpassable(tool: string, problem: string): HotcellError {
  return new HotcellError("INVALID_ARGUMENTS", `Could not call ${tool}: ${problem}.`);
}
