import { HotcellError } from "../core/errors.ts";
import type { ToolLimits } from "../core/types.ts";
import { createGateway } from "../models/gateway.ts";
import type { ModelProvider } from "../models/model.ts";
import type { Kit } from "../tools/define-tool.ts";
import type { SessionKit } from "../tools/session/session-kit.ts";
import type { KeyValues } from "../workspace/kv/key-values.ts";
import type { CommandsFor } from "./commands.ts";
import type { Runner } from "./runner.ts";
import type { GuestsFor } from "./wasm/guests.ts";

export interface BuiltinOptions extends Pick<Kit, "clock" | "http" | "search"> {
  readonly commandsFor: CommandsFor;
  readonly guestsFor: GuestsFor;
  /** Null on the host. */
  readonly session: SessionKit | null;
  readonly kv: KeyValues | null;
  readonly limitsOf: (agentId: string | null) => ToolLimits;
  /** The cell's model; null if it has none. */
  readonly model: ModelProvider | null;
  /** The names of the tools that may use it. */
  readonly modelAccess: readonly string[];
}

/** Runs tools in this process; their commands run in the sandbox. */
export function createBuiltinRunner(options: BuiltinOptions): Runner {
  const { commandsFor, guestsFor, limitsOf, model, modelAccess, session, kv, ...kept } = options;
  const granted = new Set(modelAccess);
  return {
    async run(tool, args, { files, check }, context) {
      if (session === null && tool.needs.some((need) => need === "session" || need === "kv"))
        throw withoutSession(tool.name);
      const kit: Kit = {
        session: bindSession(session!, context.approvedVersion),
        kv: kv!,
        workspace: tool.needs.includes("workspace") ? files.guardedBy(check) : files,
        commands: commandsFor(context),
        guests: guestsFor(context),
        model: createGateway({
          tool: tool.name,
          model,
          isGranted: granted.has(tool.name) || tool.wasm?.model === true,
          ...context,
        }),
        ...kept,
        limits: limitsOf(context.agentId),
        progress: context.progress,
      };
      return tool.run(args, kit, context.signal);
    },
  };
}

/** A commit that a person approved is of the plan that they saw, or is refused. */
function bindSession(session: SessionKit, planHash: string | null): SessionKit {
  if (planHash === null) return session;
  return {
    ...session,
    commit: (options, watching, signal) => session.commit({ ...options, planHash }, watching, signal),
  };
}

function withoutSession(tool: string): HotcellError {
  return new HotcellError(
    "NOT_SUPPORTED",
    `Could not run ${tool}: with fs "host" there is no session. Open the cell with fs "overlay".`,
  );
}
