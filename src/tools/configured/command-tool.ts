import type { Tool } from "../define-tool.ts";
import { checkDefinition } from "./check-definition.ts";
import { checkTemplate, fillArguments } from "./fill-arguments.ts";
import { systemPath } from "./find-program.ts";
import { parametersOf, type ShieldedToolOptions, shieldedTool } from "./shielded-tool.ts";
import { refuseUnlisted, validateBinary } from "./validate-binary.ts";

export interface CommandToolOptions extends ShieldedToolOptions {
  /** The name of a program, without a path. */
  readonly command: string;
  /** Its arguments; `{{name}}` stands for an argument of the call. */
  readonly args?: readonly string[];
  /** The allowed values of `command`; if empty, none is allowed. */
  readonly allowedCommands: readonly string[];
}

/** A tool that is a program of the system. It runs without a shell. */
export function commandTool(options: CommandToolOptions): Tool {
  checkDefinition("command", options);
  const { name, command, args: template = [], allowedCommands } = options;
  checkTemplate(name, template, parametersOf(options));
  return shieldedTool(options, {
    toolset: "command",
    permit: () => refuseUnlisted(command, allowedCommands),
    arguments: (args) => fillArguments(name, template, args),
    find: (workspace) => validateBinary(command, allowedCommands, systemPath(), workspace),
  });
}
