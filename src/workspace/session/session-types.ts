// The interface of a session.

import type { CommitListeners } from "../commit/commit-listeners.ts";
import type { CommitPlan } from "../commit/plan/plan.ts";
import type { RevertResult } from "../commit/revert.ts";
import type { CommitResult } from "../commit/run-commit.ts";
import type { WorkspaceFS } from "../files/workspace-fs.ts";
import type { Root } from "../fs/paths.ts";
import type { StoredValue } from "../kv/key-value-store.ts";
import type { KeyValues } from "../kv/key-values.ts";
import type { ChangedPaths } from "../layers/layer-dirs.ts";
import type { CallMark, SessionRecord } from "../layers/record.ts";
import type { MountNamespace, MountPointOptions } from "../overlay/mount-namespace.ts";
import type { HiddenSecrets } from "../secrets/find-secrets.ts";
import type { GitBranchOptions, GitBranchResult } from "./commit-git-branch.ts";
import type { SessionCommitOptions } from "./commit-options.ts";
import type { SessionDiff, SessionDiffOptions } from "./session-diff.ts";

export interface Session {
  readonly record: SessionRecord;
  readonly workspace: WorkspaceFS;
  /** The merged view, for direct access. */
  readonly view: Root;
  readonly kv: KeyValues;
  /** Replaces all values by key. */
  replaceValues(values: readonly StoredValue[]): Promise<void>;
  /** Runs a call that may change something, alone. Its changes get their own layer. */
  change<T>(call: CallMark, work: () => Promise<T>, options?: ChangeOptions): Promise<ChangeResult<T>>;
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
  /** Whether it holds nothing: no changes, commits or rewinds, and nobody forked it. Waits for all started work, including work that nobody awaits any more. */
  isUnused(): Promise<boolean>;
  /** Hides the project's secrets. Call it before something reads the view directly, as a command does. */
  hideSecrets(): Promise<void>;
  /** The project's secrets that are hidden from commands. */
  hidden(): HiddenSecrets;
  /** A mount namespace with the view, for a command. */
  openNamespace(options: Omit<MountPointOptions, "view">): Promise<MountNamespace>;
  /** Keeps the same view until the returned function is called: calls share a layer, and rewinds are refused. */
  hold(): () => void;
  /** Disk usage, including the artifacts of its calls. */
  bytes(): number;
  /** The signal aborts a diff, a plan or a commit; a commit only until it writes to the project. */
  diff<T>(
    work: (diff: SessionDiff) => T | Promise<T>,
    options?: Pick<SessionDiffOptions, "call" | "all">,
    signal?: AbortSignal,
  ): Promise<T>;
  plan(options?: SessionCommitOptions, signal?: AbortSignal): Promise<CommitPlan>;
  commit(
    options?: SessionCommitOptions,
    watching?: CommitListeners,
    signal?: AbortSignal,
  ): Promise<CommitResult>;
  /** Creates a branch in the project from the commits that the agent made with git: their objects and one ref. */
  commitGitBranch(branch: string, options?: GitBranchOptions, signal?: AbortSignal): Promise<GitBranchResult>;
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

export interface ChangeResult<T> extends ChangedPaths {
  readonly result: T;
  /** Why their bases could not be recorded yet; null if they are recorded. */
  readonly warning: string | null;
}
