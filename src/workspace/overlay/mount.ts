// The kernel strategy: overlayfs in a room of its own.
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { HELPER_ENVIRONMENT } from "../fs/helper-environment.ts";
import { O_PATH } from "../fs/paths.ts";
import {
  FURNITURE,
  type Furnishing,
  furnishRoom,
  openRoom,
  type Room,
  STAY,
  unshareArgs,
} from "./mount-namespace.ts";

export interface OverlayLayers {
  /** The directory that all names below are relative to: mount options must fit into one page. */
  readonly dir: string;
  /** Topmost first. */
  readonly lowers: readonly string[];
  /** Null: the view can't be written. */
  readonly upper: { readonly name: string; readonly work: string } | null;
  readonly merged: string;
}

export interface OverlayMount {
  /** The merged view. Anything that canonicalises paths below it fails, instead of reaching the project. */
  readonly fd: number;
  /** Where the lowest layer really is. */
  readonly lowest: string;
  /** The kernel follows no link in the view, and opens no device; older ones can't be told to. */
  readonly followsNoLinks: boolean;
  readonly room: Room;
  close(): void;
  /** The same by another thread, but for the descriptor. */
  leave(): Promise<void>;
}

// The lowest layer is opened first and mounted by that descriptor: what is found there afterwards is what was mounted.
const LOWEST = 4;
const MOUNT = `cd "$1" && exec ${LOWEST}<"$2" && {
  mount -t overlay hotcell -o "$3,nodev,nosymfollow" "$4" 2>/dev/null || mount -t overlay hotcell -o "$3,nodev" "$4"
}`;
const FURNISHED = `cd "$1" && umount --lazy "$4" ${FURNITURE.view} && ${MOUNT} && mount --bind "$4" ${FURNITURE.view}`;

/** Within a furnished room, the new view stands in place of the old one. */
export async function mountOverlay(layers: OverlayLayers, within: Room | null = null): Promise<OverlayMount> {
  const { dir, lowers, merged } = layers;
  const args = [dir, lowers.at(-1)!, mountOptions(layers, process.getuid?.() === 0), merged];
  const script = `${within === null ? MOUNT : FURNISHED} && ${STAY}`;
  return openRoom({ argv: ["sh", "-c", script, "sh", ...args] }, within, (room, pid) =>
    holdMount(room, pid, path.join(dir, merged)),
  );
}

/** Nothing that redirects or names other files is followed, whatever stands in a layer's attributes. */
function mountOptions({ lowers, upper }: OverlayLayers, isRoot: boolean): string {
  const writable = upper === null ? [] : [`upperdir=${upper.name}`, `workdir=${upper.work}`];
  const off = isRoot ? ["redirect_dir=nofollow", "metacopy=off", "index=off"] : ["userxattr"];
  const layers = [...lowers.slice(0, -1), `/proc/self/fd/${LOWEST}`];
  return [`lowerdir=${layers.join(":")}`, ...writable, ...off].join(",");
}

function holdMount(room: Room, pid: number, merged: string): OverlayMount {
  const fd = fs.openSync(`/proc/${pid}/root${merged}`, O_PATH | fs.constants.O_DIRECTORY);
  const lowest = fs.readlinkSync(`/proc/${pid}/fd/${LOWEST}`);
  return heldIn(room, { fd, lowest, followsNoLinks: hasFlags(pid, fd) });
}

function heldIn(room: Room, view: Omit<OverlayMount, "room" | "close" | "leave">): OverlayMount {
  const close = () => {
    fs.closeSync(view.fd);
    room.close();
  };
  const leave = () => {
    fs.closeSync(view.fd);
    return room.leave();
  };
  return { ...view, room, close, leave };
}

/** The same view, with a home and temporary directories beside it for whoever works on it from a room. */
export async function furnishMount(mount: OverlayMount, furnishing: Furnishing): Promise<OverlayMount> {
  const room = await furnishRoom(mount.room, furnishing);
  mount.room.close();
  return heldIn(room, mount);
}

/** A kernel before 5.10 takes `nosymfollow` without a word, so the mount itself is looked at. */
function hasFlags(pid: number, fd: number): boolean {
  const id = /^mnt_id:\s*(\d+)$/m.exec(fs.readFileSync(`/proc/self/fdinfo/${fd}`, "latin1"))![1];
  const mounts = fs.readFileSync(`/proc/${pid}/mountinfo`, "latin1").split("\n");
  const flags =
    mounts
      .find((line) => line.startsWith(`${id} `))
      ?.split(" ")[5]
      ?.split(",") ?? [];
  return flags.includes("nosymfollow") && flags.includes("nodev");
}

const PROBE =
  'cd "$1" && mount -t tmpfs hotcell merged && mkdir merged/u merged/w merged/m && mount -t overlay hotcell -o "lowerdir=lower,upperdir=merged/u,workdir=merged/w$2" merged/m';

/** Whether an overlay over the project works when its changes are kept in memory: then the state directory is what stands in the way. */
export async function canMountElsewhere(dir: string): Promise<boolean> {
  const isRoot = process.getuid?.() === 0;
  const line = [...unshareArgs(null), "sh", "-c", PROBE, "sh", dir, isRoot ? "" : ",userxattr"];
  const probe = spawn(line[0]!, line.slice(1), { env: HELPER_ENVIRONMENT, stdio: "ignore" });
  return new Promise((resolve) => {
    probe.on("error", () => resolve(false));
    probe.on("close", (code) => resolve(code === 0));
  });
}
