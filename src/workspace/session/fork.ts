import { fileClock } from "../file-clock.ts";
import { checkpoint } from "./checkpoint.ts";
import { makeSession, newSessionId } from "./make-session.ts";
import type { SessionState } from "./session-state.ts";
import type { SessionPlace } from "./session-view.ts";
import type { Session } from "./session-words.ts";
import { forked } from "./stack.ts";

/** Makes another session with the same changes; gives its id. */
export async function forkOf(
  state: SessionState,
  open: (id: string, place: SessionPlace) => Promise<Session>,
  signal?: AbortSignal,
): Promise<string> {
  await checkpoint(state, null, signal);
  const { record, dir, place } = state;
  const child = forked(record, record.stack.slice(0, -1), newSessionId(), fileClock(dir));
  makeSession(child, place.stateDir);
  (await open(child.id, place)).close();
  return child.id;
}
