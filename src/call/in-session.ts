// Runs the work of a call. In a session, a changing call gets its own layer, and every call gets a current view of the
// project. In mode `host` there is neither.
import type { Json, JsonObject } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import { createReadWriteLock } from "../core/read-write-lock.ts";
import type { Effect } from "../core/types.ts";
import { apartFromGitData } from "../workspace/diff/git-data.ts";
import { showName } from "../workspace/fs/names.ts";
import type { ChangeResult, Session } from "../workspace/session/session-types.ts";

export interface RunningCall {
  readonly id: string;
  readonly tool: string;
  readonly effect: Effect;
  /** If true, the view must not contain the secrets at all: path checks do not apply to commands. */
  readonly runsCommands: boolean;
  /** If false, the call neither waits for others nor is repeated: a request over the network is sent once. */
  readonly usesFiles: boolean;
  /** Cancels the call before its work begins. The work itself has to check the signal later. */
  readonly signal: AbortSignal;
}

export interface RunResult {
  readonly settled: PromiseSettledResult<JsonObject>;
  /** For `meta.changes` of the observation. */
  readonly changes: Json;
}

export type RunInContext = (call: RunningCall, work: () => Promise<JsonObject>) => Promise<RunResult>;

/** Runs commands one after the other, because hotcell searches for the secrets to hide before each command. */
export function createHostRun(): RunInContext {
  const { alone } = createReadWriteLock();
  return async ({ runsCommands }, work) => ({
    settled: await settle(() => (runsCommands ? alone(work) : work())),
    changes: null,
  });
}

export function createSessionRun(session: Session): RunInContext {
  return async ({ id, tool, effect, runsCommands, usesFiles, signal }, work) => {
    if (!usesFiles || effect === "session") return { settled: await settle(work), changes: null };
    if (effect === "read") {
      if (runsCommands) await session.hideSecrets();
      return { settled: await settle(() => session.read(work, signal)), changes: null };
    }
    const options = { withoutSecrets: runsCommands, signal };
    const { result, ...changed } = await session.change({ id, tool }, () => settle(work), options);
    return { settled: result, changes: describeChanges(changed) };
  };
}

function describeChanges({ paths, unlisted, warning }: Omit<ChangeResult<unknown>, "result">): Json {
  const { own, gitData } = apartFromGitData(paths, (path) => path);
  return {
    count: own.length,
    paths: shownPaths(own),
    ...(gitData > 0 && { gitData }),
    ...(unlisted.length > 0 && { unlisted: shownPaths(unlisted) }),
    ...(warning !== null && { warning }),
  };
}

const shownPaths = (paths: readonly string[]): string[] =>
  paths.slice(0, LIMITS.maxReportedChanges).map(showName);

async function settle<T>(work: () => Promise<T>): Promise<PromiseSettledResult<T>> {
  try {
    return { status: "fulfilled", value: await work() };
  } catch (reason) {
    return { status: "rejected", reason };
  }
}
