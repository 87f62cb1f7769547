// The files of a cell as commands meet them: a session's view, or the project itself.
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

/** Of a session with the strategy `clone`. */
export interface WorkingCopy {
  readonly directory: string;
  readonly stateDir: string;
}

export interface Ground {
  /** The path at which commands see the view. */
  readonly project: string;
  /** A directory beside it that commands may read; its secrets are masked. */
  readonly storage: string | null;
  readonly owner: { readonly uid: number; readonly gid: number };
  readonly disk: DiskUse;
  /** Where the view can be reached without a room; null where it can't, or is the project itself. */
  readonly copy: WorkingCopy | null;
  /** A furnished room with the view as it is now, and the root that bubblewrap is told to make there. */
  room(root: readonly string[]): Promise<Room>;
  /** What is kept from commands in the system's directories. */
  hidden(): readonly Hidden[];
  /** What is kept from commands, where the view itself still has it. */
  masked(): Promise<readonly Hidden[]>;
  /** Until what it gives is called, the view stays the one that a process works on. Throws where that can't be. */
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
  const furnishing = (root: readonly string[]) => ({ scratchBytes: SCRATCH_BYTES, owner, root });
  const beside = openBeside(storage, protectionOf);
  const common = { project: workspace.root, storage: beside.root, owner, hidden };
  if (session !== null) {
    return {
      ...common,
      disk: { dir: stateDir, measure: session.bytes },
      copy: copyOf(session, stateDir),
      room: (root) => session.room(furnishing(root)),
      masked: beside.masked,
      hold: session.hold,
      close: async () => beside.close(),
    };
  }
  let own: Promise<Room> | null = null;
  const root = openRoot(workspace.root);
  const search = createSecretSearch(root, protectionOf);
  const furnish = async (asked: readonly string[]): Promise<Room> => {
    refuseMoved(root);
    const room = await furnishRoom(null, { ...furnishing(asked), view: workspace.root });
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
    room(asked) {
      own ??= furnish(asked).catch((error) => {
        own = null;
        throw error;
      });
      return own;
    },
    masked: async () => [...hiddenIn(workspace.root, (await search()).secrets), ...(await beside.masked())],
    hold() {
      throw new HotcellError("NOT_SUPPORTED", NO_BACKGROUND);
    },
    async close() {
      fs.closeSync(root.fd);
      beside.close();
      (await own?.catch(() => null))?.close();
    },
  };
}

interface Beside {
  readonly root: string | null;
  masked(): Promise<readonly Hidden[]>;
  close(): void;
}

function openBeside(storage: string | undefined, protectionOf: (path: string) => Protection | null): Beside {
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

// Secrets are covered before each command, by their paths: nobody may exchange directories meanwhile.
const NO_BACKGROUND =
  'Could not start a background process: with fs "host" a command must have ended before the next one begins. Open the cell with fs "overlay".';

function copyOf({ record: { id, strategy } }: Session, stateDir: string): WorkingCopy | null {
  if (strategy !== "clone") return null;
  return { directory: path.join(sessionDir(stateDir, id), "merged"), stateDir };
}

function lookAt(at: string): fs.Stats | undefined {
  try {
    return fs.lstatSync(osPath(at), { throwIfNoEntry: false });
  } catch (error) {
    const message = `Could not keep "${showName(at)}" from commands (${osErrorCode(error)}): no command is run beside it with fs "host". Use fs "overlay".`;
    throw new HotcellError("WORKSPACE_UNUSABLE", message);
  }
}

/** Commands are given a directory by its path: it must still be the one that the tools work in, whose secrets are known. */
function refuseMoved({ fd, path }: Root): void {
  const opened = fs.fstatSync(fd);
  const there = lookAt(path);
  if (there?.dev === opened.dev && there.ino === opened.ino) return;
  throw new HotcellError(
    "WORKSPACE_UNUSABLE",
    `Could not run the command: "${showName(path)}" is not the directory any more that it was when the cell was opened. Put that back, or open another cell.`,
  );
}

/** A link is no secret by itself, and what it leads to has a name of its own. */
function hiddenIn(dir: string, secrets: Secrets): Hidden[] {
  return [...secrets].flatMap(([name, below]) => {
    const at = `${dir}/${name}`;
    if (below !== null) return hiddenIn(at, below);
    const stat = lookAt(at);
    if (stat === undefined || stat.isSymbolicLink()) return [];
    return [{ at, kind: stat.isDirectory() ? "directory" : "file" }];
  });
}
