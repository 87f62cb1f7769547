// hotcell run --list-homes and --forget: the homes of profiles.
import { HotcellError } from "../../../core/errors.ts";
import { quote } from "../../../core/quote.ts";
import { tryRealPath } from "../../../core/real-path.ts";
import { type HomeSummary, listHomes, removeHome } from "../../../workspace/homes/homes.ts";
import { requireConfirmation, requireYesFlag } from "../ask.ts";
import { formatAge, formatBytes } from "../figures.ts";
import { type ExitCode, type Io, printJson, printLines } from "../io.ts";
import { sessionStoreFor, workspaceOf } from "../session/find-session.ts";
import { tableOf } from "../session/session-list.ts";
import type { RunFlags } from "./run.ts";

export function printHomes(io: Io, flags: RunFlags): ExitCode {
  const homes = listHomes(sessionStoreFor(io, flags).stateDir);
  if (flags.json) printJson(io, homes, true);
  else if (homes.length === 0) printLines(io, "There is no home yet. hotcell run PROFILE makes one.");
  else printLines(io, ...tableOf([HEAD, ...homes.map(rowOf)]));
  return 0;
}

export async function forgetHome(io: Io, given: string, flags: RunFlags): Promise<ExitCode> {
  const { stateDir } = sessionStoreFor(io, flags);
  const workspace = workspaceOf(io, flags);
  const project = tryRealPath(workspace) ?? workspace;
  const homes = listHomes(stateDir);
  const found =
    homes.find((home) => home.profile === given && home.project === project) ??
    homes.find(({ id }) => id === given);
  if (found === undefined)
    throw new HotcellError(
      "NOT_FOUND",
      `There is no home of ${quote(given)} for this project, nor one with this id. See hotcell run --list-homes`,
    );
  requireYesFlag(io, flags.yes, "remove a home");
  const what = `the home of ${quote(found.profile)} for ${found.project}, with its logins and history`;
  if (flags.yes !== true)
    await requireConfirmation(io, `Remove ${what}? This cannot be undone.`, "remove it");
  await removeHome(stateDir, found);
  if (flags.json) printJson(io, { removed: found }, true);
  else printLines(io, `Removed ${what}.`);
  return 0;
}

const HEAD = ["HOME", "PROFILE", "SIZE", "USED", "STATE", "PROJECT"];

function rowOf({ id, profile, bytes, used, inUse, project }: HomeSummary): string[] {
  const state = inUse ? "in use" : "idle";
  return [id, profile, formatBytes(bytes), `${formatAge(used, Date.now())} ago`, state, project];
}
