import { execFileSync } from "node:child_process";

/** The kernel removes all permissions of an overlay's work directory, so an ordinary user could not copy or read it. */
export function openWorkDirectories(dir: string): void {
  execFileSync("find", [dir, "-type", "d", "-perm", "0000", "-prune", "-exec", "chmod", "700", "{}", "+"]);
}
