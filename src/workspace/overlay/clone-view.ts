// The view of the clone strategy: a working copy of the project, for machines that cannot mount overlayfs. hotcell
// finds changes of the copy by scanning it, and stores them in layers of the same format as overlayfs layers.
import fs from "node:fs";
import path from "node:path";
import { explainAsyncErrors } from "../fs/os-error.ts";
import { openRealRoot, openRoot, type Root, rootMovedError } from "../fs/paths.ts";
import type { TreeEntry } from "../layers/clone-tree.ts";
import { fallBackIfFull } from "../layers/fall-back-if-full.ts";
import { layerDir } from "../layers/layer-dirs.ts";
import { readTree } from "../layers/layer-tree.ts";
import type { Stack } from "../layers/record.ts";
import { isInProgress, markStarted, readProjectTree, readWorkingCopy } from "./clone-store.ts";
import {
  buildCopy,
  type CloneDirs,
  captureChanges,
  readCloneLayers,
  refreshCopy,
  type ShownStack,
  showStack,
} from "./clone-working-copy.ts";
import { createDisclosures } from "./disclosures.ts";
import { type MountNamespace, openPreparedNamespace } from "./mount-namespace.ts";
import type { SessionStore, SessionView } from "./session-view.ts";

export interface CloneOptions extends SessionStore {
  /** The session's directory. */
  readonly dir: string;
  readonly workspace: string;
  readonly stack: Stack;
}

export async function openCloneView({ workspace, stack, ...options }: CloneOptions): Promise<SessionView> {
  const project = openRealRoot(workspace);
  const merged = openRoot(path.join(options.dir, "merged"));
  const disclosures = createDisclosures(options.dir, project, options.protectionOf);
  const dirs: CloneDirs = { ...options, project, merged, disclosures };
  const held = [project.fd, merged.fd];
  const close = () => {
    for (const fd of held.splice(0)) fs.closeSync(fd);
  };
  try {
    const shown = await explainErrors("make", () => openShown(dirs, stack));
    return createCloneView(dirs, shown, close);
  } catch (error) {
    close();
    throw error;
  }
}

function createCloneView(dirs: CloneDirs, opened: ShownStack, close: () => void): SessionView {
  let shown = opened;
  let mountNamespace: Promise<MountNamespace> | null = null;
  /** Recreates the copy if an earlier change of it did not complete; false then. */
  const ensureComplete = async (stack = shown.stack): Promise<boolean> => {
    if (!isInProgress(dirs.dir, "showing")) return true;
    shown = await buildCopy(dirs, stack);
    return false;
  };
  return {
    root: { ...dirs.merged, given: dirs.project.path },
    show: (stack) =>
      explainErrors("show", async () => {
        if (!(await ensureComplete(stack))) return;
        if (isInProgress(dirs.dir, "capturing")) shown = await captureChanges(dirs, shown);
        shown = await showStack(dirs, shown, stack);
      }),
    capture: () =>
      explainErrors("keep the changes of", async () => {
        if (await ensureComplete()) shown = await captureChanges(dirs, shown);
      }),
    had(at) {
      const find = (entry: TreeEntry | undefined, name: string) => entry?.below?.get(name);
      const roots: (TreeEntry | undefined)[] = [shown.project, shown.disclosed.root];
      return roots.some((root) => at.split("/").reduce(find, root) !== undefined);
    },
    forget: () => markStarted(dirs.dir, "showing"),
    refresh: () =>
      explainErrors("refresh", async () => {
        const before = shown;
        refuseMoved(dirs.project);
        if (await ensureComplete()) shown = await refreshCopy(dirs, shown);
        return shown !== before;
      }),
    onUse() {},
    isStale: () => false,
    // The copy has no hidden secrets. The refresh at the beginning of the call removed files that became secrets since.
    mustHide() {},
    hidesAll: async () => true,
    async hideSecrets() {},
    hidden: dirs.disclosures.hidden,
    openNamespace(options) {
      mountNamespace ??= openPreparedNamespace(null, { ...options, view: dirs.merged.path });
      return mountNamespace;
    },
    close() {
      mountNamespace?.then(
        (opened) => opened.close(),
        () => {},
      );
      close();
    },
  };
}

/** The open directory may have been moved, or removed and thus be empty. */
function refuseMoved({ fd, path: real }: Root): void {
  const there = openRealRoot(real);
  const [now, then] = [fs.fstatSync(there.fd), fs.fstatSync(fd)];
  fs.closeSync(there.fd);
  if (now.ino !== then.ino || now.dev !== then.dev) throw rootMovedError(real);
}

function explainErrors<T>(action: string, work: () => Promise<T>): Promise<T> {
  return explainAsyncErrors(`${action} the session's copy of the project at`, ".", work);
}

async function openShown(dirs: CloneDirs, stack: Stack): Promise<ShownStack> {
  const { dir, stateDir } = dirs;
  const found = readWorkingCopy(dir);
  const project = readProjectTree(dir);
  if (found === null || project === null || isInProgress(dir, "showing")) return buildCopy(dirs, stack);
  const isInterrupted = isInProgress(dir, "capturing");
  // Layers without changes may have been added or removed without an update of the stored stack. A capture belongs to the session's recorded stack.
  const existing = found.stack.filter((layer) => fs.existsSync(layerDir(stateDir, layer)));
  const before = isInterrupted ? stack : existing;
  const layers = await readCloneLayers(dirs, before);
  const disclosed = await readTree(path.join(dir, "mask"));
  const shown = { stack: before, layers, disclosed, project, copy: found.tree };
  if (!isInterrupted) return showStack(dirs, shown, stack);
  // On a full disk, the next operation that needs the changes captures them.
  return fallBackIfFull(
    () => captureChanges(dirs, shown),
    () => shown,
  );
}
