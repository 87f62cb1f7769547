// The merged view of a stack of layers over the project, mounted anew whenever the stack changes or the
// project changed underneath: a mount may go on serving names that it has looked up before.
import fs from "node:fs";
import path from "node:path";
import { osErrorCode } from "../../core/errors.ts";
import { childPath, fdPath, openRoot, type Root } from "../paths.ts";
import type { Stack } from "../session/record.ts";
import { mountOverlay, type OverlayMount } from "./mount.ts";

export interface OverlayView {
  /** Its descriptor is always that of the present mount. */
  readonly root: Root;
  /** The project, as it is. */
  readonly project: Root;
  /** Mounts this stack; the last layer takes the changes. */
  show(stack: Stack): Promise<void>;
  /** Looks whether directories on the way to a path changed in the project since the mount. */
  notice(at: string): void;
  /** True when something was noticed: what was read may be old. */
  isStale(): boolean;
  close(): void;
}

/** Time stamps of files come from a clock that stands still for up to this long. */
const CLOCK_STEP_MS = 10;

export function createOverlayView(dir: string, workspace: string): OverlayView {
  const project = openRoot(workspace);
  let mount: OverlayMount | null = null;
  let mountedAt = 0;
  let stale = false;

  const root: Root = {
    get fd() {
      return mount!.fd;
    },
    path: path.join(dir, "merged"),
    given: project.path,
  };
  const changedAt = (below: string): number | null => {
    try {
      return fs.statSync(below === "" ? fdPath(project.fd) : childPath(project.fd, below)).ctimeMs;
    } catch (error) {
      if (osErrorCode(error) === undefined) throw error;
      return null;
    }
  };
  return {
    root,
    project,
    async show(stack) {
      const began = Date.now();
      const next = await mountStack(dir, stack);
      mount?.close();
      mount = next;
      mountedAt = began;
      stale = false;
    },
    notice(at) {
      for (const directory of ancestorsOf(at)) {
        const changed = changedAt(directory);
        if (changed === null) return;
        if (changed >= mountedAt - CLOCK_STEP_MS) stale = true;
      }
    },
    isStale: () => stale,
    close() {
      mount?.close();
      fs.closeSync(project.fd);
    },
  };
}

async function mountStack(dir: string, stack: Stack): Promise<OverlayMount> {
  const names = shortNames(dir, stack);
  const upper = names.pop()!;
  const work = `w${upper}`;
  fs.mkdirSync(path.join(dir, upper), { recursive: true, mode: 0o700 });
  fs.mkdirSync(path.join(dir, work), { recursive: true, mode: 0o700 });
  likeProject(dir, upper);
  const lowers = [...names.reverse(), "lower"];
  return mountOverlay({ dir, lowers, upper: { name: upper, work }, merged: "merged" });
}

/** The view's root has the owner and mode of its topmost layer: they must be the project's. */
function likeProject(dir: string, upper: string): void {
  const { uid, gid, mode } = fs.statSync(path.join(dir, "lower"));
  if (process.getuid?.() === 0) fs.chownSync(path.join(dir, upper), uid, gid);
  fs.chmodSync(path.join(dir, upper), mode & 0o777);
}

/** Layers by names that are short, for all must fit into one page: `3`, or `b/3` where `b` is a link to the parent. */
function shortNames(dir: string, stack: Stack): string[] {
  const own = path.basename(dir);
  const others = [...new Set(stack.map(({ session }) => session))].filter((session) => session !== own);
  for (const [index, session] of others.entries()) link(`../${session}`, path.join(dir, linkName(index)));
  return stack.map(({ session, name }) =>
    session === own ? name : `${linkName(others.indexOf(session))}/${name}`,
  );
}

const linkName = (index: number): string => `p${index.toString(36)}`;

function link(target: string, at: string): void {
  if (fs.lstatSync(at, { throwIfNoEntry: false }) !== undefined) {
    if (fs.readlinkSync(at) === target) return;
    fs.unlinkSync(at);
  }
  fs.symlinkSync(target, at);
}

/** The directories that hold a path, as it is written; links in it are followed by whoever looks. */
function* ancestorsOf(at: string): Generator<string> {
  yield "";
  const names = path.posix.normalize(at).split("/");
  if (names[0] === "" || names[0] === "..") return;
  for (let end = 1; end < names.length; end++) yield names.slice(0, end).join("/");
}
