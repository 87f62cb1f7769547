// The open sessions of the server. Each is open while it is used and for a moment after: then other processes can work
// with it, and the next use opens it again.
import type { Cell, CellOptions } from "../../cell.ts";
import { type KeptCell, keepCell } from "../../cells.ts";
import { closeOnFailure } from "../../core/close-on-failure.ts";
import { LIMITS } from "../../core/limits.ts";
import { noSuchSession, readRecord, sessionDir } from "../../workspace/layers/record.ts";
import { removeSession } from "../../workspace/layers/session-dirs.ts";
import { sessionIds } from "../../workspace/layers/unreferenced-layers.ts";
import type { SessionStore } from "../../workspace/overlay/session-view.ts";
import { createSession } from "../../workspace/session/create-session.ts";
import { findSessionId } from "../../workspace/session/registry/find-session.ts";
import { refuseName, renameSession } from "../../workspace/session/registry/named-session.ts";

export interface SessionCells {
  /** The id of a session of this project, given by its id or name. Throws NOT_FOUND. */
  find(given: string): Promise<string>;
  /** Whether this is the id of a session of this project. */
  has(id: string): boolean;
  /** Creates a session and returns its id. Throws UNAVAILABLE if the project has too many; a failure leaves no session. */
  create(name?: string): Promise<string>;
  /** Creates another session with the same changes and returns its id. Throws UNAVAILABLE like `create`. */
  fork(id: string, signal: AbortSignal): Promise<string>;
  /** The session of calls that name none: created with the first of them. */
  default(): Promise<string>;
  use<T>(id: string, work: (cell: Cell) => Promise<T>): Promise<T>;
  /** Cancels all calls and closes all sessions. */
  close(): Promise<void>;
}

export interface SessionCellsOptions {
  /** The real path of the project. */
  readonly project: string;
  readonly store: SessionStore;
  /** Of sessions that it creates. */
  readonly mode: "overlay" | "agentfs";
  readonly cell: CellOptions;
}

export function createSessionCells(options: SessionCellsOptions): SessionCells {
  const { project, store, mode, cell } = options;
  const cells = new Map<string, KeptCell>();
  let made: Promise<string> | null = null;
  const isHere = (id: string) => readRecord(sessionDir(store.stateDir, id)).workspace === project;
  const create = async (name?: string) => {
    if (name !== undefined) refuseName(store.stateDir, project, name);
    const session = await createSession(project, {
      ...store,
      fs: mode,
      ...(cell.strategy !== undefined && { strategy: cell.strategy }),
    });
    session.close();
    const { id } = session.record;
    const leave = () => removeSession(id, store.stateDir);
    if (name !== undefined) closeOnFailure(leave, () => renameSession(store.stateDir, id, name));
    return id;
  };
  const keepOrCreate = async (before: Promise<string> | null) => {
    const id = await before?.catch(() => null);
    return id && sessionIds(store.stateDir).includes(id) ? id : create();
  };
  const find = async (given: string) => {
    const id = await findSessionId(given, store, project);
    if (!isHere(id)) throw noSuchSession(given);
    return id;
  };
  const use = <T>(id: string, work: (cell: Cell) => Promise<T>): Promise<T> => {
    const kept = cells.get(id) ?? keepCell({ ...cell, session: id }, LIMITS.server.cellIdleMs);
    cells.set(id, kept);
    return kept.use(work);
  };
  return {
    find,
    has: (id) => sessionIds(store.stateDir).includes(id) && isHere(id),
    create,
    fork: (id, signal) => use(id, (opened) => opened.fork({ signal })),
    default() {
      made = keepOrCreate(made);
      return made;
    },
    use,
    async close() {
      await Promise.all([...cells.values()].map((kept) => kept.close()));
    },
  };
}
