// The session operations of a cell: review, commit, revert, rewind. In mode `host` there is no session, and each method
// throws NOT_SUPPORTED.
import path from "node:path";
import { HotcellError } from "../../core/errors.ts";
import type { CommitPlan, ConflictPolicy } from "../../workspace/commit/plan/plan.ts";
import type { RevertResult } from "../../workspace/commit/revert.ts";
import type { CommitResult } from "../../workspace/commit/run-commit.ts";
import type { Change } from "../../workspace/diff/changes.ts";
import { statText, unifiedText } from "../../workspace/diff/render.ts";
import type { GitBranchOptions, GitBranchResult } from "../../workspace/session/commit-git-branch.ts";
import type { SessionCommitOptions } from "../../workspace/session/commit-options.ts";
import type { SessionDiff } from "../../workspace/session/session-diff.ts";
import type { RewindResult, Session } from "../../workspace/session/session-types.ts";
import {
  BOOLEAN,
  checkArgument,
  checkTypes,
  NAME,
  type OptionSchemas,
  TEXT,
  TEXTS,
} from "../check-options.ts";
import { warnIfThrows } from "../warn-if-throws.ts";

export interface SignalOptions {
  /** Ends the operation with the signal's reason. */
  readonly signal?: AbortSignal;
}

export interface DiffOptions extends SignalOptions {
  /**
   * Only the changes of this call: its id, or `#3` for the third call that has changes in the session.
   * @default all changes of the session
   */
  readonly call?: string;
  /**
   * Also show files that the project's git ignores.
   * @default false
   */
  readonly all?: boolean;
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
   * What to do about a conflict (the project changed since the session changed the same path): `abort` commits nothing,
   * `skip` commits the rest, `ours` takes the session's version, `theirs` keeps the project's, `merge` merges by line.
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
  /** The `hash` of a plan that a person approved. The commit is refused if the plan has changed since. */
  readonly planHash?: string;
  /** Called after each step that is staged or applied. If it throws, the process warns and the commit goes on. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** A diff as data and as text. */
export interface DiffView {
  /** Without files that git ignores, unless `all` is set. */
  readonly changes: readonly Change[];
  /** How many files were left out because git ignores them. */
  readonly ignored: number;
  /** One line for each change, and the totals. */
  stat(): string;
  /** For display to people: escapes control characters, such as colour codes. */
  unified(): string;
}

export interface SessionApi {
  /** The changes of the session, or of one call. */
  diff(options?: DiffOptions): Promise<DiffView>;
  /** The changes as a patch for `git apply`. It leaves out everything in a `.git`; only a commit includes that. */
  patch(options?: DiffOptions): Promise<Buffer>;
  /** The steps and conflicts of a commit. Changes nothing. */
  plan(options?: PlanOptions): Promise<CommitPlan>;
  /** Writes changes to the project. The signal can abort it only before the first write to the project. */
  commit(options?: CommitOptions): Promise<CommitResult>;
  /** Creates a branch in the project from the commits that the agent made with git: their objects and one ref, nothing else. */
  commitGitBranch(branch: string, options?: GitBranchOptions & SignalOptions): Promise<GitBranchResult>;
  /** Reverses a commit in the project: the last one, or the one with this number. */
  revert(tx?: string, options?: SignalOptions): Promise<RevertResult>;
  /** Discards changes. `undoRewind` can undo a discard with `paths`, but not a discard of everything. */
  discard(options?: PathsOptions): Promise<void>;
  /** Begins a new layer. Each changing call does so automatically. */
  checkpoint(options?: SignalOptions): Promise<void>;
  /** Returns to the state before a call. Later commits stay in the project, and the result names them. */
  rewind(to: string, options?: PathsOptions): Promise<RewindResult>;
  /** Restores the changes that the last rewind, or discard of paths, removed. */
  undoRewind(options?: SignalOptions): Promise<void>;
  /** Creates another session with the same changes and returns its id. */
  fork(options?: SignalOptions): Promise<string>;
}

/** Runs an operation, and aborts it if its owner is closed or the caller's signal aborts. */
export type Track = <T>(work: (signal: AbortSignal) => Promise<T>, options: SignalOptions) => Promise<T>;

export function createSessionApi(session: Session | null, track: Track): SessionApi {
  const run = async <T, Options extends SignalOptions>(
    action: string,
    types: OptionSchemas<Options>,
    options: Options,
    work: (session: Session, signal: AbortSignal) => Promise<T>,
  ) => {
    checkTypes(options, action, types);
    return track(async (signal) => work(needSession(session), signal), options);
  };
  return {
    diff: (options = {}) =>
      run("diff", DIFF, options, ({ diff }, signal) => diff(viewOf, optionsOf(options), signal)),
    patch: (options = {}) =>
      run("make the patch", DIFF, options, ({ diff }, signal) =>
        diff(({ patch }) => Buffer.concat([...patch()]), optionsOf(options), signal),
      ),
    plan: (options = {}) =>
      run("plan the commit", PLAN, options, ({ plan }, signal) => plan(withSelection(options), signal)),
    commit: (options = {}) =>
      run("commit", COMMIT, options, ({ commit }, signal) => {
        const { onProgress } = options;
        const watched = onProgress && { onProgress: warnIfThrows("onProgress", onProgress) };
        return commit(withSelection(options), watched ?? {}, signal);
      }),
    async commitGitBranch(branch, options = {}) {
      checkArgument("create the branch", "branch", branch, NAME);
      return run("create the branch", GIT_BRANCH, options, ({ commitGitBranch }, signal) =>
        commitGitBranch(branch, options, signal),
      );
    },
    async revert(tx, options = {}) {
      if (tx !== undefined) checkArgument("revert", "tx", tx, NAME);
      return run("revert", SIGNAL, options, ({ revert }, signal) => revert(tx, signal));
    },
    discard: (options = {}) =>
      run("discard", PATHS, options, ({ discard }, signal) => discard(plainPaths(options.paths), signal)),
    checkpoint: (options = {}) =>
      run("begin a layer", SIGNAL, options, ({ checkpoint }, signal) => checkpoint(signal)),
    async rewind(to, options = {}) {
      checkArgument("rewind", "to", to, NAME);
      return run("rewind", PATHS, options, ({ rewind }, signal) =>
        rewind(to, plainPaths(options.paths), signal),
      );
    },
    undoRewind: (options = {}) =>
      run("undo the rewind", SIGNAL, options, ({ undoRewind }, signal) => undoRewind(signal)),
    fork: (options = {}) => run("fork", SIGNAL, options, ({ fork }, signal) => fork(signal)),
  };
}

export function needSession(session: Session | null): Session {
  if (session !== null) return session;
  const message = 'Could not do that: with fs "host" there is no session. Open the cell with fs "overlay".';
  throw new HotcellError("NOT_SUPPORTED", message);
}

const SIGNAL: OptionSchemas<SignalOptions> = { signal: null };
const DIFF: OptionSchemas<DiffOptions> = { ...SIGNAL, call: TEXT, all: BOOLEAN };
const PATHS: OptionSchemas<PathsOptions> = { ...SIGNAL, paths: TEXTS };
const GIT_BRANCH: OptionSchemas<GitBranchOptions & SignalOptions> = { ...SIGNAL, allowProtected: BOOLEAN };
const PLAN: OptionSchemas<PlanOptions> = {
  ...PATHS,
  hunks: TEXTS,
  onConflict: null,
  allowProtected: BOOLEAN,
};
const COMMIT: OptionSchemas<CommitOptions> = { ...PLAN, planHash: TEXT, onProgress: null };

const optionsOf = ({ call, all }: DiffOptions) => ({ call, all });

function viewOf({ shown: changes, ignored }: SessionDiff): DiffView {
  return { changes, ignored, stat: () => statText(changes), unified: () => unifiedText(changes) };
}

/** As a diff has them: people also write `./src` and `src/`. */
function plainPaths(paths: readonly string[] | undefined): readonly string[] | undefined {
  return paths?.map((given) => path.posix.normalize(given).replace(/(?<=.)\/$/, ""));
}

function withSelection({ paths: given, hunks, ...options }: CommitOptions): SessionCommitOptions {
  const paths = plainPaths(given);
  const { onConflict, allowProtected, planHash } = options;
  return {
    selection:
      paths === undefined && hunks === undefined ? "all" : { paths: paths ?? [], hunks: hunks ?? [] },
    ...(onConflict !== undefined && { onConflict }),
    ...(allowProtected !== undefined && { allowProtected }),
    ...(planHash !== undefined && { planHash }),
  };
}
