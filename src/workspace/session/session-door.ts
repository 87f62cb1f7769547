// What a cell offers of its session. On the host there is none, and each of these says so.
import { HotcellError } from "../../core/errors.ts";
import type { CommitResult } from "../commit/apply.ts";
import type { CommitPlan } from "../commit/plan.ts";
import type { RevertResult } from "../commit/revert.ts";
import type { Watching } from "../commit/watching.ts";
import type { Change } from "../diff/changes.ts";
import { statText, unifiedText } from "../diff/render.ts";
import type { Session } from "./session.ts";
import type { CommitOptions } from "./session-commit.ts";
import type { SessionDiff } from "./session-diff.ts";

export interface DiffView {
  readonly changes: readonly Change[];
  /** A line for each change, and their sum. */
  stat(): string;
  unified(): string;
}

export interface SessionDoor {
  /** What the session changed, or one call of it: its id, or `#3`. */
  diff(call?: string, signal?: AbortSignal): Promise<DiffView>;
  /** The same as a patch that `git apply` takes. */
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
  /** To before a call, whole or at these paths. */
  rewind(to: string, paths?: readonly string[]): Promise<void>;
  undoRewind(): Promise<void>;
  /** Another session with the same changes; gives its id. */
  fork(): Promise<string>;
}

export function sessionDoor(session: Session | null): SessionDoor {
  const need = async (): Promise<Session> => {
    if (session !== null) return session;
    const message = 'Could not do that: with fs "host" there is no session. Open the cell with fs "overlay".';
    throw new HotcellError("NOT_SUPPORTED", message);
  };
  return {
    diff: async (call, signal) => {
      const viewOf = ({ shown: changes }: SessionDiff): DiffView => {
        return { changes, stat: () => statText(changes), unified: () => unifiedText(changes) };
      };
      return (await need()).diff(viewOf, call, signal);
    },
    patch: async (call, signal) =>
      (await need()).diff(({ patch }) => Buffer.concat([...patch()]), call, signal),
    plan: async (options, signal) => (await need()).plan(options, signal),
    commit: async (options, watching, signal) => (await need()).commit(options, watching, signal),
    revert: async (tx) => (await need()).revert(tx),
    discard: async (paths) => (await need()).discard(paths),
    checkpoint: async () => (await need()).checkpoint(),
    rewind: async (to, paths) => (await need()).rewind(to, paths),
    undoRewind: async () => (await need()).undoRewind(),
    fork: async () => (await need()).fork(),
  };
}
