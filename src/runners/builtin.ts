import type { Kit } from "../tools/define-tool.ts";
import type { CommandsFor } from "./commands.ts";
import type { Runner } from "./runner.ts";

/** Runs tools in this process; what they run as commands goes through the shield. */
export function createBuiltinRunner(kit: Omit<Kit, "commands">, commandsFor: CommandsFor): Runner {
  return {
    async run(tool, args, check, context) {
      const workspace = tool.needs.includes("workspace") ? kit.workspace.guardedBy(check) : kit.workspace;
      return tool.run(args, { ...kit, workspace, commands: commandsFor(context) }, context.signal);
    },
  };
}
