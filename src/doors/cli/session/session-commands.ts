import type { Command } from "commander";
import type { ExitCode, Io } from "../io.ts";
import type { SessionFlags } from "./find-session.ts";
import type { ModeFlags } from "./read-mode.ts";
import type { CommitFlags } from "./session-commit.ts";
import type { CreateFlags } from "./session-create.ts";
import type { DiffFlags } from "./session-diff.ts";
import type { GcFlags } from "./session-gc.ts";
import type { ListFlags } from "./session-list.ts";
import type { RevertFlags } from "./session-recover.ts";
import type { DiscardFlags, RewindFlags } from "./session-rewind.ts";

export type ExitWith = (code: number) => void;

export function addSessionCommands(program: Command, io: Io, done: ExitWith): void {
  const session = program
    .command("session")
    .description("Review and commit what an agent changed")
    .helpCommand("help [command]", "Show help")
    .addHelpText("after", EXAMPLES);
  addMaking(session, io, done);
  addFiles(session, io, done);
  addNaming(session, io, done);
  addWorking(session, io, done);
  addLooking(session, io, done);
  addTaking(session, io, done);
  addGoingBack(session, io, done);
  addClearing(session, io, done);
}

const EXAMPLES = `
A session is named by its id, its name, a unique beginning of either, or
"last": the newest one of this project that has changes.

Examples:
  hotcell session diff last --stat
  hotcell session commit last src README.md
  hotcell session commit last -p
  hotcell session rewind last --to 3`;

function addMaking(session: Command, io: Io, done: ExitWith): void {
  withSessionFlags(session.command("create"))
    .description("Create a session and print its id")
    .option("--strategy <name>", STRATEGY)
    .option("--fs <mode>", MODE)
    .option("--database <file>", DATABASE)
    .option("--name <name>", "Give the session a name")
    .addHelpText("after", STRATEGIES)
    .action(async (flags: CreateFlags) => {
      const { createSessionFor } = await import("./session-create.ts");
      done(await createSessionFor(io, flags));
    });
  withSessionFlags(session.command("fork"))
    .description("Copy a session and print the new id")
    .argument("<id>", ID)
    .action(async (id: string, flags: SessionFlags) => {
      const { forkSession } = await import("./session-create.ts");
      done(await forkSession(io, id, flags));
    });
}

function addFiles(session: Command, io: Io, done: ExitWith): void {
  withSessionFlags(session.command("export"))
    .description("Write a session to an AgentFS file")
    .argument("<id>", ID)
    .argument("<file>", "A file that does not exist yet")
    .action(async (id: string, file: string, flags: SessionFlags) => {
      const { exportToFile } = await import("./session-file.ts");
      done(await exportToFile(io, id, file, flags));
    });
  withSessionFlags(session.command("import"))
    .description("Create a session from an AgentFS file")
    .argument("<file>", "A database in the AgentFS format 0.4")
    .option("--fs <mode>", MODE)
    .option("--database <file>", DATABASE)
    .action(async (file: string, flags: ModeFlags) => {
      const { importFromFile } = await import("./session-file.ts");
      done(await importFromFile(io, file, flags));
    });
}

function addNaming(session: Command, io: Io, done: ExitWith): void {
  withSessionFlags(session.command("rename"))
    .description("Give a session a name, or another one")
    .argument("<id>", ID)
    .argument("<name>", "Letters, digits, dots, _ and -")
    .action(async (id: string, name: string, flags: SessionFlags) => {
      const { renameGiven } = await import("./session-create.ts");
      done(await renameGiven(io, id, name, flags));
    });
}

const MODE = "Choose the mode: overlay or agentfs";

const DATABASE = "With --fs agentfs, keep the session in this new file";

const STRATEGY = "Use overlayfs (kernel) or a copy of the project (clone)";

const STRATEGIES = `
Without --strategy: kernel if it works here for this project, else clone.
A clone also contains files that belong to another user or group.`;

function addWorking(session: Command, io: Io, done: ExitWith): void {
  withSessionFlags(session.command("shell"))
    .description("Open a sandboxed shell, without rules")
    .argument("<id>", ID)
    .action(async (id: string, flags: SessionFlags) => {
      const { openShell } = await import("../exec.ts");
      done(await openShell(io, id, flags));
    });
}

function addLooking(session: Command, io: Io, done: ExitWith): void {
  withSessionFlags(session.command("list"))
    .description("List the sessions of this project")
    .option("--all", "List the sessions of all projects")
    .action(async (flags: ListFlags) => {
      const { printSessions } = await import("./session-list.ts");
      done(await printSessions(io, flags));
    });
  withSessionFlags(session.command("show"))
    .description("Show a session with its calls and commits")
    .argument("<id>", ID)
    .action(async (id: string, flags: SessionFlags) => {
      const { printSession } = await import("./session-list.ts");
      done(await printSession(io, id, flags));
    });
  addDiffOptions(withSessionFlags(session.command("diff")))
    .description("Show what a session changed")
    .argument("<id>", ID)
    .argument("[paths...]", PATHS)
    .action(async (id: string, paths: string[], flags: DiffFlags) => {
      const { printDiff } = await import("./session-diff.ts");
      done(await printDiff(io, id, paths, flags));
    });
}

