import path from "node:path";
import { HotcellError } from "../../../core/errors.ts";
import { isLockHeld } from "../../../core/lock.ts";
import { committedPaths } from "../../commit/journal.ts";
import { apartFromGitData } from "../../diff/git-data.ts";
import { runToEnd } from "../../fs/cooperative.ts";
import { createFingerprintCache } from "../../fs/fingerprint.ts";
import { changedPathsIn } from "../../layers/layer-dirs.ts";
import { isEmptyLayer } from "../../layers/layer-notes.ts";
import { databaseOf, readRecord, type Stack, type Strategy, sessionDir } from "../../layers/record.ts";
import { sessionIds } from "../../layers/unreferenced-layers.ts";
import { commitsIn, txDirOf, unfinishedCommits } from "../commits.ts";
import { retryOnChange } from "../retry-on-change.ts";
import { type SessionDiffOptions, withDiff } from "../session-diff.ts";
import { readSessionName } from "./named-session.ts";
import { measureSession } from "./session-bytes.ts";

export interface SessionSummary {
  readonly id: string;
  readonly name: string | null;
  readonly workspace: string;
  readonly created: string;
  readonly strategy: Strategy;
  /** `interrupted`: a commit must be recovered. */
  readonly state: "idle" | "open" | "interrupted";
  /** Without ignored files and git's data. Null if unknown: the project is missing or unreadable. */
  readonly changes: number | null;
  /** Changed paths that git itself writes with a commit, such as objects and refs. */
  readonly gitData: number | null;
  /** Changed files that git ignores. */
  readonly ignored: number | null;
  /** Disk usage, including artifacts, recordings and `@state`. */
  readonly bytes: number;
  readonly artifactBytes: number;
}

export interface SessionDetails extends SessionSummary {
  /** The file of a session in mode `agentfs`; null in mode `overlay`. */
  readonly database: string | null;
  readonly layers: number;
  /** Calls that wrote something. */
  readonly calls: readonly {
    readonly id: string;
    readonly tool: string;
    readonly at: string;
    /** Paths that it wrote, also with the same content, without git's data. */
    readonly paths: number;
    readonly gitData: number;
  }[];
  readonly commits: readonly { readonly tx: string; readonly paths: readonly string[] }[];
}

/** Oldest first: of the project with this real path, or of all. */
export async function listSessions(store: SessionDiffOptions, project?: string): Promise<SessionSummary[]> {
  const { stateDir } = store;
  const summaries: SessionSummary[] = [];
  for (const id of sessionIds(stateDir)) {
    store.signal?.throwIfAborted();
    const isWanted = project === undefined || readRecord(sessionDir(stateDir, id)).workspace === project;
    if (isWanted) summaries.push(await summarize(id, store));
  }
  return summaries;
}

export async function showSession(id: string, store: SessionDiffOptions): Promise<SessionDetails> {
  const { stateDir } = store;
  const dir = sessionDir(stateDir, id);
  const { stack, calls } = await retryOnChange(id, stateDir, (record) => ({
    stack: record.stack,
    calls: callsIn(record.stack, stateDir),
  }));
  const commits = commitsIn(dir).map((number) => ({
    tx: String(number),
    paths: committedPaths(txDirOf(dir, number)),
  }));
  const database = databaseOf(readRecord(dir), dir);
  return { ...(await summarize(id, store)), database, layers: stack.length, calls, commits };
}

function callsIn(stack: Stack, stateDir: string): SessionDetails["calls"] {
  return stack.flatMap((layer) => {
    if (layer.call === null) return [];
    const at = new Date(layer.since).toISOString();
    const { paths } = runToEnd(changedPathsIn(layer, stateDir));
    const { own, gitData } = apartFromGitData(paths, (path) => path);
    return [{ ...layer.call, at, paths: own.length, gitData }];
  });
}

async function summarize(id: string, store: SessionDiffOptions): Promise<SessionSummary> {
  const dir = sessionDir(store.stateDir, id);
  const { workspace, created, strategy } = readRecord(dir);
  return {
    id,
    name: readSessionName(store.stateDir, id),
    workspace,
    created,
    strategy,
    state: stateOf(dir),
    ...(await countChanges(id, store)),
    ...measureSession(id, store.stateDir),
  };
}

function stateOf(dir: string): SessionSummary["state"] {
  if (unfinishedCommits(dir).length > 0) return "interrupted";
  return isLockHeld(path.join(dir, "lock")) ? "open" : "idle";
}

type Counts = Pick<SessionSummary, "changes" | "gitData" | "ignored">;

async function countChanges(id: string, store: SessionDiffOptions): Promise<Counts> {
  const { stack } = readRecord(sessionDir(store.stateDir, id));
  if (stack.every((layer) => isEmptyLayer(layer, store.stateDir)))
    return { changes: 0, gitData: 0, ignored: 0 };
  try {
    return await withDiff(id, { ...store, fingerprintOf: createFingerprintCache() }, ({ shown, ignored }) => {
      const { own, gitData } = apartFromGitData(shown, ({ path }) => path);
      return { changes: own.length, gitData, ignored };
    });
  } catch (error) {
    if (error instanceof HotcellError) return { changes: null, gitData: null, ignored: null };
    throw error;
  }
}
