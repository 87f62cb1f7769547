import fs from "node:fs";
import { decodeName } from "./names.ts";

/** Tells of a directory of a project whether something is mounted there, or above it in the project. */
export function readMounts(workspace: string): (directory: string) => boolean {
  const mounts = mountPoints()
    .filter((at) => at.startsWith(`${workspace}/`))
    .map((at) => at.slice(workspace.length + 1));
  return (directory) => mounts.some((at) => directory === at || directory.startsWith(`${at}/`));
}

/** Blanks and the like are written as octal numbers. */
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