export function addDiffOptions(command: Command): Command {
  return command
    .option("--stat", "Show one line for each change")
    .option("--all", "Also show files that git ignores")
    .option("--patch", "Print a patch for git apply, unsafe to view in a terminal")
    .option("--call <call>", "Show one call: its id, or 3 for the third in session show");
}

function addTaking(session: Command, io: Io, done: ExitWith): void {
  addCommitOptions(withSessionFlags(session.command("commit")))
    .description("Commit changes to the project")
    .argument("<id>", ID)
    .argument("[paths...]", PATHS)
    .action(async (id: string, paths: string[], flags: CommitFlags) => {
      done(await commitBy(io, id, paths, flags));
    });
  withSessionFlags(session.command("revert"))
    .description("Revert a commit in the project")
    .argument("<id>", ID)
    .option("--tx <number>", "Revert this commit (default: the last one not reverted)")
    .action(async (id: string, flags: RevertFlags) => {
      const { revertInProject } = await import("./session-recover.ts");
      done(await revertInProject(io, id, flags));
    });
  withSessionFlags(session.command("recover"))
    .description("Finish or roll back interrupted commits")
    .argument("[id]", `${ID} (default: all)`)
    .action(async (id: string | undefined, flags: SessionFlags) => {
      const { recoverCommits } = await import("./session-recover.ts");
      done(await recoverCommits(io, id, flags));
    });
}

/** As files, or the agent's own commits as a branch. */
export async function commitBy(
  io: Io,
  id: string,
  paths: readonly string[],
  flags: CommitFlags,
): Promise<ExitCode> {
  if (flags.gitBranch !== undefined) {
    const { commitAsBranch } = await import("./session-git-branch.ts");
    return commitAsBranch(io, id, paths, flags);
  }
  const { commitToProject } = await import("./session-commit.ts");
  return commitToProject(io, id, paths, flags);
}

export function addCommitOptions(command: Command): Command {
  return command
    .option("-p, --patch", "Select hunks interactively")
    .option("--hunk <id>", "Commit this hunk of session diff --json; repeatable", collect)
    .option("--dry-run", "Print the plan, and change nothing")
    .option("--plan <hash>", "Commit only if the plan still has this hash")
    .option("--on-conflict <policy>", "Resolve by abort (default), skip, ours, theirs, merge")
    .option("--protected", "Also commit files that execute automatically")
    .option("--git-branch <name>", "Take the commits of the agent as this branch")
    .option("--yes", "Do not ask for confirmation");
}

function addGoingBack(session: Command, io: Io, done: ExitWith): void {
  withSessionFlags(session.command("rewind"))
    .description("Rewind a session to before a call")
    .argument("<id>", ID)
    .argument("[paths...]", PATHS)
    .option("--to <call>", "Go to before this call: its id, or 3 for the third")
    .option("--undo", "Undo the last rewind and later changes; repeat to redo")
    .action(async (id: string, paths: string[], flags: RewindFlags) => {
      const { rewindSession } = await import("./session-rewind.ts");
      done(await rewindSession(io, id, paths, flags));
    });
  withSessionFlags(session.command("discard"))
    .description("Discard changes")
    .argument("<id>", ID)
    .argument("[paths...]", PATHS)
    .option("--yes", "Do not ask for confirmation")
    .action(async (id: string, paths: string[], flags: DiscardFlags) => {
      const { discardChanges } = await import("./session-rewind.ts");
      done(await discardChanges(io, id, paths, flags));
    });
}

function addClearing(session: Command, io: Io, done: ExitWith): void {
  withStoreFlags(session.command("gc"))
    .description("Remove unused sessions of all projects")
    .option("--max-size <size>", "Also remove the least recently used until this size fits")
    .option("--dry-run", "Print what would be removed, and remove nothing")
    .option("--yes", "Do not ask for confirmation")
    .action(async (flags: GcFlags) => {
      const { removeUnusedSessions } = await import("./session-gc.ts");
      done(await removeUnusedSessions(io, flags));
    });
}

const ID = 'Id or name of a session, or "last"';
export const PATHS = "Paths relative to the project (default: all)";

export const WAIT = "Wait for a session in use (default: 5)";

export function withSessionFlags(command: Command): Command {
  return withStoreFlags(
    command.option("--workspace <dir>", "Use this project (default: the current directory)"),
  );
}

/** For a command about the sessions of all projects. */
function withStoreFlags(command: Command): Command {
  return command
    .option("--config <file>", "Use this file instead of hotcell.config.json")
    .option("--state-dir <dir>", "Keep sessions in this directory")
    .option("--wait <seconds>", WAIT)
    .option("--json", "Print compact JSON");
}

function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}
