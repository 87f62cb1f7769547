// Commands of a person in a chat, such as /diff and /commit. They do not go to the model.
import type { Cell } from "../../../cell.ts";
import { HotcellError } from "../../../core/errors.ts";
import { confirm } from "../ask.ts";
import { type Io, printNotes } from "../io.ts";
import { describeCommitted, skippedLines } from "../session/commit-text.ts";
import { paintDiff, wantsColour } from "../session/paint-diff.ts";

const HELP = [
  "/diff            Show what the session has changed",
  "/commit [PATH…]  Write the changes to the project",
  "/rewind CALL     Return to the state before a call: its id, or #3 for the third call with changes",
  "/undo            Restore what the last rewind removed",
  "/help            Show this list",
  "/quit            Leave; the session stays",
];

type SlashCommand = (io: Io, cell: Cell, words: readonly string[]) => Promise<void>;

const COMMANDS: ReadonlyMap<string, SlashCommand> = new Map<string, SlashCommand>([
  ["/diff", showDiff],
  ["/commit", commitChanges],
  ["/rewind", rewindTo],
  [
    "/undo",
    async (io, cell) => {
      await cell.undoRewind();
      printNotes(io, "Restored.");
    },
  ],
  ["/help", async (io) => printNotes(io, ...HELP)],
]);

/** True if the line was a command, known or not: it never goes to the model. */
export async function runSlashCommand(io: Io, cell: Cell, typed: string): Promise<boolean> {
  if (!typed.startsWith("/")) return false;
  const [name = "", ...words] = typed.trim().split(/\s+/);
  const command = COMMANDS.get(name);
  try {
    if (command === undefined) printNotes(io, `There is no ${name}.`, ...HELP);
    else await command(io, cell, words);
  } catch (error) {
    if (!(error instanceof HotcellError)) throw error;
    printNotes(io, error.message);
  }
  return true;
}

async function showDiff(io: Io, cell: Cell): Promise<void> {
  const diff = await cell.diff();
  io.out(
    diff.changes.length === 0
      ? "No changes.\n"
      : paintDiff(diff.unified(), wantsColour(io, io.outIsTerminal)),
  );
}

async function commitChanges(io: Io, cell: Cell, paths: readonly string[]): Promise<void> {
  const chosen = paths.length > 0 ? { paths } : {};
  const plan = await cell.plan(chosen);
  printNotes(io, ...plan.steps.map(({ path }) => `  ${path}`));
  printNotes(io, ...skippedLines(plan.skipped));
  if (plan.steps.length === 0) return printNotes(io, "Nothing to commit.");
  if (!(await confirm(io, "Commit these to the project?"))) return;
  const { committed, conflicts } = await cell.commit({ ...chosen, planHash: plan.hash });
  for (const { path } of conflicts) printNotes(io, `  conflict: ${path}`);
  printNotes(io, `Committed ${describeCommitted(committed)}.`);
}

async function rewindTo(io: Io, cell: Cell, [call]: readonly string[]): Promise<void> {
  if (call === undefined) return printNotes(io, "Name a call: /rewind #2");
  await cell.rewind(call);
  printNotes(io, "Rewound. To take that back: /undo");
}
