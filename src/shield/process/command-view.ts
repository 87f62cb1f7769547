// The files that commands see: a session's view, or the project itself.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { HotcellError, osErrorCode } from "../../core/errors.ts";
import type { Protection } from "../../policy/protected.ts";
import { osPath, showName } from "../../workspace/fs/names.ts";
import { openRealRoot, openRoot, type Root } from "../../workspace/fs/paths.ts";
import { findOutsideRepository } from "../../workspace/git/outside-repository.ts";
import { sessionDir } from "../../workspace/layers/record.ts";
import { type RepositoryOverlay, repositoryLayer } from "../../workspace/layers/repository-layer.ts";
import type { Files } from "../../workspace/open-files.ts";
import { type MountNamespace, openPreparedNamespace } from "../../workspace/overlay/mount-namespace.ts";
import { createReadOnlyMounts, type MountReadOnly } from "../../workspace/overlay/read-only-mounts.ts";
import {
  createSecretFinder,
  type HiddenSecrets,
  hiddenPaths,
  NONE_HIDDEN,
  type Secrets,
} from "../../workspace/secrets/find-secrets.ts";
import { createSecretSearch } from "../../workspace/secrets/secret-search.ts";
import type { Session } from "../../workspace/session/session-types.ts";
import { gitConfigText, readGitIdentity } from "../host/git-identity.ts";
import { SCRATCH_BYTES } from "./limits.ts";
import { type Hidden, hiddenFrom, ownReader } from "./system-root.ts";
import { type DiskUse, sessionIsFull } from "./watch-usage.ts";

/** The copy of the project in a session with the strategy `clone`. */
export interface WorkingCopy {
  readonly directory: string;
  readonly stateDir: string;
}

/** The root directory of commands. */
export interface CommandRoot {
  /** The arguments with which bubblewrap builds it. */
  readonly root: readonly string[];
  /** The content of its `/etc/hosts`, if the arguments use it. */
  readonly hosts: string;
}

export interface CommandView {
  /** The path at which commands see the view. */
  readonly project: string;
  /** The view is the project itself (fs `host`), not a session's. */
  readonly isProject: boolean;
  /** A directory outside the project that commands may read; its secrets are masked. */
  readonly storage: string | null;
  /** The repository of a worktree or a submodule, whose changes by commands stay in the session. */
  readonly repository: string | null;
  readonly owner: { readonly uid: number; readonly gid: number };
  /** The content of `.gitconfig` in the home of commands: the user's name and email. Empty if they are not known. */
  readonly gitConfig: string;
  /** A directory that commands have as their home, and that lasts; null for one that ends with the cell. */
  readonly home: string | null;
  readonly disk: DiskUse;
  /** Whether `protect.readonly` names paths. */
  readonly hasReadOnly: boolean;
  /** The view as a directory, for use without a mount namespace; null if there is none or it is the project. */
  readonly copy: WorkingCopy | null;
  /** A mount namespace with the current view and the root directory. */
  openNamespace(root: CommandRoot): Promise<MountNamespace>;
  /** Paths in the system's directories that are hidden from commands. */
  hidden(): readonly Hidden[];
  /** Secrets that the view still contains and the sandbox has to hide. */
  masked(): Promise<readonly Hidden[]>;
  /** The project's secrets that the current view or the last `masked` hides. */
  hiddenSecrets(): HiddenSecrets;
  /** Keeps the current view for a background process until the returned function is called. Throws in mode `host`. */
  hold(): () => void;
  close(): Promise<void>;
}

export interface CommandViewOptions {
  readonly storage?: string | undefined;
  readonly home?: string | null;
  readonly hasReadOnly?: boolean;
}

