import { type HomeSummary, listHomes } from "../../../workspace/homes/homes.ts";
import {
  listSessions,
  type SessionDetails,
  type SessionSummary,
  showSession,
} from "../../../workspace/session/registry/list-sessions.ts";
import { formatAge, formatBytes, formatCount } from "../figures.ts";
import { type ExitCode, type Io, printLines } from "../io.ts";
import { printShown } from "../print-shown.ts";
import {
  findSession,
  realPathIfThere,
  type SessionFlags,
  sessionStoreFor,
  workspaceOf,
} from "./find-session.ts";
import { describeGitData } from "./git-data.ts";

export interface ListFlags extends SessionFlags {
  readonly all?: boolean;
}

export async function printSessions(io: Io, flags: ListFlags): Promise<ExitCode> {
  const all = flags.all === true;
  const store = sessionStoreFor(io, flags);
  const here = workspaceOf(io, flags);
  const project = all ? undefined : (realPathIfThere(here) ?? here);
  const sessions = await listSessions(store, project);
  if (flags.json === true) printShown(io, sessions);
  else if (sessions.length === 0) printLines(io, noSession(all));
  else printLines(io, ...tableOf(rowsOf(sessions, all)));
  return 0;
}

function noSession(all: boolean): string {
  const others = all ? "" : " See those of other projects with --all.";
  return `There is no session yet. Create one with hotcell session create.${others}`;
}

export async function printSession(io: Io, given: string, flags: SessionFlags): Promise<ExitCode> {
  const { id, store } = await findSession(io, given, flags);
  const details = await showSession(id, store);
  const homes = listHomes(store.stateDir, details.workspace);
  if (flags.json === true) printShown(io, { ...details, homes });
  else printLines(io, ...describe(details, homes));
  return 0;
}

const HEAD = ["SESSION", "NAME", "AGE", "CHANGES", "SIZE", "STATE"];

function rowsOf(sessions: readonly SessionSummary[], all: boolean): string[][] {
  const rows = sessions.map((session) => [...rowOf(session), ...(all ? [session.workspace] : [])]);
  return [all ? [...HEAD, "PROJECT"] : HEAD, ...rows];
}

function rowOf({ id, name, created, changes, gitData, ignored, bytes, state }: SessionSummary): string[] {
  const age = formatAge(created, Date.now());
  const more = `${gitData ? ` +${gitData} of git's data` : ""}${ignored ? ` +${ignored} ignored` : ""}`;
  return [id, name ?? "-", age, `${changes ?? "?"}${more}`, formatBytes(bytes), state];
}

function describe(details: SessionDetails, homes: readonly HomeSummary[]): string[] {
  const {
    id,
    name,
    created,
    changes,
    gitData,
    ignored,
    bytes,
    artifactBytes,
    state,
    workspace,
    strategy,
    database,
    layers,
    calls,
    commits,
  } = details;
  const facts = [
    ["session", id],
    ...(name === null ? [] : [["name", name]]),
    ["project", workspace],
    ["created", `${created}, ${formatAge(created, Date.now())} ago`],
    ["state", state],
    ["strategy", strategy],
    ...(database === null ? [] : [["database", database]]),
    [
      "changes",
      changes === null
        ? "unknown, because the project cannot be read"
        : changesText(changes, gitData ?? 0, ignored ?? 0),
    ],
    ["size", `${formatBytes(bytes)}, ${formatCount(layers, "layer")}${artifactsText(artifactBytes)}`],
    ...(homes.length === 0 ? [] : [["homes", homes.map(homeText).join(", ")]]),
  ];
  const changing = calls
    .map((call, at) => ({ ...call, n: at + 1 }))
    .filter(({ paths, gitData }) => paths + gitData > 0);
  return [
    ...tableOf(facts),
    ...(changing.length > 0 ? ["calls that wrote something:"] : []),
    ...tableOf(
      changing.map(({ n, tool, paths, gitData, at, id: call }) => [
        `  #${n}`,
        tool,
        `${formatCount(paths, "path")}${gitData === 0 ? "" : ` +${gitData} of git's data`}`,
        at,
        call,
      ]),
    ),
    ...(commits.length > 0 ? ["commits:"] : []),
    ...tableOf(commits.map((commit) => [`  ${commit.tx}`, whatStands(commit, state)])),
  ];
}

function changesText(changes: number, gitData: number, ignored: number): string {
  return [
    `${changes}`,
    ...(gitData === 0 ? [] : [describeGitData(gitData)]),
    ...(ignored === 0 ? [] : [formatCount(ignored, "ignored file")]),
  ].join(", and ");
}

/** Homes belong to the project, not to the session. */
function homeText({ profile, bytes }: HomeSummary): string {
  return `${profile} ${formatBytes(bytes)}`;
}

function artifactsText(bytes: number): string {
  return bytes === 0 ? "" : `, ${formatBytes(bytes)} of it artifacts`;
}

/** Unknown for an interrupted commit. */
function whatStands({ paths }: SessionDetails["commits"][number], state: SessionDetails["state"]): string {
  const isTakenBack = paths.length === 0 && state !== "interrupted";
  return isTakenBack ? "taken back" : formatCount(paths.length, "path");
}

/** Columns have the width of their longest cell. */
export function tableOf(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join("  ")
      .trimEnd(),
  );
}
