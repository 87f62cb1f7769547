// The clone strategy's view: a working copy of the project, for machines where the kernel's overlay can't be
// mounted. What was changed in it is found by looking, and kept in layers of the same form as the kernel's.
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
    const shown = await explained("make", () => openShown(place, stack));
    return viewOn(place, shown, close);
  } catch (error) {
    close();
    throw error;
  }
}

function viewOn(place: ClonePlace, opened: Shown, close: () => void): SessionView {
  let shown = opened;
  let room: Promise<Room> | null = null;
  /** When an earlier change failed half-way, the copy is made anew. */
  const whole = async (stack = shown.stack): Promise<boolean> => {
    if (!isUnderWay(place.dir, "showing")) return true;
    shown = await buildCopy(place, stack);
    return false;
  };
  return {
    root: { ...place.merged, given: place.project.path },
    show: (stack) =>
      explained("show", async () => {
        if (!(await whole(stack))) return;
        if (isUnderWay(place.dir, "capturing")) shown = await captureChanges(place, shown);
        shown = await showStack(place, shown, stack);
      }),
    capture: () =>
      explained("keep the changes of", async () => {
        if (await whole()) shown = await captureChanges(place, shown);
      }),
    had(at) {
      const find = (entry: SeenEntry | undefined, name: string) => entry?.below?.get(name);
      return at.split("/").reduce(find, shown.project) !== undefined;
    },
    forget: () => begin(place.dir, "showing"),
    refresh: () =>
      explained("refresh", async () => {
        const before = shown;
        refuseMoved(place.project);
        if (await whole()) shown = await refreshCopy(place, shown);
        return shown !== before;
      }),
    notice() {},
    isStale: () => false,
    // They were not copied; and what has become one since was taken away by the refresh at the beginning of the call.
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

/** What is open may be somewhere else by now, or gone: then nothing would be in it. */
function refuseMoved({ fd, path: real }: Root): void {
  const there = openRealRoot(real);
  const [now, then] = [fs.fstatSync(there.fd), fs.fstatSync(fd)];
  fs.closeSync(there.fd);
  if (now.ino !== then.ino || now.dev !== then.dev) throw leadsElsewhere(real);
}

function explained<T>(action: string, work: () => Promise<T>): Promise<T> {
  return explainingLater(`${action} the session's copy of the project at`, ".", work);
}

async function openShown(place: ClonePlace, stack: Stack): Promise<Shown> {
  const { dir, stateDir } = place;
  const found = readWorkingCopy(dir);
  const project = readProjectTree(dir);
  if (found === null || project === null || isUnderWay(dir, "showing")) return buildCopy(place, stack);
  const isInterrupted = isUnderWay(dir, "capturing");
  // Layers that changed nothing may have come or gone without a note. A capture is of the stack on record.
  const noted = found.stack.filter((layer) => fs.existsSync(layerDir(stateDir, layer)));
  const before = isInterrupted ? stack : noted;
  const shown = { stack: before, layers: await readCloneLayers(place, before), project, copy: found.tree };
  if (!isInterrupted) return showStack(place, shown, stack);
  // On a full disk the next one that needs the changes tries again.
  return unlessFull(
    () => captureChanges(place, shown),
    () => shown,
  );
}
