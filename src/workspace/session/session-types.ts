// The interface of a session.

import type { CommitPlan } from "../commit/plan/plan.ts";
import type { RevertResult } from "../commit/revert.ts";
import type { CommitResult } from "../commit/run-commit.ts";
import type { CommitListeners } from "../commit/watching.ts";
import type { WorkspaceFS } from "../files/workspace-fs.ts";
import type { Root } from "../fs/paths.ts";
import type { CallMark, SessionRecord } from "../layers/record.ts";
import type { Furnishing, Room } from "../overlay/mount-namespace.ts";
import type { SessionCommitOptions } from "./commit-options.ts";
import type { SessionDiff } from "./session-diff.ts";

export interface Session {
  readonly record: SessionRecord;
  readonly workspace: WorkspaceFS;
  /** The merged view, for direct access. */
  readonly view: Root;
  /** Runs a call that may change something, alone. Its changes get their own layer. */
  change<T>(call: CallMark, work: () => Promise<T>, options?: ChangeOptions): Promise<Changed<T>>;
  /** Runs a read-only call, and again if the project changed underneath meanwhile. */
  read<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Separates the following changes from those made so far. */
  checkpoint(signal?: AbortSignal): Promise<void>;
  /** Rewinds to before a call: its id, or `#3`; everything, or only these paths. `undoRewind` undoes it. Committed changes stay in the project. */
  rewind(to: string, paths?: readonly string[], signal?: AbortSignal): Promise<RewindResult>;
  /** Restores the session as it was before the last rewind, or before paths were discarded. */
  undoRewind(signal?: AbortSignal): Promise<void>;
  /** Discards changes: at these paths, which can be undone, or all of them, which cannot. */
  discard(paths?: readonly string[], signal?: AbortSignal): Promise<void>;
  /** Creates another session with the same changes; returns its id. */
  fork(signal?: AbortSignal): Promise<string>;
  /** Resolves when all started work has ended, including work that nobody awaits any more. */
  idle(): Promise<void>;
  /** Hides the project's secrets. Call it before something reads the view directly, as a command does. */
  hideSecrets(): Promise<void>;
  /** A mount namespace with the view, for a command. */
  room(furnishing: Omit<Furnishing, "view">): Promise<Room>;
  /** Keeps the same view until the returned function is called: calls share a layer, and rewinds are refused. */
  hold(): () => void;
  /** Disk usage. */
  bytes(): number;
  /** The signal aborts a diff, a plan or a commit; a commit only until it writes to the project. */
  diff<T>(
    work: (diff: SessionDiff) => T | Promise<T>,
    call?: string | undefined,
    signal?: AbortSignal,
  ): Promise<T>;
  plan(options?: SessionCommitOptions, signal?: AbortSignal): Promise<CommitPlan>;
  commit(
    options?: SessionCommitOptions,
    watching?: CommitListeners,
    signal?: AbortSignal,
  ): Promise<CommitResult>;
  /** Reverts the commit with this number, or the last one. */
  revert(tx?: string, signal?: AbortSignal): Promise<RevertResult>;
  close(): void;
}

export interface RewindResult {
  /** Numbers of the commits made since the call. They stay in the project; each can be reverted. */
  readonly commits: readonly string[];
}

export interface ChangeOptions {
  /** Hides the project's secrets from direct readers of the view, such as a command. */
  readonly withoutSecrets?: boolean;
  /** Aborts the call before the work starts; the work must check the signal itself. */
  readonly signal?: AbortSignal;
}

export interface Changed<T> {
  readonly result: T;
  /** The paths that the call changed. */
  readonly paths: readonly string[];
  /** Why their bases could not be recorded yet; null if they are recorded. */
  readonly unnoted: string | null;
}
