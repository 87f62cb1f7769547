import type { Protection } from "../../policy/protected.ts";
import type { SessionKit } from "../../tools/session/session-kit.ts";
import type { Files } from "../../workspace/open-files.ts";
import { createSession } from "../../workspace/session/create-session.ts";
import type { Session } from "../../workspace/session/session-types.ts";
import type { CellOptions } from "../cell-options.ts";

export function createSessionKit(
  session: Session,
  { stateDir, workspace }: Files,
  protectionOf: (path: string) => Protection | null,
  { strategy, maxSessions }: Pick<CellOptions, "strategy" | "maxSessions">,
): SessionKit {
  const { diff, plan, commit, discard, rewind } = session;
  const mode = session.record.database === undefined ? "overlay" : "agentfs";
  return {
    diff,
    plan,
    commit,
    discard,
    rewind,
    async create() {
      const store = {
        stateDir,
        protectionOf,
        fs: mode,
        ...(strategy && { strategy }),
        ...(maxSessions !== undefined && { maxSessions }),
      } as const;
      const created = await createSession(workspace.root, store);
      created.close();
      return created.record.id;
    },
  };
}
