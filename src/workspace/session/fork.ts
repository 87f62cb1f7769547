import { fileClock } from "../fs/file-clock.ts";
import { readKeyValues, writeKeyValues } from "../kv/key-value-file.ts";
import { sessionDir } from "../layers/record.ts";
import { refuseMoreSessions } from "../layers/refuse-more-sessions.ts";
import { makeSession, newSessionId } from "../layers/session-dirs.ts";
import { forkRecord } from "../layers/stack.ts";
import type { SessionStore } from "../overlay/session-view.ts";
import { checkpoint } from "./checkpoint.ts";
import type { SessionState } from "./session-state.ts";
import type { Session } from "./session-types.ts";

/** Creates another session with the same changes and values; returns its id. */
export async function forkSessionOf(
  state: SessionState,
  open: (id: string, store: SessionStore) => Promise<Session>,
  signal?: AbortSignal,
): Promise<string> {
  state.isForked = true;
  await checkpoint(state, null, signal);
  const { record, dir, store } = state;
  const child = forkRecord(record, record.stack.slice(0, -1), newSessionId(), fileClock(dir));
  refuseMoreSessions(record.workspace, store.stateDir, store.maxSessions);
  makeSession(child, store.stateDir);
  writeKeyValues(sessionDir(store.stateDir, child.id), readKeyValues(dir));
  (await open(child.id, store)).close();
  return child.id;
}
