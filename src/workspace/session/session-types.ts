// The words of a session: what can be asked of one.

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
  /** The merged view, for whoever looks at it directly. */
  readonly view: Root;
  /** Runs a call that changes something, alone; its changes get a layer of their own. */
  change<T>(call: CallMark, work: () => Promise<T>, options?: ChangeOptions): Promise<Changed<T>>;
  /** Runs a call that only reads; once more when the project changed underneath meanwhile. */
  read<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** What follows is apart from what was done so far. */
  checkpoint(signal?: AbortSignal): Promise<void>;
  /** To before a call: its id, or `#3`. With paths only those. Undone by `undoRewind`. What was committed stays in the project. */
  rewind(to: string, paths?: readonly string[], signal?: AbortSignal): Promise<RewindResult>;
  /** The session as it was before the last rewind, or before paths were discarded. */
  undoRewind(signal?: AbortSignal): Promise<void>;
  /** Throws changes away: at these paths, which can be undone, or all of them, which can't. */
  discard(paths?: readonly string[], signal?: AbortSignal): Promise<void>;
  /** Another session with the same changes; gives its id. */
  fork(signal?: AbortSignal): Promise<string>;
  /** When everything that was begun has ended, also what nobody waits for any more. */
  idle(): Promise<void>;
  /** Before something looks at the view directly, as a command does: the project's secrets are not there for it. */
  hideSecrets(): Promise<void>;
  /** A room in which a command meets the view. */
  room(furnishing: Omit<Furnishing, "view">): Promise<Room>;
  /** Until what it gives is called, the view stays the same one: calls share a layer, and nothing is rewound. */
  hold(): () => void;
  /** What it has on the disk. */
  bytes(): number;
  /** The signal calls a diff, a plan or a commit off; a commit not any more once it writes to the project. */
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
  /** Puts back what a commit did to the project: its number, or the last one. */
  revert(tx?: string, signal?: AbortSignal): Promise<RevertResult>;
  close(): void;
}

export interface RewindResult {
  /** Numbers of the commits that were made since the call and stay: each can be reverted. */
  readonly commits: readonly string[];
}

export interface ChangeOptions {
  /** The project's secrets are not there for whatever looks at the view directly, as a command does. */
  readonly withoutSecrets?: boolean;
  /** Calls it off before the work begins; the work has to look at it by itself. */
  readonly signal?: AbortSignal;
}

export interface Changed<T> {
  readonly result: T;
  /** The paths that the call changed. */
  readonly paths: readonly string[];
  /** Why they could not be noted yet; null when they are. */
  readonly unnoted: string | null;
}
