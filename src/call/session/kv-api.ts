import type { KeyValues } from "../../workspace/kv/key-values.ts";
import type { Session } from "../../workspace/session/session-types.ts";
import { needSession, type Track } from "./session-api.ts";

/** The values of a cell's session. In mode `host` each method throws NOT_SUPPORTED. */
export function createKvApi(session: Session | null, track: Track): KeyValues {
  const run = <T>(work: (kv: KeyValues) => Promise<T>): Promise<T> =>
    track(async () => work(needSession(session).kv), {});
  return {
    get: (key) => run((kv) => kv.get(key)),
    set: (key, value) => run((kv) => kv.set(key, value)),
    delete: (key) => run((kv) => kv.delete(key)),
    list: (prefix) => run((kv) => kv.list(prefix)),
  };
}
