import { fileClock } from "../fs/file-clock.ts";
import { makeSession, newSessionId } from "../layers/session-dirs.ts";
import { forkRecord } from "../layers/stack.ts";
import type { SessionPlace } from "../overlay/session-view.ts";
import { checkpoint } from "./checkpoint.ts";
import type { SessionState } from "./session-state.ts";
import type { Session } from "./session-types.ts";

/** Creates another session with the same changes; returns its id. */
export async function forkOf(
  state: SessionState,
  open: (id: string, place: SessionPlace) => Promise<Session>,
  signal?: AbortSignal,
): Promise<string> {
  await checkpoint(state, null, signal);
  const { record, dir, place } = state;
  const child = forkRecord(record, record.stack.slice(0, -1), newSessionId(), fileClock(dir));
  makeSession(child, place.stateDir);
  (await open(child.id, place)).close();
  return child.id;
}
