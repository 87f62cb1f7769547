import path from "node:path";
import type { CommitResult } from "../commit/apply.ts";
import { openDirectoryView } from "../directory-view.ts";
import { clockStep, fileClock } from "../file-clock.ts";
import { explainingLater } from "../os-error.ts";
import { collapsedIfTall } from "../overlay/collapse.ts";
import type { Root } from "../paths.ts";
import { inPieces, type Pieces } from "../pieces.ts";
import type { WorkspaceFS } from "../workspace-fs.ts";
import { type Had, moveBases, type Trees, takeBases } from "./bases.ts";
import { bringIn, findUnseen } from "./bring-in.ts";
import { bytesIn } from "./bytes-in.ts";
import { mayComeUnseen } from "./came-in.ts";
import { type CommitEnd, endOf } from "./commit-end.ts";
import { discardAll } from "./discard-all.ts";
import { createFollowing, mayFollow, NOTHING } from "./following.ts";
import { unlessFull } from "./full-disk.ts";
import { canNotHide, isHeld } from "./held.ts";
import { holdSession } from "./hold-session.ts";
import { ifPossible } from "./if-possible.ts";
import { hasNothing, isEmptyLayer } from "./layer-notes.ts";
import { changedIn } from "./layers.ts";
import { createLooked } from "./looked.ts";
import { makeSession, newSessionId, removeLayer } from "./make-session.ts";
import { openView } from "./open-view.ts";
import { findOutOfSight } from "./out-of-sight.ts";
import { standOnCommits } from "./own-commits.ts";
import {
  type CallMark,
  type Layer,
  readRecord,
  refuseForeign,
  rewriteRecord,
  type SessionRecord,
  sessionDir,
} from "./record.ts";
import {
  type Committing,
  commitSession,
  planSession,
  refuseUnfinished,
  revertInSession,
  settleCommits,
  settleReverts,
  unfinishedCommits,
  withProjectInPieces,
} from "./session-commit.ts";
import { withDiff } from "./session-diff.ts";
import type { SessionPlace, SessionView } from "./session-view.ts";
import type { Session } from "./session-words.ts";
import { settleWork } from "./settle-work.ts";
import { checkpointed, forked, indexOfCall, liveLayer, rewound, unwound } from "./stack.ts";
import { createTurns } from "./turns.ts";
import { restoreRest, withoutPaths } from "./without-paths.ts";

export async function openSession(id: string, place: SessionPlace, mayChoose = false): Promise<Session> {
  const dir = sessionDir(place.stateDir, id);
  readRecord(dir);
  refuseForeign(dir);
  const release = holdSession(id, dir);
  try {
    refuseUnfinished(id, dir);
    const { record, view } = await openView(readRecord(dir), place, mayChoose);
    const workspace = openDirectoryView({
      mode: "overlay",
      project: record.workspace,
      root: view.root,
      closeRoot: view.close,
      notesDir: path.join(dir, "notes"),
      protectionOf: place.protectionOf,
      onUse: view.notice,
    });
    const opened = { record, view, workspace, place, dir, release };
    return await explainingLater("open the session", id, () => sessionOn(opened));
  } catch (error) {
    release();
    throw error;
  }
}

interface Opened {
  readonly record: SessionRecord;
  readonly view: SessionView;
  readonly workspace: WorkspaceFS;
  readonly place: SessionPlace;
  readonly dir: string;
  readonly release: () => void;
}

