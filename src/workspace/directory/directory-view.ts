// WorkspaceFS on one directory. Every path goes through the gate (paths.ts). Protection is judged by the resolved
// path.
import path from "node:path";
import type { Protection } from "../../policy/protected.ts";
import { createChangeOperations } from "../files/change-operations.ts";
import { createHandleOperations } from "../files/handle-operations.ts";
import { createReadOperations } from "../files/read-operations.ts";
import { createView, type OnUse, type View } from "../files/view.ts";
import type { WorkspaceFS } from "../files/workspace-fs.ts";
import { type Leftovers, openLeftovers } from "../fs/leftovers.ts";
import { createNamesCache } from "../fs/names-cache.ts";
import type { Root } from "../fs/paths.ts";
import { type NamesIn, readNamesForTool } from "../fs/tree.ts";
import { createSearchOperation } from "../search/search.ts";
import { createSearchPool, type SearchPool } from "../search/workers/search-pool.ts";

export interface DirectoryViewOptions {
  readonly mode: WorkspaceFS["mode"];
  /** The project's real path. */
  readonly project: string;
  readonly root: Root;
  readonly closeRoot: () => void;
  /** The directory for this view's notes and lock, outside the root. */
  readonly notesDir: string;
  readonly protectionOf: (path: string) => Protection | null;
  readonly onUse?: OnUse;
}

export function openDirectoryView({
  mode,
  project,
  notesDir,
  ...options
}: DirectoryViewOptions): WorkspaceFS {
  const pool = createSearchPool();
  const shared = {
    leftovers: openLeftovers(options.root, path.join(notesDir, "temporary")),
    pool,
    namesIn: createNamesCache(readNamesForTool),
  };
  const closeRoot = () => {
    pool.close();
    options.closeRoot();
  };
  const view = createView({ ...options, closeRoot, lockPath: path.join(notesDir, "write.lock") });
  return createWorkspace({ mode, root: project }, view, shared);
}

/** State shared by all calls. */
interface Shared {
  readonly leftovers: Leftovers;
  readonly pool: SearchPool;
  readonly namesIn: NamesIn;
}

function createWorkspace(what: Pick<WorkspaceFS, "mode" | "root">, view: View, shared: Shared): WorkspaceFS {
  // Every call creates its own workspace. Naming the methods one by one is ten times as fast as spreading.
  const { resolve, stat, read, open, stream, list, walk, readlink } = createReadOperations(
    view,
    shared.namesIn,
  );
  const { write, append, mkdir, remove, rename, copy, symlink, chmod, separate } = createChangeOperations(
    view,
    shared.leftovers,
  );
  const { statEntry, listEntries, openHandle, link, setTimes } = createHandleOperations(view, separate);
  const { search } = createSearchOperation(view, shared.pool);
  return {
    mode: what.mode,
    root: what.root,
    resolve,
    stat,
    read,
    open,
    stream,
    list,
    walk,
    readlink,
    write,
    append,
    mkdir,
    remove,
    rename,
    copy,
    symlink,
    chmod,
    statEntry,
    listEntries,
    openHandle,
    link,
    setTimes,
    search,
    guardedBy: (check) => createWorkspace(what, view.guardedBy(check), shared),
    close: view.close,
  };
}
