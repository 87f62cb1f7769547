import type { FileLimits } from "../core/types.ts";
import type { Kit } from "../tools/define-tool.ts";
import type { CommandsFor } from "./commands.ts";
import type { Runner } from "./runner.ts";

export interface BuiltinOptions extends Pick<Kit, "clock"> {
  readonly commandsFor: CommandsFor;
  readonly limitsOf: (agentId: string | null) => FileLimits;
}

/** Runs tools in this process; their commands run in the sandbox. */
export function createBuiltinRunner({ clock, commandsFor, limitsOf }: BuiltinOptions): Runner {
  return {
    async run(tool, args, { files, check }, context) {
      const kit: Kit = {
        workspace: tool.needs.includes("workspace") ? files.guardedBy(check) : files,
        commands: commandsFor(context),
        clock,
        limits: limitsOf(context.agentId),
        progress: context.progress,
      };
      return tool.run(args, kit, context.signal);
    },
  };
}
