import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { HotcellError, osErrorCode } from "../../core/errors.ts";
import { HELPER_ENVIRONMENT } from "../fs/helper-environment.ts";
import { childPath } from "../fs/paths.ts";

/** Puts a whiteout under a name in an open directory of a layer: it hides what the layers below have there. */
export type MakeWhiteout = (dir: number, name: string) => void;

/** One whiteout is kept in the session's directory and all others are links to it, for making one takes a process. */
export function createWhiteouts(sessionDir: string): MakeWhiteout {
  const kept = path.join(sessionDir, "whiteout");
  return (dir, name) => {
    try {
      fs.linkSync(kept, childPath(dir, name));
    } catch (error) {
      const code = osErrorCode(error);
      // As many names lead to it as the file system allows.
      if (code === "EMLINK") fs.unlinkSync(kept);
      else if (code !== "ENOENT") throw error;
      makeNew(kept);
      fs.linkSync(kept, childPath(dir, name));
    }
  };
}

/** A character device 0:0: the only one that everybody may make. */
function makeNew(at: string): void {
  const { status, stderr, error } = spawnSync("mknod", [at, "c", "0", "0"], {
    env: HELPER_ENVIRONMENT,
    encoding: "utf8",
  });
  if (status === 0) return;
  const said = error?.message ?? stderr.trim();
  throw new HotcellError("NOT_SUPPORTED", `Could not make a whiteout for the session's view: ${said}.`);
}
