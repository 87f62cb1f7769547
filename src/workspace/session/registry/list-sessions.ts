import path from "node:path";
import { HotcellError } from "../../../core/errors.ts";
import { isLockHeld } from "../../../core/lock.ts";
import { committedPaths } from "../../commit/journal.ts";
import { changedIn } from "../../layers/layer-dirs.ts";
import { readRecord, type Stack, type Strategy, sessionDir } from "../../layers/record.ts";
import { sessionIds } from "../../layers/unreferenced-layers.ts";
import { commitsIn, txDirOf, unfinishedCommits } from "../commits.ts";
import { retryOnChange } from "../retry-on-change.ts";
import { type SessionDiffOptions, withDiff } from "../session-diff.ts";
import { bytesIn } from "./bytes-in.ts";

export interface SessionSummary {
  readonly id: string;
  readonly workspace: string;
  readonly created: string;
  readonly strategy: Strategy;
  /** `interrupted`: a commit must be recovered. */
  readonly state: "idle" | "open" | "interrupted";
  /** Null if unknown: the project is missing or unreadable. */
  readonly changes: number | null;
  /** Disk usage. */
  readonly bytes: number;
}

export interface SessionDetails extends SessionSummary {
  readonly layers: number;
  /** Calls that changed something. */
  readonly calls: readonly {
    readonly id: string;
    readonly tool: string;
    readonly at: string;
    readonly paths: number;
  }[];
  readonly commits: readonly { readonly tx: string; readonly paths: readonly string[] }[];
}

/** Oldest first. */
export async function listSessions(place: SessionDiffOptions): Promise<SessionSummary[]> {
  const summaries: SessionSummary[] = [];
  for (const id of sessionIds(place.stateDir)) summaries.push(await summarize(id, place));
  return summaries;
}

export async function showSession(id: string, place: SessionDiffOptions): Promise<SessionDetails> {
  const { stateDir } = place;
  const dir = sessionDir(stateDir, id);
  const { stack, calls } = await retryOnChange(id, stateDir, (record) => ({
    stack: record.stack,
    calls: callsIn(record.stack, stateDir),
  }));
  const commits = commitsIn(dir).map((number) => ({
    tx: String(number),
    paths: committedPaths(txDirOf(dir, number)),
  }));
  return { ...(await summarize(id, place)), layers: stack.length, calls, commits };
}

function callsIn(stack: Stack, stateDir: string): SessionDetails["calls"] {
  return stack.flatMap((layer) => {
    if (layer.call === null) return [];
    const at = new Date(layer.since).toISOString();
    return [{ ...layer.call, at, paths: changedIn(layer, stateDir).length }];
  });
}

async function summarize(id: string, place: SessionDiffOptions): Promise<SessionSummary> {
  const dir = sessionDir(place.stateDir, id);
  const { workspace, created, strategy } = readRecord(dir);
  return {
    id,
    workspace,
    created,
    strategy,
    state: stateOf(dir),
    changes: await countChanges(id, place),
    bytes: bytesIn(dir),
  };
}

function stateOf(dir: string): SessionSummary["state"] {
  if (unfinishedCommits(dir).length > 0) return "interrupted";
  return isLockHeld(path.join(dir, "lock")) ? "open" : "idle";
}

async function countChanges(id: string, place: SessionDiffOptions): Promise<number | null> {
  try {
    return await withDiff(id, place, ({ shown }) => shown.length);
  } catch (error) {
    if (error instanceof HotcellError) return null;
    throw error;
  }
}
