// Finds the run that --resume names, and the session that it belongs to.
import { listRunFiles } from "../../../agent/list-runs.ts";
import { loadConfig } from "../../../config/load-config.ts";
import { HotcellError } from "../../../core/errors.ts";
import { quote } from "../../../core/quote.ts";
import { hostRunOf } from "../../../workspace/open-files.ts";
import { type Io, usage } from "../io.ts";
import type { CellFlags } from "../main.ts";
import { findSession, realPathIfThere, workspaceOf } from "../session/find-session.ts";

export interface FoundRun {
  readonly run: string;
  readonly file: string;
  /** Null with `--fs host`. */
  readonly session: string | null;
}

/**
 * By its id, or `last`: the newest of this project, in a session or, with `--fs host`, on the host; with `--session`, the
 * newest of that session.
 */
export async function findRun(io: Io, given: string, flags: CellFlags): Promise<FoundRun> {
  const workspace = workspaceOf(io, flags);
  const { stateDir, fs } = loadConfig({ file: flags.config, workspace, env: io.env, flags, cwd: io.cwd });
  const root = realPathIfThere(workspace);
  const host = fs === "host" && root !== null ? hostRunOf(root, flags.name) : null;
  const chosen = flags.session === undefined ? null : (await findSession(io, flags.session, flags)).id;
  const newestFirst = listRunFiles(stateDir).sort((a, b) => b.changedMs - a.changedMs);
  for (const { run, file, session } of newestFirst) {
    if (given === "last") {
      const only = chosen ?? host;
      const isMeant = only === null ? await isOfProject(io, session, root, flags) : session === only;
      if (!isMeant) continue;
    } else if (run !== given) continue;
    refuseOtherMode(run, session, host);
    if (chosen !== null && session !== chosen)
      throw usage(`Could not resume ${run}: it worked in the session ${session}. Omit --session.`);
    return { run, file, session: host === null ? session : null };
  }
  const place = chosen === null ? "this project" : `the session ${chosen}`;
  const what = given === "last" ? `a run of ${place}` : `the run ${quote(given)}`;
  throw new HotcellError("NOT_FOUND", `Could not find ${what} to resume.`);
}

/** A run goes on where it began: a run of a session must not write to the project, nor the reverse. */
function refuseOtherMode(run: string, session: string, host: string | null): void {
  const isOfHost = session.startsWith("host-");
  if (session === host || (!isOfHost && host === null)) return;
  const why = !isOfHost
    ? `it worked in the session ${session}. Omit --fs host.`
    : host === null
      ? "it worked with --fs host. Add --fs host."
      : "it worked in another project, or with another --name. Give that one.";
  throw usage(`Could not resume ${run}: ${why}`);
}

async function isOfProject(
  io: Io,
  session: string,
  root: string | null,
  { workspace: _, ...others }: CellFlags,
): Promise<boolean> {
  try {
    return (await findSession(io, session, others)).workspace === root;
  } catch {
    return false;
  }
}
