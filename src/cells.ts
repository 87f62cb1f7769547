// A kept cell: its first use opens it, all uses share it, and it is released when nobody has used it for a while. Then
// other processes can work with its session, and the next use continues the session.
import { type Cell, type CellOptions, openCell } from "./cell.ts";
import { HotcellError } from "./core/errors.ts";
import { LIMITS } from "./core/limits.ts";

export interface KeptCell {
  /** Opens the cell if necessary. The cell stays open until the work has ended. */
  use<T>(work: (cell: Cell) => Promise<T>): Promise<T>;
  /** Cancels its calls, ends its processes and closes it. The next use opens it again. */
  release(): Promise<void>;
  close(): Promise<void>;
}

export function keepCell(options: CellOptions, idleMs: number = LIMITS.keptCellIdleMs): KeptCell {
  let opened: Promise<Cell> | null = null;
  let closing: Promise<void> = Promise.resolve();
  let session: string | null = null;
  let users = 0;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  const openNext = async (): Promise<Cell> => {
    await closing.catch(() => {});
    const cell = await openAgain(options, session);
    session = cell.session;
    return cell;
  };
  const open = (): Promise<Cell> => {
    const opening = openNext();
    opening.catch(() => {
      if (opened === opening) opened = null;
    });
    return opening;
  };
  const release = async (): Promise<void> => {
    clearTimeout(timer);
    if (opened === null) return;
    closing = closeOpened(opened);
    // A use that comes meanwhile opens the next cell.
    opened = null;
    await closing;
  };
  const releaseIfIdle = async (): Promise<void> => {
    const cell = await opened?.catch(() => null);
    if (!cell || users > 0) return;
    if (cell.processes.list().some(({ end }) => end === null)) return waitForIdle();
    await release();
  };
  const waitForIdle = (): void => {
    timer = setTimeout(() => void releaseIfIdle().catch(() => {}), idleMs).unref();
  };
  return {
    async use(work) {
      if (isClosed)
        throw new HotcellError("WORKSPACE_UNUSABLE", "Could not run the call: the cell is closed.");
      clearTimeout(timer);
      users++;
      try {
        opened ??= open();
        return await work(await opened);
      } finally {
        users--;
        if (users === 0 && opened !== null) waitForIdle();
      }
    },
    release,
    async close() {
      isClosed = true;
      await release();
      await closing;
    },
  };
}

/** The session that the cell had before. If somebody has removed it since, a new one. */
async function openAgain(options: CellOptions, session: string | null): Promise<Cell> {
  if (session === null) return openCell(options);
  try {
    return await openCell({ ...options, session });
  } catch (error) {
    const isGone = error instanceof HotcellError && error.code === "NOT_FOUND";
    if (!isGone || options.session !== undefined) throw error;
    return openCell(options);
  }
}

/** If the cell could not be opened, its users have the error. */
async function closeOpened(opened: Promise<Cell>): Promise<void> {
  await (await opened.catch(() => null))?.close();
}
