// What a cell offers of its session. On the host there is none, and each of these says so.
import { HotcellError } from "../../core/errors.ts";
import type { CommitPlan } from "../commit/plan/plan.ts";
import type { RevertResult } from "../commit/revert.ts";
import type { CommitResult } from "../commit/run-commit.ts";
import type { Watching } from "../commit/watching.ts";
import type { Change } from "../diff/changes.ts";
import { statText, unifiedText } from "../diff/render.ts";
import type { CommitOptions } from "./commit-options.ts";
import type { SessionDiff } from "./session-diff.ts";
import type { Rewound, Session } from "./session-types.ts";

export interface DiffView {
  readonly changes: readonly Change[];
  /** A line for each change, and their sum. */
  stat(): string;
  unified(): string;
}

export interface SessionDoor {
  /** What the session changed, or one call of it: its id, or `#3`. */
  diff(call?: string, signal?: AbortSignal): Promise<DiffView>;
  /** The same as a patch that `git apply` takes: without what is in a `.git`, which only a commit takes. */
  patch(call?: string, signal?: AbortSignal): Promise<Buffer>;
  /** What a commit would do; nothing is touched. */
  plan(options?: CommitOptions, signal?: AbortSignal): Promise<CommitPlan>;
  /** The signal calls it off only before the first write to the project: from there on it is finished. */
  commit(options?: CommitOptions, watching?: Watching, signal?: AbortSignal): Promise<CommitResult>;
  /** Puts back what a commit did to the project: the last one, or the one with this number. */
  revert(tx?: string): Promise<RevertResult>;
  /** Throws changes away: at these paths, or all of them. */
  discard(paths?: readonly string[]): Promise<void>;
  /** What follows is apart from what was done so far. Each call that changes something does so by itself. */
  checkpoint(): Promise<void>;
  /** To before a call, whole or at these paths. What was committed stays in the project, and is named. */
  rewind(to: string, paths?: readonly string[]): Promise<Rewound>;
  undoRewind(): Promise<void>;
  /** Another session with the same changes; gives its id. */
  fork(): Promise<string>;
}

/** Runs what is asked for until its owner is closed, which calls it off; or until the signal does. */
export type Track = <T>(work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal) => Promise<T>;

export function sessionDoor(session: Session | null, track: Track): SessionDoor {
  const within = <T>(work: (session: Session, signal: AbortSignal) => Promise<T>, given?: AbortSignal) =>
    track(async (signal) => {
      if (session !== null) return work(session, signal);
      const message =
        'Could not do that: with fs "host" there is no session. Open the cell with fs "overlay".';
      throw new HotcellError("NOT_SUPPORTED", message);
    }, given);
  return {
    diff: (call, given) => {
      const viewOf = ({ shown: changes }: SessionDiff): DiffView => {
        return { changes, stat: () => statText(changes), unified: () => unifiedText(changes) };
      };
      return within(({ diff }, signal) => diff(viewOf, call, signal), given);
    },
    patch: (call, given) =>
      within(({ diff }, signal) => diff(({ patch }) => Buffer.concat([...patch()]), call, signal), given),
    plan: (options, given) => within(({ plan }, signal) => plan(options, signal), given),
    commit: (options, watching, given) =>
      within(({ commit }, signal) => commit(options, watching, signal), given),
    revert: (tx) => within(({ revert }, signal) => revert(tx, signal)),
    discard: (paths) => within(({ discard }, signal) => discard(paths, signal)),
    checkpoint: () => within(({ checkpoint }, signal) => checkpoint(signal)),
    rewind: (to, paths) => within(({ rewind }, signal) => rewind(to, paths, signal)),
    undoRewind: () => within(({ undoRewind }, signal) => undoRewind(signal)),
    fork: () => within(({ fork }, signal) => fork(signal)),
  };
}
