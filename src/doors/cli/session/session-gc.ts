import { collectGarbage, type GcResult } from "../../../workspace/session/registry/gc.ts";
import { agree, needYes } from "../ask.ts";
import { counted, formatBytes, parseBytes } from "../figures.ts";
import { type ExitCode, type Io, printJson, printLines, tellLines } from "../io.ts";
import { placeFor, type SessionFlags } from "./session-place.ts";

export interface GcFlags extends SessionFlags {
  readonly maxSize?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

export async function removeUnusedSessions(io: Io, flags: GcFlags): Promise<ExitCode> {
  const place = placeFor(io, flags);
  const limit = flags.maxSize === undefined ? {} : { maxBytes: parseBytes(flags.maxSize, "--max-size") };
  const expected = await collectGarbage(place, { ...limit, dryRun: true });
  if (flags.dryRun === true) return printRemoved(io, expected, flags);
  await askForChanged(io, expected, flags.yes);
  const only = expected.removed.map(({ id }) => id);
  return printRemoved(io, await collectGarbage(place, { ...limit, only }), flags);
}

/** A session without changes holds nothing that anybody would miss. */
async function askForChanged(io: Io, { removed }: GcResult, yes: boolean | undefined): Promise<void> {
  const changed = removed.filter(({ changes }) => changes !== 0);
  if (changed.length === 0) return;
  needYes(io, yes, "remove sessions with changes");
  if (yes === true) return;
  tellLines(io, ...changed.map(describe));
  await agree(io, "Remove them with their changes? This can't be undone.", "remove sessions");
}

function printRemoved(io: Io, result: GcResult, { dryRun, json }: GcFlags): ExitCode {
  const { removed, freedBytes, totalBytes } = result;
  const verb = dryRun === true ? "Would free" : "Freed";
  if (json === true) printJson(io, result, true);
  else
    printLines(
      io,
      ...removed.map(describe),
      `${verb} ${formatBytes(freedBytes)}; sessions take ${formatBytes(totalBytes)}.`,
    );
  return 0;
}

function describe({ id, bytes, changes }: GcResult["removed"][number]): string {
  const held = changes === null ? "unknown changes" : counted(changes, "change");
  return `remove  ${id}  ${held}  ${formatBytes(bytes)}`;
}
