// The kernel strategy: overlayfs in a mount namespace of its own, held by descriptors. The helper that
// mounts is gone when this returns; nothing is left behind when this process is killed.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { HotcellError } from "../../core/errors.ts";
import { O_PATH } from "../paths.ts";

const { O_DIRECTORY, O_RDONLY } = fs.constants;

export interface OverlayLayers {
  /** The directory that all names below are relative to: mount options must fit into one page. */
  readonly dir: string;
  /** Topmost first; the last is the project. */
  readonly lowers: readonly string[];
  /** Null: the view can't be written. */
  readonly upper: { readonly name: string; readonly work: string } | null;
  readonly merged: string;
}

export interface OverlayMount {
  /** The merged view. Anything that canonicalises paths below it fails, instead of reaching the project. */
  readonly fd: number;
  readonly mountNamespace: number;
  /** Null as root: a user namespace could not write files of other owners. */
  readonly userNamespace: number | null;
  close(): void;
}

// The helper holds the namespace until it is killed: by then this process has its descriptors.
const SCRIPT = 'cd "$1" && mount -t overlay hotcell -o "$2" "$3" && echo mounted && read _';

export const ENVIRONMENT = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C" };

export async function mountOverlay(layers: OverlayLayers): Promise<OverlayMount> {
  const isRoot = process.getuid?.() === 0;
  const script = ["sh", "-c", SCRIPT, "sh", layers.dir, mountOptions(layers, isRoot), layers.merged];
  const helper = spawn("unshare", [...unshareArgs(isRoot), ...script], { env: ENVIRONMENT });
  try {
    await mounted(helper);
    return holdMount(helper.pid!, path.join(layers.dir, layers.merged), isRoot);
  } finally {
    helper.kill("SIGKILL");
  }
}

function unshareArgs(isRoot: boolean): string[] {
  return ["--mount", "--propagation", "private", ...(isRoot ? [] : ["--user", "--map-root-user"])];
}

function mounted(helper: ChildProcessWithoutNullStreams): Promise<void> {
  let said = "";
  helper.stderr.on("data", (chunk) => {
    said += chunk;
  });
  return new Promise((resolve, reject) => {
    helper.stdout.once("data", () => resolve());
    helper.on("error", (error) => reject(cannotMount(error.message)));
    helper.on("close", () => reject(cannotMount(said)));
  });
}

function cannotMount(reason: string): HotcellError {
  const said = reason
    .trim()
    .replace(/\.+$/, "")
    .replace(/\s*\n\s*/g, "; ");
  return new HotcellError("NOT_SUPPORTED", `Could not mount the session's view: ${said}.`);
}

/** Nothing that redirects or names other files is followed, whatever stands in a layer's attributes. */
function mountOptions({ lowers, upper }: OverlayLayers, isRoot: boolean): string {
  const writable = upper === null ? [] : [`upperdir=${upper.name}`, `workdir=${upper.work}`];
  const off = isRoot ? ["redirect_dir=nofollow", "metacopy=off", "index=off"] : ["userxattr"];
  return [`lowerdir=${lowers.join(":")}`, ...writable, ...off].join(",");
}

function holdMount(pid: number, merged: string, isRoot: boolean): OverlayMount {
  const held: number[] = [];
  const open = (file: string, flags: number): number => {
    const fd = fs.openSync(file, flags);
    held.push(fd);
    return fd;
  };
  const close = () => {
    for (const fd of held.splice(0)) fs.closeSync(fd);
  };
  try {
    const fd = open(`/proc/${pid}/root${merged}`, O_PATH | O_DIRECTORY);
    const mountNamespace = open(`/proc/${pid}/ns/mnt`, O_RDONLY);
    const userNamespace = isRoot ? null : open(`/proc/${pid}/ns/user`, O_RDONLY);
    return { fd, mountNamespace, userNamespace, close };
  } catch (error) {
    close();
    throw error;
  }
}

const PROBE =
  'cd "$1" && mount -t tmpfs hotcell merged && mkdir merged/u merged/w merged/m && mount -t overlay hotcell -o "lowerdir=lower,upperdir=merged/u,workdir=merged/w$2" merged/m';

/** Whether an overlay over the project works when its changes are kept in memory: then the state directory is what stands in the way. */
export async function canMountElsewhere(dir: string): Promise<boolean> {
  const isRoot = process.getuid?.() === 0;
  const args = [...unshareArgs(isRoot), "sh", "-c", PROBE, "sh", dir, isRoot ? "" : ",userxattr"];
  const probe = spawn("unshare", args, { env: ENVIRONMENT, stdio: "ignore" });
  return new Promise((resolve) => {
    probe.on("error", () => resolve(false));
    probe.on("close", (code) => resolve(code === 0));
  });
}