async function sessionOn({ view, workspace, place, dir, release, ...opened }: Opened): Promise<Session> {
  const { stateDir } = place;
  const { id } = opened.record;
  const { together, ...turns } = createTurns();
  const alone = <T>(work: () => Promise<T>): Promise<T> =>
    turns.alone(() => explainingLater("work on the session", id, work));
  const looked = createLooked();
  const findFollowing = createFollowing();
  const diffPlace = { ...place, known: { namesIn: looked.namesIn } };
  const holders = new Set<symbol>();
  let record = opened.record;
  let revertsAreNoted = false;

  const note = (next: SessionRecord): void => {
    if (next !== record) rewriteRecord(dir, record, next);
    record = next;
  };
  /** What fails half-way, on a full disk maybe, is taken back. */
  const wholly = async <T>(work: () => Promise<T>): Promise<T> => {
    const before = record;
    try {
      return await work();
    } catch (error) {
      looked.forget();
      try {
        note(before);
        await view.show(before.stack);
      } catch {
        // The next call shows what is on record.
      }
      throw error;
    }
  };
  /** What `fill` puts into the view is there when it is on record. */
  const show = async (
    wanted: SessionRecord,
    fill?: (next: SessionRecord) => Promise<void>,
  ): Promise<void> => {
    const next = await collapsedIfTall(wanted, stateDir);
    const { name } = liveLayer(next);
    if (name !== liveLayer(record).name) removeLayer(dir, name);
    await wholly(async () => {
      await view.show(next.stack);
      await fill?.(next);
      note(next);
    });
  };
  const inProject = <T>(work: (project: Root) => Pieces<T>, signal?: AbortSignal, graceMs?: number) =>
    inPieces(withProjectInPieces(record, work), signal, graceMs);
  const inTrees = <T>(work: (trees: Trees) => Pieces<T>, signal?: AbortSignal, graceMs?: number) =>
    inProject((project) => work({ project, view: view.root }), signal, graceMs);
  const take = async (of: SessionRecord, signal?: AbortSignal, graceMs?: number, had?: Had) => {
    await view.capture();
    await inTrees((trees) => takeBases(of, stateDir, { ...trees, had }, looked), signal, graceMs);
  };
  /** What was changed since the last time is in the live layer, and what was there before is known. */
  const settle = async (signal?: AbortSignal, graceMs?: number, had?: Had): Promise<void> => {
    await take(record, signal, graceMs, had);
    await noteCommits(signal);
    await noteReverts(signal);
  };
  const noteReverts = async (signal?: AbortSignal): Promise<void> => {
    if (revertsAreNoted || unfinishedCommits(dir).length > 0) return;
    note(await inPieces(settleReverts(record, stateDir), signal));
    revertsAreNoted = true;
  };
  const noteCommits = async (signal?: AbortSignal, below?: Layer): Promise<void> => {
    const layer = below ?? liveLayer(record);
    const toured = below === undefined ? null : looked.toured(below);
    const settled = await inPieces(
      settleCommits(record, stateDir, layer, holders.size === 0, toured),
      signal,
    );
    if (settled !== record) looked.forget();
    note(settled);
  };
  const bringIntoSight = async (paths: readonly string[], of: SessionRecord, signal?: AbortSignal) => {
    const isSecret = (path: string) => place.protectionOf(path)?.read === "refuse";
    const unseen = await inTrees((trees) => findUnseen(paths, trees), signal);
    if (unseen.size === 0) return;
    await view.fill(() => inTrees((trees) => bringIn(unseen, trees, isSecret), signal));
    await take(of, signal);
    await inProject((project) => moveBases(unseen, liveLayer(of), stateDir, project), signal);
    looked.forget();
  };
  /** What the session has followed the user in stays in sight. */
  const showOther = (next: SessionRecord, signal?: AbortSignal): Promise<void> => {
    const { stack } = record;
    return show(next, async (shown) => {
      const hidden = await inTrees((trees) => findOutOfSight(stack, shown, stateDir, trees), signal);
      await bringIntoSight(hidden, shown, signal);
    });
  };
  /** What was committed and then edited in the project is the project's own again; what was merged there is so here, too. */
  const follow = async (
    signal?: AbortSignal,
    { merged, isWhole }: CommitEnd = { merged: [], isWhole: true },
  ): Promise<void> => {
    // What a revert has put there is not somebody else's.
    await ifPossible(() => noteReverts(signal), signal);
    if (holders.size > 0 || !revertsAreNoted) return;
    // What was put back at once only seems to have come.
    const { paths, come } = isWhole ? await findFollowing(record, stateDir, view, signal) : NOTHING;
    const all = [...paths, ...come, ...merged];
    if (all.length === 0) return;
    // Else they stay as they are in the session, and a commit says that they are a conflict.
    await ifPossible(async () => {
      await take(record, signal);
      const onTop = () => checkpointed(record, null, false, fileClock(dir));
      const next = paths.length > 0 ? await withoutPaths(record, 0, paths, stateDir, signal) : onTop();
      // It is nothing that an undo would take back.
      await show({ ...next, left: record.left }, (shown) => bringIntoSight(all, shown, signal));
    }, signal);
  };
  const settleAll = async (signal?: AbortSignal): Promise<void> => {
    await settle(signal);
    await follow(signal);
  };
  const refresh = async (): Promise<void> => {
    if (holders.size === 0) await view.refresh();
  };
  /** A view that is mounted on what the live layer has is not true: so that one is left as it is. */
  const refreshToRead = async (signal?: AbortSignal): Promise<void> => {
    if (mayFollow(record, view)) await follow(signal);
    // Nothing is written into the next one yet: it is as old, for what comes in has still to be found.
    const leaveLayer = () => settle(signal).then(() => beginLayer(null, liveLayer(record).since));
    const isLeft = holders.size > 0 || !view.isStale() || isEmptyLayer(liveLayer(record), stateDir);
    if (!isLeft) await ifPossible(leaveLayer, signal);
    await refresh();
  };
  /** Whoever works on the view would go on with the old one. */
  const unheld = <T>(what: string, work: () => Promise<T>): Promise<T> =>
    alone(async () => {
      if (holders.size > 0) throw isHeld(what);
      return work();
    });
  const checkpoint = async (call: CallMark | null, signal?: AbortSignal): Promise<void> => {
    // Who leaves meanwhile may have changed something after it was looked at.
    for (let isHeld = true; isHeld; ) {
      isHeld = holders.size > 0;
      await settleAll(signal);
      if (holders.size > 0) return;
    }
    await beginLayer(call);
  };
  const beginLayer = async (call: CallMark | null, since = fileClock(dir)): Promise<void> => {
    await show(checkpointed(record, call, isEmptyLayer(liveLayer(record), stateDir), since));
    await view.refresh();
  };
  /** Where nobody else works on the view, what is below a new layer is committed, as the mount with that shows it. All is settled by then, and need not be again. What came meanwhile is found at the end. */
  const commitShown = async (isOpen: boolean, commit: Committing): Promise<CommitResult> => {
    const below = liveLayer(record);
    const committing = async () => {
      if (!isOpen) await beginLayer(null);
      return commit(isOpen ? {} : { shown: { root: view.root }, known: looked });
    };
    const result = await (isOpen ? committing() : wholly(committing));
    // All is in the project by now, and that is what the caller must hear.
    await ifPossible(async () => {
      await Promise.all([clockStep(dir), isOpen ? undefined : noteCommits(undefined, below)]);
      if (isOpen) await checkpoint(null);
      const since = fileClock(dir);
      const end = endOf(result, dir);
      const mayHaveCome = end.isWhole && mayComeUnseen(record, stateDir, view.root);
      if (mayHaveCome || end.merged.length > 0) await follow(undefined, end);
      if (!isOpen && hasNothing(liveLayer(record), stateDir)) note(checkpointed(record, null, true, since));
    });
    return result;
  };
  /** As if the layers from this one on had never touched these paths. */
  const leavePaths = (from: number, paths: readonly string[], signal?: AbortSignal): Promise<void> =>
    wholly(async () => {
      const fill = (next: SessionRecord) =>
        restoreRest(next, from, paths, { ...place, ...(signal && { signal }) }, view);
      await show(await withoutPaths(record, from, paths, stateDir, signal), fill);
      await settle(signal);
    });
  const noteOwnCommits = async (signal?: AbortSignal): Promise<void> => {
    await inProject((project) => standOnCommits(record, stateDir, project), signal);
    looked.forget();
  };
  await unlessFull(settle, () => {});
  looked.forget();

  return {
    get record() {
      return record;
    },
    workspace,
    view: view.root,
    change: (call, work, { withoutSecrets = false, signal } = {}) =>
      alone(async () => {
        if (withoutSecrets) view.mustHide();
        await checkpoint(call, signal);
        const settleCall = () => settleWork(id, (by, graceMs) => settle(by, graceMs, view.had), signal);
        try {
          const result = await work();
          const unnoted = await settleCall();
          return { result, paths: changedIn(liveLayer(record), stateDir), unnoted };
        } catch (error) {
          await settleCall();
          throw error;
        }
      }),
    async read(work, signal) {
      await alone(() => refreshToRead(signal));
      try {
        const result = await together(work);
        if (!view.isStale()) return result;
      } catch (error) {
        if (!view.isStale()) throw error;
      }
      await alone(() => refreshToRead(signal));
      return together(work);
    },
    checkpoint: (signal) => alone(() => checkpoint(null, signal)),
    rewind: (to, paths, signal) =>
      unheld("rewind", async () => {
        await settleAll(signal);
        await wholly(async () => {
          if (paths === undefined) await showOther(rewound(record, to, fileClock(dir)), signal);
          else await leavePaths(indexOfCall(record.stack, to), paths, signal);
          await noteOwnCommits(signal);
        });
      }),
    undoRewind: (signal) =>
      unheld("undo the rewind", async () => {
        await settleAll(signal);
        await wholly(async () => {
          await showOther(unwound(record, fileClock(dir)), signal);
          await noteOwnCommits(signal);
        });
      }),
    discard: (paths, signal) =>
      unheld("discard", async () => {
        if (paths === undefined) return discardAll(record, stateDir, view, show);
        await settleAll(signal);
        await leavePaths(0, paths, signal);
      }),
    fork: (signal) =>
      unheld("fork", async () => {
        await checkpoint(null, signal);
        const child = forked(record, record.stack.slice(0, -1), newSessionId(), fileClock(dir));
        makeSession(child, stateDir);
        (await openSession(child.id, place)).close();
        return child.id;
      }),
    idle: () => alone(async () => {}),
    hideSecrets: () =>
      alone(async () => {
        if (holders.size === 0) await view.hideSecrets();
      }),
    async room(furnishing) {
      if (holders.size > 0 && !(await view.hidesAll())) throw canNotHide();
      return view.room(furnishing);
    },
    hold() {
      const holder = Symbol();
      holders.add(holder);
      return () => void holders.delete(holder);
    },
    bytes: () => bytesIn(dir),
    diff: (work, call, signal) =>
      alone(async () => {
        await view.capture();
        await follow(signal);
        await refresh();
        const by = { ...diffPlace, marksContested: true, shown: view.shown(), ...(call && { call }) };
        return withDiff(id, { ...by, ...(signal && { signal }) }, work);
      }),
    plan: (options = {}, signal) =>
      alone(async () => {
        await settleAll(signal);
        await refresh();
        return planSession(id, options, { ...diffPlace, ...(signal && { signal }) });
      }),
    commit: (options = {}, watching = {}, signal) =>
      alone(async () => {
        refuseUnfinished(id, dir);
        const isOpen = holders.size > 0 || record.strategy === "clone";
        await settleAll(signal);
        await refresh();
        return commitShown(isOpen, (by) =>
          commitSession(id, options, { ...diffPlace, ...(signal && { signal }), ...by }, watching),
        );
      }),
    revert: (tx, signal) =>
      alone(async () => {
        await settle(signal);
        revertsAreNoted = false;
        const result = await revertInSession(record, stateDir, tx);
        await ifPossible(noteReverts);
        looked.forget();
        await clockStep(dir);
        return result;
      }),
    close() {
      workspace.close();
      release();
    },
  };
}
