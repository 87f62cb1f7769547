import { collectGarbage, type GcResult } from "../../../workspace/session/registry/gc.ts";
import { requireConfirmation, requireYesFlag } from "../ask.ts";
import { formatBytes, formatCount, parseBytes } from "../figures.ts";
import { type ExitCode, type Io, printJson, printLines, printNotes } from "../io.ts";
import { type SessionFlags, sessionStoreFor } from "./find-session.ts";
import { tableOf } from "./session-list.ts";

export interface GcFlags extends Omit<SessionFlags, "workspace"> {
  readonly maxSize?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

export async function removeUnusedSessions(io: Io, flags: GcFlags): Promise<ExitCode> {
  const store = sessionStoreFor(io, flags);
  const { maxSize, dryRun = false } = flags;
  const limit = maxSize === undefined ? {} : { maxBytes: parseBytes(maxSize, "--max-size") };
  // Only a limit removes sessions with changes.
  if (maxSize === undefined) return printRemoved(io, await collectGarbage(store, { dryRun }), flags);
  const expected = await collectGarbage(store, { ...limit, dryRun: true });
  if (dryRun) return printRemoved(io, expected, flags);
  await askForChanged(io, expected, flags.yes);
  const only = expected.removed.map(({ id }) => id);
  return printRemoved(io, await collectGarbage(store, { ...limit, only }), flags);
}

/** A session without changes can be removed without confirmation. */
async function askForChanged(io: Io, { removed }: GcResult, yes: boolean | undefined): Promise<void> {
  const changed = removed.filter(({ changes }) => changes !== 0);
  if (changed.length === 0) return;
  requireYesFlag(io, yes, "remove sessions with changes");
  if (yes === true) return;
  printNotes(io, ...describe(changed));
  await requireConfirmation(
    io,
    "Remove these sessions, of all projects, with their changes? This cannot be undone.",
    "remove sessions",
  );
}

function printRemoved(io: Io, result: GcResult, { dryRun, json }: GcFlags): ExitCode {
  const { removed, freedBytes, totalBytes, homeBytes } = result;
  const homes = homeBytes === 0 ? "" : `, and homes ${formatBytes(homeBytes)} (hotcell run --list-homes)`;
  const verb = dryRun === true ? "Would free" : "Freed";
  if (json === true) printJson(io, result, true);
  else
    printLines(
      io,
      ...describe(removed),
      `${verb} ${formatBytes(freedBytes)}; sessions use ${formatBytes(totalBytes)}${homes}.`,
    );
  return 0;
}

function describe(removed: GcResult["removed"]): string[] {
  return tableOf(
    removed.map(({ id, name, workspace, bytes, changes }) => [
      "remove",
      id,
      name ?? "-",
      changes === null ? "unknown changes" : formatCount(changes, "change"),
      formatBytes(bytes),
      workspace,
    ]),
  );
}
