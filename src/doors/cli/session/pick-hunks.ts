// Asks for one hunk after the other, as `git add -p` does. What has no hunks of its own is one question.
import { makeVisible } from "../../../core/quote.ts";
import type { Selection } from "../../../workspace/commit/plan/selection.ts";
import type { Change, ChangeKind, Hunk } from "../../../workspace/diff/changes.ts";
import { unifiedText } from "../../../workspace/diff/render.ts";
import { showName } from "../../../workspace/fs/names.ts";
import { type Io, tellLines } from "../io.ts";
import { paintDiff, wantsColour } from "./paint-diff.ts";

/** What is asked at once. */
interface Piece {
  readonly change: Change;
  /** Null for all of the change. */
  readonly hunk: Hunk | null;
  readonly question: string;
}

type Answer = "y" | "n" | "q" | "a" | "d";

export async function pickHunks(io: Io, changes: readonly Change[]): Promise<Selection> {
  const { asked, holders } = sort(changes);
  const files = asked.map(piecesOf);
  const taken = new Set<Piece>();
  let answer: Answer = "n";
  for (const pieces of files) {
    for (const [index, piece] of pieces.entries()) {
      const isAnswered = answer === "q" || (index > 0 && (answer === "a" || answer === "d"));
      if (!isAnswered && index === 0) tellLines(io, ...contestedLines(piece.change));
      if (!isAnswered) answer = await ask(io, piece);
      if (answer === "y" || answer === "a") taken.add(piece);
    }
  }
  return selectionOf(files, holders, taken);
}

function contestedLines({ path, contested }: Change): string[] {
  if (contested === undefined) return [];
  return [`${showName(path)} was changed in the project too: what only the project has is shown as removed.`];
}

/** A directory goes when all goes that is in it; what is in something that became a directory goes with that. */
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
  symlink: "Change where it leads:",
  type: "Replace",
};

async function ask(io: Io, { change, hunk, question }: Piece): Promise<Answer> {
  const shown = hunk === null ? change : { ...change, hunks: [hunk] };
  io.err(paintDiff(unifiedText([shown]), wantsColour(io, io.errIsTerminal)));
  for (;;) {
    const typed = (await io.ask(`${makeVisible(question)} [y,n,q,a,d,?] `)).trim().toLowerCase();
    const answer = ANSWERS.find((known) => known === (typed || "n"));
    if (answer !== undefined) return answer;
    tellLines(io, ...HELP);
  }
}

const ANSWERS: readonly Answer[] = ["y", "n", "q", "a", "d"];

const HELP = [
  "y  take it",
  "n  leave it in the session; so does an empty line",
  "q  leave it and all that follows",
  "a  take it and what follows of this file",
  "d  leave it and what follows of this file",
];

function selectionOf(
  files: readonly (readonly Piece[])[],
  holders: readonly Change[],
  taken: ReadonlySet<Piece>,
): Selection {
  const isWhole = (pieces: readonly Piece[]) => pieces.every((piece) => taken.has(piece));
  const whole = files.filter(isWhole).map(([piece]) => piece!.change);
  const partly = files.filter((pieces) => !isWhole(pieces)).flat();
  const holdLeft = new Set(partly.flatMap(({ change }) => directoriesOf(change)));
  // A mode that nobody was asked about is not taken.
  const emptied = holders.filter(({ path, kind }) => kind !== "mode" && !holdLeft.has(path));
  return {
    paths: [...whole, ...emptied].map(({ path }) => path),
    hunks: partly.flatMap((piece) => (taken.has(piece) ? [piece.hunk!.id] : [])),
  };
}
