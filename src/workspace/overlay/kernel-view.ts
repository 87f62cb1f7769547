// The kernel strategy's view: overlayfs, mounted anew whenever the stack changes or the project changed
// underneath, for a mount may go on serving names that it has looked up before.
import fs from "node:fs";
import path from "node:path";
import { osErrorCode } from "../../core/errors.ts";
import type { Protection } from "../../policy/protected.ts";
import { fileClock } from "../file-clock.ts";
import { childPath, fdPath, openRoot, type Root } from "../paths.ts";
import { type Layer, type SessionRecord, type Stack, sessionDir } from "../session/record.ts";
import type { SessionView, Sides, Span } from "../session/session-view.ts";
import { maskSecrets } from "./mask.ts";
import { mountOverlay, type OverlayMount } from "./mount.ts";

export const MERGED = "merged";

export async function openKernelView(
  dir: string,
  { workspace, stack }: Pick<SessionRecord, "workspace" | "stack">,
  protectionOf: (path: string) => Protection | null,
): Promise<SessionView> {
  const project = openRoot(workspace);
  let mount: OverlayMount | null = null;
  let mountedAt = 0;
  let shown = stack;
  let stale = false;
  const looked = new Set<string>();

  const show = async (next: Stack): Promise<void> => {
    const began = fileClock(dir);
    const mounted = await mountStack(dir, next);
    mount?.close();
    mount = mounted;
    mountedAt = began;
    shown = next;
    stale = false;
    looked.clear();
  };
  const close = (): void => {
    mount?.close();
    fs.closeSync(project.fd);
  };
  try {
    await show(stack);
  } catch (error) {
    close();
    throw error;
  }
  return {
    root: {
      get fd() {
        return mount!.fd;
      },
      path: path.join(dir, MERGED),
      given: project.path,
    },
    show,
    async capture() {},
    async refresh() {
      looked.clear();
      if (!stale) return false;
      await show(shown);
      return true;
    },
    notice(at) {
      for (const directory of ancestorsOf(at, project.path)) {
        if (looked.has(directory)) continue;
        looked.add(directory);
        const changed = changeTime(project, directory);
        if (changed === null) return;
        if (changed >= mountedAt) stale = true;
      }
    },
    isStale: () => stale,
    async hideSecrets() {
      if (await maskSecrets(dir, project, protectionOf)) await show(shown);
    },
    close,
  };
}

export async function openKernelSides(record: SessionRecord, stateDir: string, span: Span): Promise<Sides> {
  const dir = sessionDir(stateDir, record.id);
  const before = await openState(dir, record, span.below);
  try {
    const after = await openState(dir, record, span.upTo);
    const close = () => {
      before.close();
      after.close();
    };
    return { before: before.root, after: after.root, close };
  } catch (error) {
    before.close();
    throw error;
  }
}

interface State {
  readonly root: Root;
  close(): void;
}

/** The session as it is with so many layers; null is the project itself. */
async function openState(
  dir: string,
  { workspace, stack }: SessionRecord,
  layers: number | null,
): Promise<State> {
  if (layers === null) {
    const root = openRoot(workspace);
    return { root, close: () => fs.closeSync(root.fd) };
  }
  const lowers = lowersOf(dir, stack.slice(0, layers));
  const mount = await mountOverlay({ dir, lowers, upper: null, merged: MERGED });
  return { root: { fd: mount.fd, path: path.join(dir, MERGED), given: workspace }, close: mount.close };
}

async function mountStack(dir: string, stack: Stack): Promise<OverlayMount> {
  const upper = stack.at(-1)!.name;
  const work = `w${upper}`;
  fs.mkdirSync(path.join(dir, upper), { recursive: true, mode: 0o700 });
  fs.mkdirSync(path.join(dir, work), { recursive: true, mode: 0o700 });
  likeProject(dir, upper);
  const lowers = lowersOf(dir, stack.slice(0, -1));
  return mountOverlay({ dir, lowers, upper: { name: upper, work }, merged: MERGED });
}

/** The view's root has the owner and mode of its topmost layer: they must be the project's. */
function likeProject(dir: string, upper: string): void {
  const { uid, gid, mode } = fs.statSync(path.join(dir, "lower"));
  if (process.getuid?.() === 0) fs.chownSync(path.join(dir, upper), uid, gid);
  fs.chmodSync(path.join(dir, upper), mode & 0o777);
}

/** Topmost first: the layers, what hides the project's secrets, the project. Never the project alone, which the kernel does not take for an overlay. */
function lowersOf(dir: string, stack: Stack): string[] {
  return [...layerNames(dir, stack), "mask", "lower"];
}

/** Topmost first. What stands for several layers at once are two directories. */
export function layerNames(dir: string, stack: Stack): string[] {
  const collapsed = stack.findLastIndex((layer) => layer.collapsed !== undefined);
  const names = stack
    .slice(Math.max(collapsed, 0))
    .map((layer) => shortName(dir, layer))
    .reverse();
  if (collapsed < 0) return names;
  const both = names.pop()!;
  return [...names, `${both}/united`, `${both}/ends`];
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

/** Null when it is not there, or can't be reached. */
function changeTime(project: Root, directory: string): number | null {
  try {
    return fs.statSync(directory === "" ? fdPath(project.fd) : childPath(project.fd, directory)).ctimeMs;
  } catch (error) {
    if (osErrorCode(error) === undefined) throw error;
    return null;
  }
}

/** The directories that hold a path, as it is written; links in it are followed by whoever looks. */
function* ancestorsOf(at: string, project: string): Generator<string> {
  yield "";
  const normal = path.posix.normalize(at);
  const names = (normal.startsWith(`${project}/`) ? normal.slice(project.length + 1) : normal).split("/");
  if (names[0] === "" || names[0] === "..") return;
  for (let end = 1; end < names.length; end++) yield names.slice(0, end).join("/");
}