export function openCommandView(
  { workspace, session, stateDir }: Files,
  protectionOf: (path: string) => Protection | null,
  { storage, home = null, hasReadOnly = false }: CommandViewOptions = {},
): CommandView {
  const { uid, gid } = fs.statSync(workspace.root);
  const owner = { uid, gid };
  let found: readonly Hidden[] | null = null;
  const hidden = () => {
    found ??= hiddenFrom(process.getuid?.() === 0 ? { uid, groups: [gid] } : ownReader());
    return found;
  };
  const gitConfig = gitConfigText(readGitIdentity(process.env, os.homedir()));
  const storageView = openStorage(storage, protectionOf);
  const repository = session && findRepository(session, stateDir, storageView.root);
  const mountOptions = (root: CommandRoot) => ({
    repository,
    scratchBytes: SCRATCH_BYTES,
    owner,
    gitConfig,
    ...root,
  });
  const common = {
    project: workspace.root,
    isProject: session === null,
    storage: storageView.root,
    repository: repository?.path ?? null,
    owner,
    gitConfig,
    home,
    hidden,
    hasReadOnly,
  };
  if (session !== null) {
    const mountReadOnly = hasReadOnly ? createReadOnlyMounts(session.view, protectionOf, false) : asItIs;
    return {
      ...common,
      disk: { dir: stateDir, measure: session.bytes, explain: sessionIsFull },
      copy: copyOf(session, stateDir),
      openNamespace: async (root) => mountReadOnly(await session.openNamespace(mountOptions(root))),
      masked: storageView.masked,
      hiddenSecrets: session.hidden,
      hold: session.hold,
      close: async () => storageView.close(),
    };
  }
  let mountNamespace: Promise<MountNamespace> | null = null;
  const root = openRoot(workspace.root);
  const find = createSecretFinder(root, protectionOf);
  const mountReadOnly = hasReadOnly ? createReadOnlyMounts(root, protectionOf, true) : asItIs;
  let hiddenSecrets = NONE_HIDDEN;
  const openMountNamespace = async (commandRoot: CommandRoot): Promise<MountNamespace> => {
    refuseMoved(root);
    const mountNamespace = await openPreparedNamespace(null, {
      ...mountOptions(commandRoot),
      view: workspace.root,
    });
    try {
      refuseMoved(root);
    } catch (error) {
      mountNamespace.close();
      throw error;
    }
    return mountNamespace;
  };
  return {
    ...common,
    disk: { dir: workspace.root, measure: () => null, explain: sessionIsFull },
    copy: null,
    async openNamespace(commandRoot) {
      mountNamespace ??= openMountNamespace(commandRoot).catch((error) => {
        mountNamespace = null;
        throw error;
      });
      return mountReadOnly(await mountNamespace);
    },
    async masked() {
      const { secrets, ...found } = await find();
      hiddenSecrets = found.hidden;
      return [...hiddenIn(workspace.root, secrets), ...(await storageView.masked())];
    },
    hiddenSecrets: () => hiddenSecrets,
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

const asItIs: MountReadOnly = async (namespace) => namespace;

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
      return hiddenIn(root.path, (await search()).names);
    },
    close: () => fs.closeSync(root.fd),
  };
}

// hotcell hides secrets by path before each command. A process in the background could swap directories meanwhile.
const NO_BACKGROUND =
  'Could not start a background process: with fs "host", commands run one after the other. Open the cell with fs "overlay".';

function copyOf({ record: { id, strategy } }: Session, stateDir: string): WorkingCopy | null {
  if (strategy !== "clone") return null;
  return { directory: path.join(sessionDir(stateDir, id), "merged"), stateDir };
}

/** A session that copies the project has no overlay for the repository. */
function findRepository(
  { record: { id, strategy, workspace } }: Session,
  stateDir: string,
  storage: string | null,
): RepositoryOverlay | null {
  if (strategy !== "kernel") return null;
  const project = openRealRoot(workspace);
  try {
    const found = findOutsideRepository(project, storage === null ? [stateDir] : [stateDir, storage]);
    return found === null ? null : { path: found, layer: repositoryLayer(sessionDir(stateDir, id)) };
  } finally {
    fs.closeSync(project.fd);
  }
}

function statPath(at: string): fs.Stats | undefined {
  try {
    return fs.lstatSync(osPath(at), { throwIfNoEntry: false });
  } catch (error) {
    const message = `Could not keep "${showName(at)}" from commands (${osErrorCode(error)}). With fs "host" hotcell runs no command beside an unprotected secret. Use fs "overlay".`;
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
    `Could not run the command: "${showName(path)}" is no longer the directory that the cell opened. Restore that directory, or open another cell.`,
  );
}

/** A link contains no secret itself; its target is checked under its own name. */
function hiddenIn(dir: string, secrets: Secrets): Hidden[] {
  return Array.from(hiddenPaths(secrets)).flatMap((path) => {
    const at = `${dir}/${path}`;
    const stat = statPath(at);
    if (stat === undefined || stat.isSymbolicLink()) return [];
    return [{ at, kind: stat.isDirectory() ? "directory" : "file" }];
  });
}
