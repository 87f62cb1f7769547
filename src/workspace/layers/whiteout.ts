import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { HotcellError, osErrorCode } from "../../core/errors.ts";
import { HELPER_ENVIRONMENT } from "../fs/helper-environment.ts";
import { childPath } from "../fs/paths.ts";

/** Makes a whiteout in an open directory of a layer: it hides the entry of lower layers. */
export type MakeWhiteout = (dir: number, name: string) => void;

/** Keeps one whiteout in the session's directory and hard-links all others to it, because making one takes a process. */
export function createWhiteouts(sessionDir: string): MakeWhiteout {
  const shared = path.join(sessionDir, "whiteout");
  return (dir, name) => {
    try {
      fs.linkSync(shared, childPath(dir, name));
    } catch (error) {
      const code = osErrorCode(error);
      // The link count has reached the file system's limit.
      if (code === "EMLINK") fs.unlinkSync(shared);
      else if (code !== "ENOENT") throw error;
      makeDevice(shared);
      fs.linkSync(shared, childPath(dir, name));
    }
  };
}

/** A character device 0:0, the only device that unprivileged users may make. */
function makeDevice(at: string): void {
  const { status, stderr, error } = spawnSync("mknod", [at, "c", "0", "0"], {
    env: HELPER_ENVIRONMENT,
    encoding: "utf8",
  });
  if (status === 0) return;
  const reason = error?.message ?? stderr.trim();
  throw new HotcellError("NOT_SUPPORTED", `Could not create a whiteout for the session's view: ${reason}.`);
}
