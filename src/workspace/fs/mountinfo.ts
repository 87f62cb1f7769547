import fs from "node:fs";
import { decodeName } from "./names.ts";

/** Returns a test whether a directory is a mount point, or below a mount point inside the project. */
export function readMounts(workspace: string): (directory: string) => boolean {
  const mounts = listMounts(workspace);
  return (directory) => mounts.some((at) => directory === at || directory.startsWith(`${at}/`));
}

/** The mount points inside the project. A session shows each as the directory that the mount covers. */
export function listMounts(workspace: string): string[] {
  const inside = mountPoints().filter((at) => at.startsWith(`${workspace}/`));
  return [...new Set(inside.map((at) => at.slice(workspace.length + 1)))].sort();
}

/** The kernel writes blanks and similar characters as octal escapes. */
function mountPoints(): string[] {
  const lines = fs.readFileSync("/proc/self/mountinfo", "latin1").split("\n");
  return lines.flatMap((line) => {
    const at = line.split(" ")[4];
    if (at === undefined) return [];
    const bytes = at.replace(/\\([0-7]{3})/g, (_, octal: string) =>
      String.fromCharCode(Number.parseInt(octal, 8)),
    );
    return [decodeName(Buffer.from(bytes, "latin1"))];
  });
}
