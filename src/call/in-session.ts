// What stands around the run of a call: nothing on the host; in a session a layer for what it changes, and a
// view of the project that is not old.
import type { Json, JsonObject } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import type { Effect } from "../core/types.ts";
import { showName } from "../workspace/fs/names.ts";
import { createReadWriteLock } from "../workspace/session/read-write-lock.ts";
import type { Changed, Session } from "../workspace/session/session-types.ts";

export interface RunningCall {
  readonly id: string;
  readonly tool: string;
  readonly effect: Effect;
  /** Then what is kept from tools must not be in the view at all. */
  readonly runsCommands: boolean;
  /** Calls it off before its work begins; the work looks at it by itself. */
  readonly signal: AbortSignal;
}

export interface Ran {
  readonly settled: PromiseSettledResult<JsonObject>;
  /** What the observation says of it in `meta.changes`. */
  readonly changes: Json;
}

export type Around = (call: RunningCall, work: () => Promise<JsonObject>) => Promise<Ran>;

/** Commands one after the other: what is kept from one is looked for before it begins. */
export function onHost(): Around {
  const { alone } = createReadWriteLock();
  return async ({ runsCommands }, work) => ({
    settled: await settledOf(() => (runsCommands ? alone(work) : work())),
    changes: null,
  });
}

export function inSession(session: Session): Around {
  return async ({ id, tool, effect, runsCommands, signal }, work) => {
    if (effect === "read") {
      if (runsCommands) await session.hideSecrets();
      return { settled: await settledOf(() => session.read(work, signal)), changes: null };
    }
    const options = { withoutSecrets: runsCommands, signal };
    const { result, ...changed } = await session.change({ id, tool }, () => settledOf(work), options);
    return { settled: result, changes: changesOf(changed) };
  };
}

function changesOf({ paths, unnoted }: Omit<Changed<unknown>, "result">): Json {
  return {
    count: paths.length,
    paths: paths.slice(0, LIMITS.maxReportedChanges).map(showName),
    ...(unnoted !== null && { warning: unnoted }),
  };
}

async function settledOf<T>(work: () => Promise<T>): Promise<PromiseSettledResult<T>> {
  try {
    return { status: "fulfilled", value: await work() };
  } catch (reason) {
    return { status: "rejected", reason };
  }
}
