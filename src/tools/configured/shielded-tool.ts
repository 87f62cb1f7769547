// The common part of all configured tools: one program in the sandbox, with PATH, HOME and its own secrets. The secrets
// are removed from its output.
import type { JsonObject } from "../../core/json.ts";
import { LIMITS } from "../../core/limits.ts";
import { quote } from "../../core/quote.ts";
import type { Effect } from "../../core/types.ts";
import { envFor } from "../../shield/process/environment.ts";
import { commandOutput } from "../command-output.ts";
import { COMMAND_TOOL, requireEnd } from "../command-tool.ts";
import { defineTool, type Tool } from "../define-tool.ts";
import { refuseCall, refuseDefinition } from "./placeholders.ts";

/** The options of every configured tool. */
export interface ConfiguredToolOptions {
  readonly name: string;
  /** Describes the purpose of the tool to the model. */
  readonly description: string;
  /** The JSON Schema of its arguments, of type object. If omitted, the tool takes no arguments. */
  readonly parameters?: JsonObject;
  /** Values that only this tool gets, by name. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** The default is the cell's limit. */
  readonly timeoutMs?: number;
}

export interface ShieldedToolOptions extends ConfiguredToolOptions {
  /** With `read` the tool runs in parallel with others and sees the project read-only. The default is `change`. */
  readonly effect?: Exclude<Effect, "session">;
}

export interface ConfiguredProgram {
  readonly toolset: "command" | "inline";
  /** Throws if the program may not run at all. */
  permit(): void;
  /** Throws if the program cannot run for this call. */
  arguments(args: JsonObject): readonly string[];
  /** The path of the program; never in `workspace`. */
  find(workspace: string): string;
}

const NO_PARAMETERS = { type: "object", properties: {}, additionalProperties: false } as const;

export function parametersOf({ name, parameters = NO_PARAMETERS }: ConfiguredToolOptions): JsonObject {
  if (parameters.type === "object") return parameters;
  const found = `the type of its parameters is ${quote(parameters.type)}`;
  throw refuseDefinition(name, `${found}; allowed is "object"`);
}

export function shieldedTool(options: ShieldedToolOptions, program: ConfiguredProgram): Tool {
  const { name, description, secrets = {}, effect = "change", timeoutMs } = options;
  const env = envFor(secrets);
  const argumentsFor = (args: JsonObject) => passable(name, program.arguments(args));
  return defineTool({
    ...COMMAND_TOOL,
    name,
    toolset: program.toolset,
    description,
    input: parametersOf(options),
    effect,
    ...(timeoutMs !== undefined && { timeoutMs }),
    // Trust level guided asks, because only its author knows the effects of the program.
    contained: false,
    needs: ["commands", "workspace"],
    subject: "none",
    // Refuses a call that cannot run before hotcell asks for approval.
    subjects(args) {
      program.permit();
      argumentsFor(args);
      return [];
    },
    async run(args, { commands, workspace }) {
      const argv = [program.find(workspace.root), ...argumentsFor(args)] as const;
      const readOnly = effect === "read";
      const hidden = Object.values(secrets);
      const result = await commands.run({ argv, env, bareEnv: true, secrets: hidden, readOnly });
      return requireEnd(name, result, commandOutput(result));
    },
  });
}

function passable(tool: string, given: readonly string[]): readonly string[] {
  const bytes = given.reduce((sum, text) => sum + Buffer.byteLength(text) + 1, 0);
  if (given.some((text) => text.includes("\0")))
    throw refuseCall(tool, "its arguments contain a NUL character, which no program can receive. Remove it");
  if (bytes > LIMITS.maxCommandBytes)
    throw refuseCall(
      tool,
      `its arguments are longer than the ${LIMITS.maxCommandBytes} bytes that a program can receive. Give less, or the path of a file`,
    );
  return given;
}
