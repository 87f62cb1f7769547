// Runs the work of a call. In a session, a changing call gets its own layer, and every call gets a current view of the
// project. In mode `host` there is neither.
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
  /** If true, the view must not contain the secrets at all: path checks do not apply to commands. */
  readonly runsCommands: boolean;
  /** Cancels the call before its work begins. The work itself has to check the signal later. */
  readonly signal: AbortSignal;
}

export interface Ran {
  readonly settled: PromiseSettledResult<JsonObject>;
  /** For `meta.changes` of the observation. */
  readonly changes: Json;
}

export type Around = (call: RunningCall, work: () => Promise<JsonObject>) => Promise<Ran>;

/** Runs commands one after the other, because hotcell searches for the secrets to hide before each command. */
export function onHost(): Around {
  const { alone } = createReadWriteLock();
  return async ({ runsCommands }, work) => ({
    settled: await settle(() => (runsCommands ? alone(work) : work())),
    changes: null,
  });
}

export function inSession(session: Session): Around {
  return async ({ id, tool, effect, runsCommands, signal }, work) => {
    if (effect === "read") {
      if (runsCommands) await session.hideSecrets();
      return { settled: await settle(() => session.read(work, signal)), changes: null };
    }
    const options = { withoutSecrets: runsCommands, signal };
    const { result, ...changed } = await session.change({ id, tool }, () => settle(work), options);
    return { settled: result, changes: describeChanges(changed) };
  };
}

function describeChanges({ paths, unnoted }: Omit<Changed<unknown>, "result">): Json {
  return {
    count: paths.length,
    paths: paths.slice(0, LIMITS.maxReportedChanges).map(showName),
    ...(unnoted !== null && { warning: unnoted }),
  };
}

async function settle<T>(work: () => Promise<T>): Promise<PromiseSettledResult<T>> {
  try {
    return { status: "fulfilled", value: await work() };
  } catch (reason) {
    return { status: "rejected", reason };
  }
}
