// `session export` and `session import`: a session as one file of AgentFS.
import path from "node:path";
import { LIMITS } from "../../../core/limits.ts";
import { type ExportedSession, exportSession } from "../../../workspace/agentfs/export-session.ts";
import type { LeftOut } from "../../../workspace/agentfs/write-entry.ts";
import { openStateDir } from "../../../workspace/files/state-dir.ts";
import { importSession } from "../../../workspace/session/import-session.ts";
import { formatCount } from "../figures.ts";
import { type ExitCode, type Io, printLines, printNotes } from "../io.ts";
import { printShown } from "../print-shown.ts";
import { createProgress } from "../progress.ts";
import { findSession, type SessionFlags, sessionStoreFor, withSession, workspaceOf } from "./find-session.ts";
import { type ModeFlags, readMode } from "./read-mode.ts";

export async function exportToFile(
  io: Io,
  given: string,
  file: string,
  flags: SessionFlags,
): Promise<ExitCode> {
  const found = await findSession(io, given, flags);
  const to = path.resolve(io.cwd, file);
  const written = await withSession(io, found, async (session) => {
    // A session also opens if a full disk keeps its last changes out of the layers, which are what is written.
    await session.checkpoint();
    return exportSession(session.record, found.store, to);
  });
  const { leftOut, ...counts } = written;
  if (flags.json === true) printShown(io, { session: found.id, file: to, ...counts, ...shortened(leftOut) });
  else {
    printNotes(io, ...notesOf("left out", leftOut));
    printLines(io, `${to}: ${describeCounts(counts)}.`);
  }
  return 0;
}

export async function importFromFile(io: Io, file: string, flags: ModeFlags): Promise<ExitCode> {
  const workspace = workspaceOf(io, flags);
  const store = sessionStoreFor(io, flags);
  const stateDir = openStateDir(store.stateDir, workspace);
  const progress = createProgress(io, "Copying the project");
  const from = path.resolve(io.cwd, file);
  const imported = await importSession(from, workspace, {
    ...store,
    stateDir,
    ...readMode(io, flags),
    onProgress: progress.report,
  }).finally(progress.end);
  const { id, workspace: project, strategy } = imported.record;
  const { entries, values, warning, leftOut, selfRunning } = imported;
  if (flags.json === true) {
    const listed = {
      ...shortened(leftOut),
      selfRunning: selfRunning.slice(0, LIMITS.maxReportedChanges),
      selfRunningCount: selfRunning.length,
    };
    printShown(io, { id, workspace: project, strategy, entries, values, ...listed, warning });
    return 0;
  }
  const executing = selfRunning.map((path) => ({ path, reason: "a commit confirms it separately" }));
  const notes = [...notesOf("left out", leftOut), ...notesOf("executes automatically", executing)];
  printNotes(io, ...notes, ...(warning === null ? [] : [warning]));
  printLines(io, id);
  return 0;
}

function describeCounts({ entries, whiteouts, values, calls }: Omit<ExportedSession, "leftOut">): string {
  const counts = [
    formatCount(entries, "path"),
    formatCount(whiteouts, "deleted path"),
    formatCount(values, "value"),
    formatCount(calls, "call"),
  ];
  return counts.join(", ");
}

const MAX_NOTES = 20;

function notesOf(what: string, entries: readonly LeftOut[]): string[] {
  const notes = entries.slice(0, MAX_NOTES).map(({ path, reason }) => `${what}: ${path} (${reason})`);
  return entries.length > MAX_NOTES ? [...notes, `${what}: ${entries.length - MAX_NOTES} more`] : notes;
}

function shortened(leftOut: readonly LeftOut[]) {
  return { leftOut: leftOut.slice(0, LIMITS.maxReportedChanges), leftOutCount: leftOut.length };
}
