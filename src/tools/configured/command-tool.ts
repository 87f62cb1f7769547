import type { Tool } from "../define-tool.ts";
import { checkTemplate, fillArguments } from "./fill-arguments.ts";
import { systemPath } from "./find-program.ts";
import { parametersOf, type ShieldedToolOptions, shieldedTool } from "./shielded-tool.ts";
import { refuseUnlisted, validateBinary } from "./validate-binary.ts";

export interface CommandToolOptions extends ShieldedToolOptions {
  /** A program's bare name. */
  readonly command: string;
  /** Its arguments; `{{name}}` stands for an argument of the call. */
  readonly args?: readonly string[];
  /** The bare names that `command` may be; none when it is empty. */
  readonly allowedCommands: readonly string[];
}

/** A tool that is a program of the system. No shell looks at its arguments. */
export function commandTool(options: CommandToolOptions): Tool {
  const { name, command, args: template = [], allowedCommands } = options;
  checkTemplate(name, template, parametersOf(options));
  return shieldedTool(options, {
    toolset: "command",
    permit: () => refuseUnlisted(command, allowedCommands),
    arguments: (args) => fillArguments(name, template, args),
    find: (workspace) => validateBinary(command, allowedCommands, systemPath(), workspace),
  });
}
