// The view of the kernel strategy: overlayfs. It is remounted whenever the stack or the project changes, because
// a mount may keep serving names that it has cached.
import fs from "node:fs";
import path from "node:path";
import { osErrorCode } from "../../core/errors.ts";
import type { Protection } from "../../policy/protected.ts";
import type { DirectoryStamp } from "../files/view.ts";
import { fileClock } from "../fs/file-clock.ts";
import { openRealRoot, openRoot, type Root, rootMovedError } from "../fs/paths.ts";
import { findCompacted } from "../layers/compact.ts";
import type { Layer, SessionRecord, Stack } from "../layers/record.ts";
import { makeRepositoryLayer } from "../layers/repository-layer.ts";
import { keepReadable } from "./keep-readable.ts";
import { createMask } from "./mask.ts";
import { mountOverlay, type OverlayMount, type PreparedNamespace, prepareMount } from "./mount.ts";
import type { MountNamespace, MountPointOptions } from "./mount-namespace.ts";
import type { SessionView } from "./session-view.ts";
import { createStalenessCheck } from "./staleness.ts";

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
  /** The upper layer was non-empty at mount time: if a user moves an original, overlayfs shows the session's copy at both paths. */
  let isOnChanges = false;
  /** No name has appeared in the project or vanished from it since the mount. */
  let isCurrent = false;
  const staleness = createStalenessCheck(project, (changedMs) => {
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
    staleness.forget();
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
    root: mounts.rootFor(project.path, staleness.at),
    show,
    capture: () => makeLayerReadable(path.join(dir, shown.at(-1)!.name), mounts.fd()),
    had: () => null,
    // The changes are in the layer already.
    forget() {},
    async refresh() {
      staleness.forget();
      if (!stale) return false;
      await show(shown);
      return true;
    },
    onUse(at, entered) {
      if (entered === undefined || !isUnchangedSince(entered, mountedAt)) staleness.at(at);
    },
    isStale: () => stale || isOnChanges,
    openNamespace: mounts.openNamespace,
    mustHide: mask.hide,
    hidesAll: mask.hidesAll,
    hidden: mask.hidden,
    async hideSecrets() {
      mask.hide();
      await fitMask();
      if (stale || !isCurrent) await remount(shown);
    },
    close,
  };
}

/** The current mount. `replace` waits for the previous unmount, so quick successions of views do not accumulate mounts. */
function createMounts(dir: string, workspace: string) {
  const merged = path.join(dir, MERGED);
  let mount: OverlayMount | null = null;
  /** Null until commands use the mount namespace. */
  let prepared: Pick<MountPointOptions, "repository"> | null = null;
  let unmounting: Promise<void> | undefined;
  return {
    async replace(stack: Stack): Promise<void> {
      const within = prepared && { ...prepared, mountNamespace: mount!.mountNamespace };
      const mounted = await mountStack(dir, workspace, stack, within);
      await unmounting;
      unmounting = mount?.closeInBackground();
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
    async openNamespace(options: Omit<MountPointOptions, "view">): Promise<MountNamespace> {
      if (prepared === null) {
        const { repository } = options;
        if (repository !== null) makeRepositoryLayer(repository);
        mount = await prepareMount(mount!, { ...options, view: merged });
        prepared = { repository };
      }
      return mount!.mountNamespace;
    },
    close: () => mount?.close(),
  };
}

/** Makes the entries of a layer readable to their owner, through the view that has the layer on top. */
async function makeLayerReadable(layer: string, view: number): Promise<void> {
  const live = openRoot(layer);
  try {
    await keepReadable(live.fd, view);
  } finally {
    fs.closeSync(live.fd);
  }
}

async function mountStack(
  dir: string,
  workspace: string,
  stack: Stack,
  within: PreparedNamespace | null,
): Promise<OverlayMount> {
  const upper = stack.at(-1)!.name;
  const work = `w${upper}`;
  fs.mkdirSync(path.join(dir, upper), { recursive: true, mode: 0o700 });
  fs.mkdirSync(path.join(dir, work), { recursive: true, mode: 0o700 });
  copyRootAttributes(workspace, path.join(dir, upper));
  const lowers = lowersOf(dir, stack.slice(0, -1));
  const mount = await mountOverlay({ dir, lowers, upper: { name: upper, work }, merged: MERGED }, within);
  // The project's path may lead to another directory since the session was created.
  if (mount.lowest === workspace) return mount;
  mount.close();
  throw rootMovedError(workspace);
}

function haveSameLayers(a: Stack, b: Stack): boolean {
  const isSame = (one: Layer, other: Layer) =>
    one.session === other.session && one.name === other.name && one.collapsed === other.collapsed;
  return a.length === b.length && a.every((layer, at) => isSame(layer, b[at]!));
}

/** overlayfs takes the owner and mode of the view's root from the upper layer, so they must equal the project's. */
function copyRootAttributes(workspace: string, upper: string): void {
  const { fd } = openRealRoot(workspace);
  const { uid, gid, mode } = fs.fstatSync(fd);
  fs.closeSync(fd);
  if (process.getuid?.() === 0) fs.chownSync(upper, uid, gid);
  fs.chmodSync(upper, mode & 0o777);
}

/** Topmost first: the layers, the mask, the project. The mask is always there, because the kernel accepts no overlay with the project alone. */
function lowersOf(dir: string, stack: Stack): string[] {
  const shown = stack.slice(Math.max(findCompacted(stack), 0)).reverse();
  return [...shown.map((layer) => shortName(dir, layer)), "mask", "lower"];
}

/** All names must fit into one page. A layer of another session is `pID/3`, through a link to that session's directory. */
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
 * Whether a directory's stat in the view proves that the project's directory is unchanged. A merged directory has the
 * attributes of its topmost layer, and overlayfs reports a link count of 1 for it. Any other directory comes from the
 * project alone, or has nothing from the project.
 */
function isUnchangedSince({ nlink, ctimeMs }: DirectoryStamp, mountedAt: number): boolean {
  return nlink > 1 && ctimeMs < mountedAt;
}
