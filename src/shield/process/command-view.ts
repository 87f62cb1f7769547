// The files that commands see: a session's view, or the project itself.
import fs from "node:fs";
import path from "node:path";
import { HotcellError, osErrorCode } from "../../core/errors.ts";
import type { Protection } from "../../policy/protected.ts";
import { osPath, showName } from "../../workspace/fs/names.ts";
import { openRoot, type Root } from "../../workspace/fs/paths.ts";
import { sessionDir } from "../../workspace/layers/record.ts";
import type { Files } from "../../workspace/open-files.ts";
import { furnishRoom, type Room } from "../../workspace/overlay/mount-namespace.ts";
import { createSecretSearch, type Secrets } from "../../workspace/overlay/secret-search.ts";
import type { Session } from "../../workspace/session/session-types.ts";
import { SCRATCH_BYTES } from "./limits.ts";
import { type Hidden, hiddenFrom, ownReader } from "./system-root.ts";
import type { DiskUse } from "./watch-usage.ts";

/** The copy of the project in a session with the strategy `clone`. */
export interface WorkingCopy {
  readonly directory: string;
  readonly stateDir: string;
}

export interface Ground {
  /** The path at which commands see the view. */
  readonly project: string;
  /** A directory outside the project that commands may read; its secrets are masked. */
  readonly storage: string | null;
  readonly owner: { readonly uid: number; readonly gid: number };
  readonly disk: DiskUse;
  /** The view as a directory, for use without a mount namespace; null if there is none or it is the project. */
  readonly copy: WorkingCopy | null;
  /** A mount namespace with the current view and the root directory that bubblewrap creates from `root`. */
  room(root: readonly string[]): Promise<Room>;
  /** Paths in the system's directories that are hidden from commands. */
  hidden(): readonly Hidden[];
  /** Secrets that the view still contains and the sandbox has to hide. */
  masked(): Promise<readonly Hidden[]>;
  /** Keeps the current view for a background process until the returned function is called. Throws in mode `host`. */
  hold(): () => void;
  close(): Promise<void>;
}

export function openGround(
  { workspace, session, stateDir }: Files,
  protectionOf: (path: string) => Protection | null,
  storage?: string,
): Ground {
  const { uid, gid } = fs.statSync(workspace.root);
  const owner = { uid, gid };
  let found: readonly Hidden[] | null = null;
  const hidden = () => {
    found ??= hiddenFrom(process.getuid?.() === 0 ? { uid, groups: [gid] } : ownReader());
    return found;
  };
  const mountOptions = (root: readonly string[]) => ({ scratchBytes: SCRATCH_BYTES, owner, root });
  const storageView = openStorage(storage, protectionOf);
  const common = { project: workspace.root, storage: storageView.root, owner, hidden };
  if (session !== null) {
    return {
      ...common,
      disk: { dir: stateDir, measure: session.bytes },
      copy: copyOf(session, stateDir),
      room: (root) => session.room(mountOptions(root)),
      masked: storageView.masked,
      hold: session.hold,
      close: async () => storageView.close(),
    };
  }
  let mountNamespace: Promise<Room> | null = null;
  const root = openRoot(workspace.root);
  const search = createSecretSearch(root, protectionOf);
  const openMountNamespace = async (rootArgs: readonly string[]): Promise<Room> => {
    refuseMoved(root);
    const room = await furnishRoom(null, { ...mountOptions(rootArgs), view: workspace.root });
    try {
      refuseMoved(root);
    } catch (error) {
      room.close();
      throw error;
    }
    return room;
  };
  return {
    ...common,
    disk: { dir: workspace.root, measure: () => null },
    copy: null,
    room(rootArgs) {
      mountNamespace ??= openMountNamespace(rootArgs).catch((error) => {
        mountNamespace = null;
        throw error;
      });
      return mountNamespace;
    },
    masked: async () => [
      ...hiddenIn(workspace.root, (await search()).secrets),
      ...(await storageView.masked()),
    ],
    hold() {
      throw new HotcellError("NOT_SUPPORTED", NO_BACKGROUND);
    },
    async close() {
      fs.closeSync(root.fd);
      storageView.close();
      (await mountNamespace?.catch(() => null))?.close();
    },
  };
}

interface StorageView {
  readonly root: string | null;
  masked(): Promise<readonly Hidden[]>;
  close(): void;
}

function openStorage(
  storage: string | undefined,
  protectionOf: (path: string) => Protection | null,
): StorageView {
  if (storage === undefined) return { root: null, masked: async () => [], close: () => {} };
  const root = openRoot(storage);
  const search = createSecretSearch(root, protectionOf);
  return {
    root: root.path,
    async masked() {
      refuseMoved(root);
      return hiddenIn(root.path, (await search()).secrets);
    },
    close: () => fs.closeSync(root.fd),
  };
}

// hotcell hides secrets by path before each command. A process in the background could swap directories meanwhile.
const NO_BACKGROUND =
  'Could not start a background process: with fs "host" a command must have ended before the next one begins. Open the cell with fs "overlay".';

function copyOf({ record: { id, strategy } }: Session, stateDir: string): WorkingCopy | null {
  if (strategy !== "clone") return null;
  return { directory: path.join(sessionDir(stateDir, id), "merged"), stateDir };
}

function statPath(at: string): fs.Stats | undefined {
  try {
    return fs.lstatSync(osPath(at), { throwIfNoEntry: false });
  } catch (error) {
    const message = `Could not keep "${showName(at)}" from commands (${osErrorCode(error)}): no command is run beside it with fs "host". Use fs "overlay".`;
    throw new HotcellError("WORKSPACE_UNUSABLE", message);
  }
}

/** Commands get a directory by path. It must still be the directory that the tools use and that was searched for secrets. */
function refuseMoved({ fd, path }: Root): void {
  const opened = fs.fstatSync(fd);
  const there = statPath(path);
  if (there?.dev === opened.dev && there.ino === opened.ino) return;
  throw new HotcellError(
    "WORKSPACE_UNUSABLE",
    `Could not run the command: "${showName(path)}" is not the directory any more that it was when the cell was opened. Put that back, or open another cell.`,
  );
}

/** A link contains no secret itself; its target is checked under its own name. */
function hiddenIn(dir: string, secrets: Secrets): Hidden[] {
  return [...secrets].flatMap(([name, below]) => {
    const at = `${dir}/${name}`;
    if (below !== null) return hiddenIn(at, below);
    const stat = statPath(at);
    if (stat === undefined || stat.isSymbolicLink()) return [];
    return [{ at, kind: stat.isDirectory() ? "directory" : "file" }];
  });
}
