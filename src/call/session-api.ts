// What a cell offers of its session: review, commit, revert, rewind. On the host there is no session, and each method
// says so.
import { HotcellError } from "../core/errors.ts";
import type { CommitPlan, ConflictPolicy } from "../workspace/commit/plan/plan.ts";
import type { RevertResult } from "../workspace/commit/revert.ts";
import type { CommitResult } from "../workspace/commit/run-commit.ts";
import type { Change } from "../workspace/diff/changes.ts";
import { statText, unifiedText } from "../workspace/diff/render.ts";
import type { SessionCommitOptions } from "../workspace/session/commit-options.ts";
import type { SessionDiff } from "../workspace/session/session-diff.ts";
import type { RewindResult, Session } from "../workspace/session/session-types.ts";
import { refuseUnknownKeys } from "./check-options.ts";

export interface SignalOptions {
  /** Ends the operation with the signal's reason. */
  readonly signal?: AbortSignal;
}

export interface DiffOptions extends SignalOptions {
  /**
   * Only what this call changed: its id, or `#3` for the third call that has changes in the session.
   * @default all changes of the session
   */
  readonly call?: string;
}

export interface PathsOptions extends SignalOptions {
  /**
   * Paths in the project, each with everything below it.
   * @default everything
   */
  readonly paths?: readonly string[];
}

export interface PlanOptions extends PathsOptions {
  /** Hunks by their ids, as `diff()` gives them. Without `paths`, only these hunks are committed. */
  readonly hunks?: readonly string[];
  /**
   * What to do where the project changed since the session changed the same path: `abort` commits nothing, `skip`
   * commits the rest, `ours` takes the session's version, `theirs` keeps the project's, `merge` merges line by line.
   * @default "abort"
   */
  readonly onConflict?: ConflictPolicy;
  /**
   * Also commit files that execute automatically, such as git hooks and CI files.
   * @default false
   */
  readonly allowProtected?: boolean;
}

export interface CommitOptions extends PlanOptions {
  /** The `hash` of a plan that somebody approved. If the plan is another by now, the commit is refused. */
  readonly planHash?: string;
  /** Called when a step is staged or applied. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** What a diff says, as data and as text. */
export interface DiffView {
  readonly changes: readonly Change[];
  /** A line for each change, and their sum. */
  stat(): string;
  /** For people: colours and control characters are shown as text. */
  unified(): string;
}

export interface SessionApi {
  /** What the session changed, or one call of it. */
  diff(options?: DiffOptions): Promise<DiffView>;
  /** The same as a patch that `git apply` takes: without what is in a `.git`, which only a commit takes. */
  patch(options?: DiffOptions): Promise<Buffer>;
  /** What a commit would do; nothing is touched. */
  plan(options?: PlanOptions): Promise<CommitPlan>;
  /** Takes changes into the project. The signal ends it only before the first write to the project. */
  commit(options?: CommitOptions): Promise<CommitResult>;
  /** Puts back what a commit did to the project: the last one, or the one with this number. */
  revert(tx?: string, options?: SignalOptions): Promise<RevertResult>;
  /** Throws changes away. With paths that can be undone by `undoRewind`, without them it can't. */
  discard(options?: PathsOptions): Promise<void>;
  /** Begins a new layer. Each call that changes something does so by itself. */
  checkpoint(options?: SignalOptions): Promise<void>;
  /** Goes back to before a call. What was committed since stays in the project, and the result names those commits. */
  rewind(to: string, options?: PathsOptions): Promise<RewindResult>;
  /** Brings back what the last rewind, or discard of paths, took away. */
  undoRewind(options?: SignalOptions): Promise<void>;
  /** Makes another session with the same changes; gives its id. */
  fork(options?: SignalOptions): Promise<string>;
}

/** Runs an operation until its owner is closed, or until the signal ends it. */
export type Track = <T>(work: (signal: AbortSignal) => Promise<T>, options: SignalOptions) => Promise<T>;

export function createSessionApi(session: Session | null, track: Track): SessionApi {
  const run = <T>(
    action: string,
    known: readonly string[],
    options: SignalOptions,
    work: (session: Session, signal: AbortSignal) => Promise<T>,
  ) =>
    track(async (signal) => {
      refuseUnknownKeys(options, { known: ["signal", ...known], action });
      if (session !== null) return work(session, signal);
      const message =
        'Could not do that: with fs "host" there is no session. Open the cell with fs "overlay".';
      throw new HotcellError("NOT_SUPPORTED", message);
    }, options);
  return {
    diff: (options = {}) =>
      run("diff", ["call"], options, ({ diff }, signal) => diff(viewOf, options.call, signal)),
    patch: (options = {}) =>
      run("make the patch", ["call"], options, ({ diff }, signal) =>
        diff(({ patch }) => Buffer.concat([...patch()]), options.call, signal),
      ),
    plan: (options = {}) =>
      run("plan the commit", PLAN_OPTIONS, options, ({ plan }, signal) =>
        plan(withSelection(options), signal),
      ),
    commit: (options = {}) =>
      run("commit", [...PLAN_OPTIONS, "planHash", "onProgress"], options, ({ commit }, signal) => {
        const { onProgress } = options;
        return commit(withSelection(options), onProgress === undefined ? {} : { onProgress }, signal);
      }),
    revert: (tx, options = {}) => run("revert", [], options, ({ revert }, signal) => revert(tx, signal)),
    discard: (options = {}) =>
      run("discard", ["paths"], options, ({ discard }, signal) => discard(options.paths, signal)),
    checkpoint: (options = {}) =>
      run("begin a layer", [], options, ({ checkpoint }, signal) => checkpoint(signal)),
    rewind: (to, options = {}) =>
      run("rewind", ["paths"], options, ({ rewind }, signal) => rewind(to, options.paths, signal)),
    undoRewind: (options = {}) =>
      run("undo the rewind", [], options, ({ undoRewind }, signal) => undoRewind(signal)),
    fork: (options = {}) => run("fork", [], options, ({ fork }, signal) => fork(signal)),
  };
}

const PLAN_OPTIONS = ["paths", "hunks", "onConflict", "allowProtected"];

function viewOf({ shown: changes }: SessionDiff): DiffView {
  return { changes, stat: () => statText(changes), unified: () => unifiedText(changes) };
}

function withSelection({ paths, hunks, ...options }: CommitOptions): SessionCommitOptions {
  const { onConflict, allowProtected, planHash } = options;
  return {
    selection:
      paths === undefined && hunks === undefined ? "all" : { paths: paths ?? [], hunks: hunks ?? [] },
    ...(onConflict !== undefined && { onConflict }),
    ...(allowProtected !== undefined && { allowProtected }),
    ...(planHash !== undefined && { planHash }),
  };
}
