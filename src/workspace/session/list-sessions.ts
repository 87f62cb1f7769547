import fs from "node:fs";
import path from "node:path";
import { HotcellError } from "../../core/errors.ts";
import { isHeld } from "../../core/lock.ts";
import { committedPaths } from "../commit/journal.ts";
import { childPath } from "../paths.ts";
import { tourTree } from "../tree.ts";
import { changedIn } from "./layers.ts";
import { readRecord, type Strategy, sessionDir } from "./record.ts";
import { commitsIn, unfinishedCommits } from "./session-commit.ts";
import { type DiffOptions, withDiff } from "./session-diff.ts";
import { sessionIds } from "./unused.ts";

export interface SessionSummary {
  readonly id: string;
  readonly workspace: string;
  readonly created: string;
  readonly strategy: Strategy;
  /** `interrupted`: a commit has to be recovered. */
  readonly state: "idle" | "open" | "interrupted";
  /** Null when they can't be told: the project is not there, or can't be read. */
  readonly changes: number | null;
  /** On the disk. */
  readonly bytes: number;
}

export interface SessionDetails extends SessionSummary {
  readonly layers: number;
  /** Those that changed something. */
  readonly calls: readonly {
    readonly id: string;
    readonly tool: string;
    readonly at: string;
    readonly paths: number;
  }[];
  readonly commits: readonly { readonly tx: string; readonly paths: readonly string[] }[];
}

/** Oldest first. */
export async function listSessions(place: DiffOptions): Promise<SessionSummary[]> {
  const summaries: SessionSummary[] = [];
  for (const id of sessionIds(place.stateDir)) summaries.push(await summarize(id, place));
  return summaries;
}

export async function showSession(id: string, place: DiffOptions): Promise<SessionDetails> {
  const { stateDir } = place;
  const dir = sessionDir(stateDir, id);
  const { stack } = readRecord(dir);
  const calls = stack.flatMap((layer) => {
    if (layer.call === null) return [];
    const at = new Date(layer.since).toISOString();
    return [{ ...layer.call, at, paths: changedIn(layer, stateDir).length }];
  });
  const commits = commitsIn(dir).map((number) => ({
    tx: String(number),
    paths: committedPaths(path.join(dir, "tx", String(number))),
  }));
  return { ...(await summarize(id, place)), layers: stack.length, calls, commits };
}

async function summarize(id: string, place: DiffOptions): Promise<SessionSummary> {
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
  return isHeld(path.join(dir, "lock")) ? "open" : "idle";
}

async function countChanges(id: string, place: DiffOptions): Promise<number | null> {
  try {
    return await withDiff(id, place, ({ shown }) => shown.length);
  } catch (error) {
    if (error instanceof HotcellError) return null;
    throw error;
  }
}

function bytesIn(dir: string): number {
  const fd = fs.openSync(dir, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY);
  try {
    let bytes = 0;
    for (const { step, dir: holder, name } of tourTree(fd, { temporary: true, unreadable: () => {} })) {
      if (step === "entry")
        bytes += fs.lstatSync(childPath(holder, name), { throwIfNoEntry: false })?.blocks ?? 0;
    }
    return bytes * 512;
  } finally {
    fs.closeSync(fd);
  }
}
