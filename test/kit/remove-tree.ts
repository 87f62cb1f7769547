import { execFileSync } from "node:child_process";
import fs from "node:fs";

/** Also what is closed to its owner: by an attack, a scene, or the kernel (an overlay's own directory). */
export function removeTree(dir: string): void {
  try {
    fs.rmSync(dir, { recursive: true, force: true });
  } catch {
    execFileSync("sh", ["-c", 'chmod -R u+rwX "$1"; rm -rf "$1"', "sh", dir], { stdio: "ignore" });
  }
}
