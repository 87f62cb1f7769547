import { HotcellError } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { atExactPath } from "../fs/no-follow.ts";
import type { Root } from "../fs/paths.ts";
import type { ObjectFormat } from "./blob-id.ts";
import { readInGitDir } from "./git-dir.ts";

/** The hash of the project's repository. Throws if its refs or objects cannot be written file by file. */
export function readObjectFormat(project: Root): ObjectFormat {
  const found = atExactPath(project, ".git/objects/info", (ref) => (typeof ref === "string" ? ref : null));
  if (found === "missing")
    throw new HotcellError("NOT_FOUND", `${COULD_NOT}: the project has no repository.`);
  const config = readInGitDir(project, "config", LIMITS.maxGitConfigBytes)?.toString("latin1") ?? "";
  if (found === "blocked" || /\brefstorage\s*=\s*"?reftable/i.test(config)) {
    const why = "the project's .git is a file or a link, as in a worktree, or keeps its refs in a reftable";
    throw new HotcellError("NOT_SUPPORTED", `${COULD_NOT}: ${why}.`);
  }
  return /\bobjectformat\s*=\s*"?sha256/i.test(config) ? "sha256" : "sha1";
}

const COULD_NOT = "Could not create the branch";
