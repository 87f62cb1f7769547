import { HotcellError } from "../../core/errors.ts";
import type { Json } from "../../core/json.ts";
import type { Log } from "../../log/log.ts";
import { showName } from "../../workspace/fs/names.ts";
import type { Session } from "../../workspace/session/session-types.ts";

/** The session with operations that leave a record in the log once they are done, whoever calls them. */
export function recordOperations(session: Session, record: Log["event"]): Session {
  const write = (kind: Parameters<Log["event"]>[0], fields: Readonly<Record<string, Json>>) => {
    try {
      record(kind, { session: session.record.id, ...fields });
    } catch (error) {
      if (!(error instanceof HotcellError)) throw error;
      const operation = kind.slice("session.".length);
      throw new HotcellError(error.code, `The ${operation} is done, but not recorded. ${error.message}`);
    }
  };
  const recorded: Partial<Session> = {
    async commit(options, watching, signal) {
      const result = await session.commit(options, watching, signal);
      const { tx, committed } = result;
      if (tx !== null) write("session.commit", { tx, ...listed(committed) });
      return result;
    },
    async commitGitBranch(branch, options, signal) {
      const result = await session.commitGitBranch(branch, options, signal);
      write("session.commit", { branch, commits: result.commits });
      return result;
    },
    async revert(tx, signal) {
      const result = await session.revert(tx, signal);
      write("session.revert", { tx: tx ?? null, ...listed(result.reverted) });
      return result;
    },
    async discard(paths, signal) {
      await session.discard(paths, signal);
      write("session.discard", paths === undefined ? { all: true } : listed(paths));
    },
    async rewind(to, paths, signal) {
      const result = await session.rewind(to, paths, signal);
      write("session.rewind", { to, ...(paths !== undefined && listed(paths)) });
      return result;
    },
    async undoRewind(signal) {
      await session.undoRewind(signal);
      write("session.rewind", { undo: true });
    },
  };
  // `record` of a session is a getter.
  return Object.assign(Object.create(session) as Session, recorded);
}

const listed = (paths: readonly string[]) => ({ count: paths.length, paths: paths.map(showName) });
