import {
  listSessions,
  type SessionDetails,
  type SessionSummary,
  showSession,
} from "../../../workspace/session/registry/list-sessions.ts";
import { counted, formatAge, formatBytes } from "../figures.ts";
import { type ExitCode, type Io, printLines } from "../io.ts";
import { printShown } from "../print-shown.ts";
import { findSession, placeFor, type SessionFlags } from "./session-place.ts";

/** Of all projects. */
export async function printSessions(io: Io, flags: SessionFlags): Promise<ExitCode> {
  const sessions = await listSessions(placeFor(io, flags));
  if (flags.json === true) printShown(io, sessions);
  else if (sessions.length === 0) printLines(io, "No session yet: make one with hotcell session create.");
  else printLines(io, ...tableOf([HEAD, ...sessions.map(rowOf)]));
  return 0;
}

export async function printSession(io: Io, given: string, flags: SessionFlags): Promise<ExitCode> {
  const { id, place } = findSession(io, given, flags);
  const details = await showSession(id, place);
  if (flags.json === true) printShown(io, details);
  else printLines(io, ...describe(details));
  return 0;
}

const HEAD = ["SESSION", "AGE", "CHANGES", "SIZE", "STATE", "PROJECT"];

function rowOf({ id, created, changes, bytes, state, workspace }: SessionSummary): string[] {
  return [id, formatAge(created, Date.now()), `${changes ?? "?"}`, formatBytes(bytes), state, workspace];
}

function describe(details: SessionDetails): string[] {
  const { id, created, changes, bytes, state, workspace, strategy, layers, calls, commits } = details;
  const facts = [
    ["session", id],
    ["project", workspace],
    ["created", `${created}, ${formatAge(created, Date.now())} ago`],
    ["state", state],
    ["strategy", strategy],
    ["changes", `${changes ?? "unknown: the project can't be read"}`],
    ["size", `${formatBytes(bytes)}, ${counted(layers, "layer")}`],
  ];
  const changing = calls.map((call, at) => ({ ...call, n: at + 1 })).filter(({ paths }) => paths > 0);
  return [
    ...tableOf(facts),
    ...(changing.length > 0 ? ["calls that changed something:"] : []),
    ...tableOf(
      changing.map(({ n, tool, paths, at, id: call }) => [`  #${n}`, tool, counted(paths, "path"), at, call]),
    ),
    ...(commits.length > 0 ? ["commits:"] : []),
    ...tableOf(commits.map((commit) => [`  ${commit.tx}`, whatStands(commit, state)])),
  ];
}

/** Of one that was interrupted it is not known yet. */
function whatStands({ paths }: SessionDetails["commits"][number], state: SessionDetails["state"]): string {
  const isTakenBack = paths.length === 0 && state !== "interrupted";
  return isTakenBack ? "taken back" : counted(paths.length, "path");
}

/** Columns as wide as what is in them. */
function tableOf(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join("  ")
      .trimEnd(),
  );
}
