import { execFileSync } from "node:child_process";
import fs from "node:fs";

/** Also removes directories without access for their owner, such as the work directory of an overlay. */
export function removeTree(dir: string): void {
  try {
    fs.rmSync(dir, { recursive: true, force: true });
  } catch {
    execFileSync("sh", ["-c", 'chmod -R u+rwX "$1"; rm -rf "$1"', "sh", dir], { stdio: "ignore" });
  }
}
