// Asks about one hunk after the other, as `git add -p` does. A change without hunks is one question.
import { makeVisible } from "../../../core/quote.ts";
import type { Selection } from "../../../workspace/commit/plan/selection.ts";
import type { Change, ChangeKind, Hunk } from "../../../workspace/diff/changes.ts";
import { unifiedText } from "../../../workspace/diff/render.ts";
import { showName } from "../../../workspace/fs/names.ts";
import { type Io, printNotes } from "../io.ts";
import { paintDiff, wantsColour } from "./paint-diff.ts";

/** The subject of one question. */
interface Piece {
  readonly change: Change;
  /** Null for all of the change. */
  readonly hunk: Hunk | null;
  readonly question: string;
}

type Answer = "y" | "n" | "q" | "a" | "d";

/** The result of a merge with the project's version; null if the two do not merge. */
export type MergeOf = (change: Change) => Promise<readonly Hunk[] | null>;

/** With `mergeOf`, a change that the project has changed too is offered as a merge. If that is not possible, it stays in the session. */
export async function pickHunks(
  io: Io,
  changes: readonly Change[],
  mergeOf: MergeOf | null,
): Promise<Selection> {
  const { asked, holders } = sort(changes);
  const files: Piece[][] = [];
  const taken = new Set<Piece>();
  let answer: Answer = "n";
  for (const change of asked) {
    const isOffered = answer !== "q" && change.contested === true && mergeOf !== null;
    const pieces = isOffered ? await mergePieces(io, change, mergeOf) : piecesOf(change);
    files.push(pieces);
    for (const [index, piece] of pieces.entries()) {
      const isAnswered = answer === "q" || (index > 0 && (answer === "a" || answer === "d"));
      if (!isAnswered && index === 0 && !isOffered) printNotes(io, ...contestedLines(piece.change));
      if (!isAnswered) answer = await ask(io, piece);
      if (answer === "y" || answer === "a") taken.add(piece);
    }
  }
  return selectionOf(files, holders, taken);
}

function contestedLines({ path, contested }: Change): string[] {
  if (contested === undefined) return [];
  return [
    `${showName(path)} also changed in the project. Lines that only the project has are shown as removed.`,
  ];
}

/** One question about the whole merge, or none if there is nothing to choose. */
async function mergePieces(io: Io, change: Change, mergeOf: MergeOf): Promise<Piece[]> {
  const name = showName(change.path);
  const hunks = await mergeOf(change);
  if (hunks === null) {
    printNotes(
      io,
      `${name} also changed in the project, and the versions do not merge. It stays in the session; commit it with --on-conflict ours or theirs.`,
    );
    return [];
  }
  printNotes(
    io,
    `${name} also changed in the project. This is the merge of both, compared with the project.`,
  );
  return [{ change: { ...change, hunks }, hunk: null, question: `Merge ${name}?` }];
}

/** A directory is removed if all its entries are. Entries of a new directory that replaced a file belong to the question about that file. */
function sort(changes: readonly Change[]) {
  const replaced = new Set(changes.filter(({ kind }) => kind === "type").map(({ path }) => path));
  const free = changes.filter((change) => !directoriesOf(change).some((at) => replaced.has(at)));
  const within = new Set(free.flatMap(directoriesOf));
  const isHolder = ({ path, kind }: Change) => kind !== "type" && within.has(path);
  return { asked: free.filter((change) => !isHolder(change)), holders: free.filter(isHolder) };
}

/** All directories that a change is in. */
function directoriesOf({ path, from = path }: Change): string[] {
  const names = [path, from].map((at) => at.split("/").slice(0, -1));
  return names.flatMap((parts) => parts.map((_, index) => parts.slice(0, index + 1).join("/")));
}

function piecesOf(change: Change): Piece[] {
  const { kind, path, hunks } = change;
  const name = showName(path);
  if (kind !== "modified" || hunks.length < 2)
    return [{ change, hunk: null, question: `${DO[kind]} ${name}?` }];
  return hunks.map((hunk, index) => ({
    change,
    hunk,
    question: `Change ${name}, hunk ${index + 1} of ${hunks.length}?`,
  }));
}

const DO: Readonly<Record<ChangeKind, string>> = {
  added: "Add",
  modified: "Change",
  deleted: "Delete",
  renamed: "Rename to",
  mode: "Change the mode of",
  symlink: "Change the target of",
  type: "Replace",
};

async function ask(io: Io, { change, hunk, question }: Piece): Promise<Answer> {
  const shown = hunk === null ? change : { ...change, hunks: [hunk] };
  io.err(paintDiff(unifiedText([shown]), wantsColour(io, io.errIsTerminal)));
  for (;;) {
    const typed = (await io.ask(`${makeVisible(question)} [y,n,q,a,d,?] `)).trim().toLowerCase();
    const answer = ANSWERS.find((known) => known === (typed || "n"));
    if (answer !== undefined) return answer;
    printNotes(io, ...HELP);
  }
}

const ANSWERS: readonly Answer[] = ["y", "n", "q", "a", "d"];

const HELP = [
  "y  take it",
  "n  keep it in the session; also for an empty line",
  "q  keep it and everything that follows in the session",
  "a  commit it and the rest of this file",
  "d  keep it and the rest of this file in the session",
];

function selectionOf(
  files: readonly (readonly Piece[])[],
  holders: readonly Change[],
  taken: ReadonlySet<Piece>,
): Selection {
  const isWhole = (pieces: readonly Piece[]) =>
    pieces.length > 0 && pieces.every((piece) => taken.has(piece));
  const whole = files.filter(isWhole).map(([piece]) => piece!.change);
  const partly = files.filter((pieces) => !isWhole(pieces)).flat();
  const holdLeft = new Set(partly.flatMap(({ change }) => directoriesOf(change)));
  // Does not commit a mode that was not part of a question.
  const emptied = holders.filter(({ path, kind }) => kind !== "mode" && !holdLeft.has(path));
  return {
    paths: [...whole, ...emptied].map(({ path }) => path),
    hunks: partly.flatMap((piece) => (taken.has(piece) ? [piece.hunk!.id] : [])),
  };
}
