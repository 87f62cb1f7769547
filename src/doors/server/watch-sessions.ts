import fs from "node:fs";
import { HotcellError } from "../../core/errors.ts";
import { runPaths } from "../../log/runs.ts";
import { readRecord, sessionDir } from "../../workspace/layers/record.ts";
import { sessionIds } from "../../workspace/layers/unreferenced-layers.ts";
import type { ServerEvents, Watched } from "./server-events.ts";

export interface WatchSessionsOptions {
  readonly stateDir: string;
  /** The real path of the project. */
  readonly project: string;
  readonly events: Pick<ServerEvents, "emit">;
}

/** The sessions of a project. Whatever is done in a session, by any process, leaves a record in its log. */
export function watchSessions({ stateDir, project, events }: WatchSessionsOptions): Watched {
  /** A session stays with its project. */
  const projects = new Map<string, string>();
  let known = new Map<string, number>();
  const projectOf = (id: string) => {
    const found = projects.get(id) ?? readProject(stateDir, id);
    if (found !== null) projects.set(id, found);
    return found;
  };
  const readSizes = () => {
    const ids = sessionIds(stateDir).filter((id) => projectOf(id) === project);
    return new Map(ids.map((id) => [id, sizeOf(runPaths(stateDir, id).logFile)]));
  };
  return {
    begin() {
      known = readSizes();
    },
    look() {
      const before = known;
      known = readSizes();
      for (const sessionId of new Set([...before.keys(), ...known.keys()]))
        if (before.get(sessionId) !== known.get(sessionId))
          events.emit({ type: "session:changed", sessionId });
    },
  };
}

/** Null if the session cannot be read: somebody may have removed it just now. */
function readProject(stateDir: string, id: string): string | null {
  try {
    return readRecord(sessionDir(stateDir, id)).workspace;
  } catch (error) {
    if (error instanceof HotcellError) return null;
    throw error;
  }
}

function sizeOf(file: string): number {
  return fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
