import { HotcellError } from "../../core/errors.ts";
import { findProject } from "./session-dirs.ts";
import { sessionIds } from "./unreferenced-layers.ts";

/** Throws UNAVAILABLE if the project has so many sessions. The caller creates its session without an await in between. */
export function refuseMoreSessions(project: string, stateDir: string, maxSessions: number | undefined): void {
  if (maxSessions === undefined) return;
  const count = sessionIds(stateDir).filter((id) => findProject(id, stateDir) === project).length;
  if (count < maxSessions) return;
  throw new HotcellError(
    "UNAVAILABLE",
    `Could not create a session: this project has ${count}, and ${maxSessions} are allowed. Discard some, or remove those without changes with hotcell session gc.`,
    { retryAfterSeconds: 60 },
  );
}
