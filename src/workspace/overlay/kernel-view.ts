// The kernel strategy's view: overlayfs, mounted anew whenever the stack changes or the project changed
// underneath, for a mount may go on serving names that it has looked up before.
import fs from "node:fs";
import path from "node:path";
import { osErrorCode } from "../../core/errors.ts";
import type { Protection } from "../../policy/protected.ts";
import type { DirectoryLook } from "../files/view.ts";
import { fileClock } from "../fs/file-clock.ts";
import { leadsElsewhere, openRealRoot, openRoot, type Root } from "../fs/paths.ts";
import { collapsedIn } from "../layers/compact.ts";
import type { Layer, SessionRecord, Stack } from "../layers/record.ts";
import { keepReadable } from "./keep-readable.ts";
import { createMask } from "./mask.ts";
import { furnishMount, mountOverlay, type OverlayMount } from "./mount.ts";
import type { Furnishing, Room } from "./mount-namespace.ts";
import type { SessionView } from "./session-view.ts";
import { createProjectLooks } from "./staleness.ts";

const MERGED = "merged";

export async function openKernelView(
  dir: string,
  { workspace, stack }: Pick<SessionRecord, "workspace" | "stack">,
  protectionOf: (path: string) => Protection | null,
): Promise<SessionView> {
  const project = openRealRoot(workspace);
  const mounts = createMounts(dir, workspace);
  let mountedAt = 0;
  let shown = stack;
  let stale = false;
  /** What the topmost layer had when it was mounted is shown in two places where a user has moved the file that it was made from. */
  let isOnChanges = false;
  /** Nothing has come into the project since, or gone from it. */
  let isCurrent = false;
  const looks = createProjectLooks(project, (changedMs) => {
    if (changedMs >= mountedAt) stale = true;
  });
  const mask = createMask(dir, project, protectionOf);
  const remount = async (next: Stack): Promise<void> => {
    const began = fileClock(dir);
    await mounts.replace(next);
    mountedAt = began;
    shown = next;
    stale = false;
    isOnChanges = fs.readdirSync(path.join(dir, next.at(-1)!.name)).length > 0;
    isCurrent = true;
    looks.forget();
  };
  const fitMask = async (): Promise<void> => {
    if (!(await mask.fit())) isCurrent = false;
  };
  const show = async (next: Stack): Promise<void> => {
    await fitMask();
    if (isCurrent && !stale && haveSameLayers(next, shown)) return;
    await remount(next);
  };
  const close = (): void => {
    mounts.close();
    fs.closeSync(project.fd);
  };
  try {
    await show(stack);
  } catch (error) {
    close();
    throw error;
  }
  return {
    root: mounts.rootFor(project.path, looks.at),
    show,
    capture: async () => openedTo(path.join(dir, shown.at(-1)!.name), mounts.fd()),
    had: () => null,
    // It is in the layer in any case.
    forget() {},
    async refresh() {
      looks.forget();
      if (!stale) return false;
      await show(shown);
      return true;
    },
    notice(at, entered) {
      if (entered === undefined || !isAsMounted(entered, mountedAt)) looks.at(at);
    },
    isStale: () => stale || isOnChanges,
    room: mounts.room,
    mustHide: mask.hide,
    hidesAll: mask.hidesAll,
    async hideSecrets() {
      mask.hide();
      await fitMask();
      if (stale || !isCurrent) await remount(shown);
    },
    close,
  };
}

/** The mount that is there now. There are never two at a time for long: however fast views follow each other, they don't pile up. */
function createMounts(dir: string, workspace: string) {
  const merged = path.join(dir, MERGED);
  let mount: OverlayMount | null = null;
  let isFurnished = false;
  let leaving: Promise<void> | undefined;
  return {
    async replace(stack: Stack): Promise<void> {
      const mounted = await mountStack(dir, workspace, stack, isFurnished ? mount!.room : null);
      await leaving;
      leaving = mount?.leave();
      mount = mounted;
    },
    fd: () => mount!.fd,
    rootFor: (given: string, onFollowed: NonNullable<Root["onFollowed"]>): Root => ({
      get fd() {
        return mount!.fd;
      },
      path: merged,
      given,
      get followsNoLinks() {
        return mount!.followsNoLinks;
      },
      onFollowed,
    }),
    async room(furnishing: Omit<Furnishing, "view">): Promise<Room> {
      if (!isFurnished) mount = await furnishMount(mount!, { ...furnishing, view: merged });
      isFurnished = true;
      return mount!.room;
    },
    close: () => mount?.close(),
  };
}

/** What a layer has is made readable to its owner, in the view that has the layer on top. */
function openedTo(layer: string, view: number): void {
  const live = openRoot(layer);
  try {
    keepReadable(live.fd, view);
  } finally {
    fs.closeSync(live.fd);
  }
}

async function mountStack(
  dir: string,
  workspace: string,
  stack: Stack,
  within: Room | null,
): Promise<OverlayMount> {
  const upper = stack.at(-1)!.name;
  const work = `w${upper}`;
  fs.mkdirSync(path.join(dir, upper), { recursive: true, mode: 0o700 });
  fs.mkdirSync(path.join(dir, work), { recursive: true, mode: 0o700 });
  likeProject(workspace, path.join(dir, upper));
  const lowers = lowersOf(dir, stack.slice(0, -1));
  const mount = await mountOverlay({ dir, lowers, upper: { name: upper, work }, merged: MERGED }, within);
  // The path of the project may have come to lead elsewhere since the session was made.
  if (mount.lowest === workspace) return mount;
  mount.close();
  throw leadsElsewhere(workspace);
}

function haveSameLayers(a: Stack, b: Stack): boolean {
  const isSame = (one: Layer, other: Layer) =>
    one.session === other.session && one.name === other.name && one.collapsed === other.collapsed;
  return a.length === b.length && a.every((layer, at) => isSame(layer, b[at]!));
}

/** The view's root has the owner and mode of its topmost layer: they must be the project's. */
function likeProject(workspace: string, upper: string): void {
  const { fd } = openRealRoot(workspace);
  const { uid, gid, mode } = fs.fstatSync(fd);
  fs.closeSync(fd);
  if (process.getuid?.() === 0) fs.chownSync(upper, uid, gid);
  fs.chmodSync(upper, mode & 0o777);
}

/** Topmost first: the layers, what hides the project's secrets, the project. Never the project alone, which the kernel does not take for an overlay. */
function lowersOf(dir: string, stack: Stack): string[] {
  const shown = stack.slice(Math.max(collapsedIn(stack), 0)).reverse();
  return [...shown.map((layer) => shortName(dir, layer)), "mask", "lower"];
}

/** All names must fit into one page: a layer of another session is `p-ID/3`, by a link to where that session is. */
function shortName(dir: string, { session, name, collapsed }: Layer): string {
  const local = collapsed ?? name;
  if (session === path.basename(dir)) return local;
  const link = `p${session.slice(-8)}`;
  linkTo(`../${session}`, path.join(dir, link));
  return `${link}/${local}`;
}

function linkTo(target: string, at: string): void {
  try {
    fs.symlinkSync(target, at);
  } catch (error) {
    if (osErrorCode(error) !== "EEXIST" || fs.readlinkSync(at) !== target) throw error;
  }
}

/**
 * Whether a directory of the view tells that the project's has not changed. One that several layers make up has the
 * topmost's attributes, and a link count of 1, which overlayfs says of all these; any other is the project's alone, or
 * has nothing of it.
 */
function isAsMounted({ nlink, ctimeMs }: DirectoryLook, mountedAt: number): boolean {
  return nlink > 1 && ctimeMs < mountedAt;
}
