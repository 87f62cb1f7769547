// hotcell audit prune: removes the logs of sessions that no longer exist. Each log has its own chain, and a log is
// removed as a whole with its anchor, so all others still verify.
import fs from "node:fs";
import path from "node:path";
import { loadConfig } from "../../../config/load-config.ts";
import { runPaths } from "../../../log/runs.ts";
import { verifyLog } from "../../../log/verify.ts";
import { removeDirectory } from "../../../workspace/layers/session-dirs.ts";
import { bytesIn } from "../../../workspace/session/registry/bytes-in.ts";
import { runsWithoutSession } from "../../../workspace/session/registry/runs-without-session.ts";
import { requireConfirmation, requireYesFlag } from "../ask.ts";
import { formatBytes, formatCount } from "../figures.ts";
import { type ExitCode, type Io, printJson, printLines } from "../io.ts";

export interface PruneFlags {
  readonly stateDir?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

interface PrunedLog {
  readonly run: string;
  readonly bytes: number;
}

/** Exit 1 if a log stays because it does not verify: a person should examine it first. */
export async function pruneLogs(io: Io, flags: PruneFlags): Promise<ExitCode> {
  const { stateDir } = loadConfig({ workspace: io.cwd, env: io.env, flags, cwd: io.cwd });
  const runs = runsWithoutSession(stateDir);
  const isIntact = (run: string) => {
    const { logFile, anchorFile } = runPaths(stateDir, run);
    return verifyLog(logFile, anchorFile).ok;
  };
  const intact = new Set(runs.filter(isIntact));
  const broken = runs.filter((run) => !intact.has(run));
  const removed = [...intact].map((run) => ({ run, bytes: bytesIn(runPaths(stateDir, run).dir) }));
  if (flags.dryRun !== true && removed.length > 0) {
    await confirm(io, removed, flags.yes);
    for (const { run } of removed) removeRun(stateDir, run);
  }
  return printPruned(io, { removed, broken }, flags);
}

async function confirm(io: Io, removed: readonly PrunedLog[], yes: boolean | undefined): Promise<void> {
  requireYesFlag(io, yes, "remove logs");
  if (yes === true) return;
  const logs = formatCount(removed.length, "log");
  await requireConfirmation(
    io,
    `Remove ${logs} of sessions that no longer exist? This cannot be undone.`,
    "remove logs",
  );
}

/** The log first: an anchor without its log is reported, a log without its anchor could not be verified. */
function removeRun(stateDir: string, run: string): void {
  const { dir, anchorFile } = runPaths(stateDir, run);
  removeDirectory(dir);
  fs.rmSync(anchorFile, { force: true });
  removeDirectory(path.join(`${anchorFile}.lock`));
}

function printPruned(
  io: Io,
  { removed, broken }: { readonly removed: readonly PrunedLog[]; readonly broken: readonly string[] },
  { dryRun, json }: PruneFlags,
): ExitCode {
  const freedBytes = removed.reduce((sum, { bytes }) => sum + bytes, 0);
  const verb = dryRun === true ? "Would remove" : "Removed";
  if (json === true) printJson(io, { removed, freedBytes, broken }, true);
  else
    printLines(
      io,
      ...broken.map(
        (run) => `kept  ${run}: its log does not verify; see hotcell audit verify --session ${run}`,
      ),
      `${verb} ${formatCount(removed.length, "log")} of sessions that no longer exist: ${formatBytes(freedBytes)}.`,
    );
  return broken.length > 0 ? 1 : 0;
}
