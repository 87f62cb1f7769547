import fs from "node:fs";
import { atExactPath, entryPath } from "../../fs/no-follow.ts";
import type { Root } from "../../fs/paths.ts";
import type { CommitStep } from "./commit-step.ts";

/** Replaced files of other owners: only root can give the new file to the old owner. */
export function findChangedOwners(project: Root, steps: readonly CommitStep[]): string[] {
  const user = process.geteuid!();
  if (user === 0) return [];
  const isOthers = (path: string) =>
    atExactPath(project, path, (ref) => {
      if (typeof ref === "string") return false;
      const stat = fs.lstatSync(entryPath(ref), { throwIfNoEntry: false });
      return stat !== undefined && stat.uid !== user;
    });
  const replaced = steps.filter(({ op, expect }) => op === "put" && expect?.kind === "file");
  return replaced.map(({ path }) => path).filter(isOthers);
}
