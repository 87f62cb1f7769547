import type { Kit } from "../tools/define-tool.ts";
import type { Runner } from "./runner.ts";

/** Runs tools in this process. */
export function createBuiltinRunner(kit: Kit): Runner {
  return {
    async run(tool, args, check, signal) {
      if (!tool.needs.includes("workspace")) return tool.run(args, kit, signal);
      return tool.run(args, { ...kit, workspace: kit.workspace.guardedBy(check) }, signal);
    },
  };
}
