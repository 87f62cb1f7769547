import fs from "node:fs";
import { decodeName } from "./names.ts";

/** Returns a test whether a directory is a mount point, or below a mount point inside the project. */
export function readMounts(workspace: string): (directory: string) => boolean {
  const mounts = listMounts(workspace);
  return (directory) => mounts.some((at) => directory === at || directory.startsWith(`${at}/`));
}

/** The mount points inside the project. A session shows each as the directory that the mount covers. */
export function listMounts(workspace: string): string[] {
  const inside = readMountinfo("self")
    .map(({ at }) => at)
    .filter((at) => at.startsWith(`${workspace}/`));
  return [...new Set(inside.map((at) => at.slice(workspace.length + 1)))].sort();
}

export interface KernelMount {
  readonly id: string;
  /** The mount point. */
  readonly at: string;
  readonly flags: readonly string[];
}

/** The mounts that a process sees. The kernel writes blanks and similar characters as octal escapes. */
export function readMountinfo(pid: number | "self"): KernelMount[] {
  const lines = fs.readFileSync(`/proc/${pid}/mountinfo`, "latin1").split("\n");
  return lines.flatMap((line) => {
    const [id, , , , at, flags] = line.split(" ");
    if (id === undefined || at === undefined || flags === undefined) return [];
    const bytes = at.replace(/\\([0-7]{3})/g, (_, octal: string) =>
      String.fromCharCode(Number.parseInt(octal, 8)),
    );
    return [{ id, at: decodeName(Buffer.from(bytes, "latin1")), flags: flags.split(",") }];
  });
}
