// Searches the files of a view. Worker processes walk, and read only files that this process has allowed.
import fs from "node:fs";
import { LIMITS } from "../../core/limits.ts";
import type { SearchQuery, SearchResult } from "../files/search-query.ts";
import type { View } from "../files/view.ts";
import type { WorkspaceFS } from "../files/workspace-fs.ts";
import { openToRead } from "../fs/open-file.ts";
import { atExistingEntry, openChildDirectory } from "../fs/paths.ts";
import { compileFileGlobs } from "./file-globs.ts";
import { notSearchable, refuseLineBreak } from "./not-searchable.ts";
import { runSearch, type SearchTask } from "./run-search.ts";
import type { SearchPool } from "./workers/search-pool.ts";

export function createSearchOperation(view: View, pool: SearchPool): Pick<WorkspaceFS, "search"> {
  return {
    async search(input, query, options = {}) {
      checkQuery(query);
      options.signal?.throwIfAborted();
      const start = view.runRead("search", input, () => openStart(view, input));
      const running = searchFrom({ ...options, view, order: { ...start, query } }, pool);
      const closeStart = () => {
        for (const fd of [start.fd, start.root]) fs.closeSync(fd);
      };
      running.then(closeStart, closeStart);
      return unlessAborted(running, options.signal);
    },
  };
}

async function searchFrom(task: SearchTask, pool: SearchPool): Promise<SearchResult> {
  const found = task.order.query.regex ? null : await searchHere(task, pool);
  return found ?? pool.use(task.order, (workers) => runSearch(workers, task));
}

async function searchHere(task: SearchTask, pool: SearchPool): Promise<SearchResult | null> {
  const search = await pool.here();
  task.signal?.throwIfAborted();
  return search(task, pool.isAwake());
}

/** After an abort, rejects at once, without waiting for workers to stop or for earlier searches. */
function unlessAborted(
  running: Promise<SearchResult>,
  signal: AbortSignal | undefined,
): Promise<SearchResult> {
  if (signal === undefined) return running;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort);
    running.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

function checkQuery({ pattern, globs }: SearchQuery): void {
  if (pattern === "") throw notSearchable("the pattern is empty");
  if (pattern.includes("\n")) throw refuseLineBreak();
  if (pattern.length > LIMITS.maxPatternChars)
    throw notSearchable(`the pattern is longer than ${LIMITS.maxPatternChars} characters`);
  compileFileGlobs(globs);
}

interface Start {
  /** A directory, or a file open for reading. */
  readonly fd: number;
  readonly isDirectory: boolean;
  /** Relative to the workspace. */
  readonly path: string;
}

/** The caller closes both descriptors: the start, and the workspace's root. */
function openStart(view: View, input: string): Start & { readonly root: number } {
  const root = openChildDirectory(view.root.fd, ".");
  try {
    return { ...(openDirectory(view, input) ?? openFile(view, input)), root };
  } catch (error) {
    fs.closeSync(root);
    throw error;
  }
}

function openDirectory(view: View, input: string): Start | null {
  return atExistingEntry(view.root, input, ({ fd, stat }, path) => {
    if (!stat.isDirectory()) return null;
    view.guard(`${path}/`, "read");
    return { fd: openChildDirectory(fd, "."), isDirectory: true, path };
  });
}

function openFile(view: View, input: string): Start {
  return { ...openToRead(view.root, input, (at) => view.guard(at, "read")), isDirectory: false };
}
