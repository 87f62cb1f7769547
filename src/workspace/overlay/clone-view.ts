// The view of the clone strategy: a working copy of the project, for machines that cannot mount overlayfs. hotcell
// finds changes of the copy by scanning it, and stores them in layers of the same format as overlayfs layers.
import fs from "node:fs";
import path from "node:path";
import { explainingLater } from "../fs/os-error.ts";
import { leadsElsewhere, openRealRoot, openRoot, type Root } from "../fs/paths.ts";
import { unlessFull } from "../layers/full-disk.ts";
import { layerDir } from "../layers/layer-dirs.ts";
import type { Stack } from "../layers/record.ts";
import type { SeenEntry } from "./clone-look.ts";
import { begin, isUnderWay, readProjectTree, readWorkingCopy } from "./clone-store.ts";
import {
  buildCopy,
  type ClonePlace,
  captureChanges,
  readCloneLayers,
  refreshCopy,
  type Shown,
  showStack,
} from "./clone-working-copy.ts";
import { furnishRoom, type Room } from "./mount-namespace.ts";
import type { SessionPlace, SessionView } from "./session-view.ts";

export interface CloneOptions extends SessionPlace {
  /** The session's directory. */
  readonly dir: string;
  readonly workspace: string;
  readonly stack: Stack;
}

export async function openCloneView({ workspace, stack, ...options }: CloneOptions): Promise<SessionView> {
  const project = openRealRoot(workspace);
  const merged = openRoot(path.join(options.dir, "merged"));
  const place: ClonePlace = { ...options, project, merged };
  const held = [project.fd, merged.fd];
  const close = () => {
    for (const fd of held.splice(0)) fs.closeSync(fd);
  };
  try {
    const shown = await explainErrors("make", () => openShown(place, stack));
    return createCloneView(place, shown, close);
  } catch (error) {
    close();
    throw error;
  }
}

function createCloneView(place: ClonePlace, opened: Shown, close: () => void): SessionView {
  let shown = opened;
  let room: Promise<Room> | null = null;
  /** Recreates the copy if an earlier change of it did not complete; false then. */
  const ensureComplete = async (stack = shown.stack): Promise<boolean> => {
    if (!isUnderWay(place.dir, "showing")) return true;
    shown = await buildCopy(place, stack);
    return false;
  };
  return {
    root: { ...place.merged, given: place.project.path },
    show: (stack) =>
      explainErrors("show", async () => {
        if (!(await ensureComplete(stack))) return;
        if (isUnderWay(place.dir, "capturing")) shown = await captureChanges(place, shown);
        shown = await showStack(place, shown, stack);
      }),
    capture: () =>
      explainErrors("keep the changes of", async () => {
        if (await ensureComplete()) shown = await captureChanges(place, shown);
      }),
    had(at) {
      const find = (entry: SeenEntry | undefined, name: string) => entry?.below?.get(name);
      return at.split("/").reduce(find, shown.project) !== undefined;
    },
    forget: () => begin(place.dir, "showing"),
    refresh: () =>
      explainErrors("refresh", async () => {
        const before = shown;
        refuseMoved(place.project);
        if (await ensureComplete()) shown = await refreshCopy(place, shown);
        return shown !== before;
      }),
    notice() {},
    isStale: () => false,
    // The copy has no secrets. The refresh at the beginning of the call removed files that became secrets since.
    mustHide() {},
    hidesAll: async () => true,
    async hideSecrets() {},
    room(furnishing) {
      room ??= furnishRoom(null, { ...furnishing, view: place.merged.path });
      return room;
    },
    close() {
      room?.then(
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
  if (now.ino !== then.ino || now.dev !== then.dev) throw leadsElsewhere(real);
}

function explainErrors<T>(action: string, work: () => Promise<T>): Promise<T> {
  return explainingLater(`${action} the session's copy of the project at`, ".", work);
}

async function openShown(place: ClonePlace, stack: Stack): Promise<Shown> {
  const { dir, stateDir } = place;
  const found = readWorkingCopy(dir);
  const project = readProjectTree(dir);
  if (found === null || project === null || isUnderWay(dir, "showing")) return buildCopy(place, stack);
  const isInterrupted = isUnderWay(dir, "capturing");
  // Layers without changes may have been added or removed without an update of the stored stack. A capture belongs to the session's recorded stack.
  const existing = found.stack.filter((layer) => fs.existsSync(layerDir(stateDir, layer)));
  const before = isInterrupted ? stack : existing;
  const shown = { stack: before, layers: await readCloneLayers(place, before), project, copy: found.tree };
  if (!isInterrupted) return showStack(place, shown, stack);
  // On a full disk, the next operation that needs the changes captures them.
  return unlessFull(
    () => captureChanges(place, shown),
    () => shown,
  );
}
