// The kernel strategy: overlayfs in its own mount namespace.
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { HELPER_OPTIONS } from "../fs/helper-environment.ts";
import { readMountinfo } from "../fs/mountinfo.ts";
import { O_PATH } from "../fs/paths.ts";
import type { RepositoryOverlay } from "../layers/repository-layer.ts";
import {
  MOUNT_POINTS,
  type MountNamespace,
  type MountPointOptions,
  openMountNamespace,
  openPreparedNamespace,
  REPORT_AND_WAIT,
  unshareArgs,
} from "./mount-namespace.ts";
import { overlayOptions, type UpperLayer } from "./overlay-options.ts";
import { MOUNT_REPOSITORY, repositoryArgs, UNMOUNT_REPOSITORY } from "./repository-mount.ts";

export interface OverlayLayers {
  /** All names below are relative to this directory, because mount options must fit into one page. */
  readonly dir: string;
  /** Topmost first. */
  readonly lowers: readonly string[];
  /** Null for a read-only view. */
  readonly upper: UpperLayer | null;
  readonly merged: string;
}

export interface OverlayMount {
  /** The merged view. Code that canonicalises paths below it fails instead of reaching the project. */
  readonly fd: number;
  /** The real path of the lowest layer. */
  readonly lowest: string;
  /** The kernel follows no link and opens no device in the view. Older kernels cannot enforce this. */
  readonly followsNoLinks: boolean;
  readonly mountNamespace: MountNamespace;
  close(): void;
  /** Like `close`, but another thread closes the namespace. */
  closeInBackground(): Promise<void>;
}

// The script opens the lowest layer first and mounts it by that descriptor, so the descriptor's path is the mounted one.
const LOWEST = 4;
const MOUNT = `cd "$1" && exec ${LOWEST}<"$2" && {
  mount -t overlay hotcell -o "$3,nodev,nosymfollow" "$4" 2>/dev/null || mount -t overlay hotcell -o "$3,nodev" "$4"
}`;
const REMOUNT = `cd "$1" && umount --lazy "$4" ${MOUNT_POINTS.view} && ${MOUNT} && mount --bind "$4" ${MOUNT_POINTS.view} &&
${UNMOUNT_REPOSITORY} && ${MOUNT_REPOSITORY}`;

/** A mount namespace that commands use. */
export interface PreparedNamespace {
  readonly mountNamespace: MountNamespace;
  readonly repository: RepositoryOverlay | null;
}

/** Within a prepared mount namespace, the new view replaces the old one, and the repository is mounted again. */
export async function mountOverlay(
  layers: OverlayLayers,
  prepared: PreparedNamespace | null = null,
): Promise<OverlayMount> {
  const { dir, lowers, merged } = layers;
  const args = [dir, lowers.at(-1)!, mountOptions(layers), merged];
  const script = `${prepared === null ? MOUNT : REMOUNT} && ${REPORT_AND_WAIT}`;
  return openMountNamespace(
    { argv: ["sh", "-c", script, "sh", ...args, ...repositoryArgs(prepared?.repository ?? null)] },
    prepared?.mountNamespace ?? null,
    (mountNamespace, pid) => holdMount(mountNamespace, pid, path.join(dir, merged)),
  );
}

function mountOptions({ lowers, upper }: OverlayLayers): string {
  return overlayOptions([...lowers.slice(0, -1), `/proc/self/fd/${LOWEST}`], upper);
}

function holdMount(mountNamespace: MountNamespace, pid: number, merged: string): OverlayMount {
  const fd = fs.openSync(`/proc/${pid}/root${merged}`, O_PATH | fs.constants.O_DIRECTORY);
  const lowest = fs.readlinkSync(`/proc/${pid}/fd/${LOWEST}`);
  return mountIn(mountNamespace, { fd, lowest, followsNoLinks: hasFlags(pid, fd) });
}

function mountIn(
  mountNamespace: MountNamespace,
  view: Omit<OverlayMount, "mountNamespace" | "close" | "closeInBackground">,
): OverlayMount {
  const close = () => {
    fs.closeSync(view.fd);
    mountNamespace.close();
  };
  const closeInBackground = () => {
    fs.closeSync(view.fd);
    return mountNamespace.closeInBackground();
  };
  return { ...view, mountNamespace, close, closeInBackground };
}

/** The same view in a mount namespace that also has a home and temporary directories for commands. */
export async function prepareMount(mount: OverlayMount, options: MountPointOptions): Promise<OverlayMount> {
  const mountNamespace = await openPreparedNamespace(mount.mountNamespace, options);
  mount.mountNamespace.close();
  return mountIn(mountNamespace, mount);
}

/** A kernel before 5.10 silently ignores `nosymfollow`, so this checks the flags of the mount. */
function hasFlags(pid: number, fd: number): boolean {
  const id = /^mnt_id:\s*(\d+)$/m.exec(fs.readFileSync(`/proc/self/fdinfo/${fd}`, "latin1"))![1];
  const flags = readMountinfo(pid).find((mount) => mount.id === id)?.flags ?? [];
  return flags.includes("nosymfollow") && flags.includes("nodev");
}

const PROBE =
  'cd "$1" && mount -t tmpfs hotcell merged && mkdir merged/u merged/w merged/m && mount -t overlay hotcell -o "lowerdir=lower,upperdir=merged/u,workdir=merged/w$2" merged/m';

/** Whether an overlay over the project works with its upper layer in memory. If so, the state directory is the obstacle. */
export async function canMountElsewhere(dir: string): Promise<boolean> {
  const isRoot = process.getuid?.() === 0;
  const line = [...unshareArgs(null), "sh", "-c", PROBE, "sh", dir, isRoot ? "" : ",userxattr"];
  const probe = spawn(line[0]!, line.slice(1), { ...HELPER_OPTIONS, stdio: "ignore" });
  return new Promise((resolve) => {
    probe.on("error", () => resolve(false));
    probe.on("close", (code) => resolve(code === 0));
  });
}
