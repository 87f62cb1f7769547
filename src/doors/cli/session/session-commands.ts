import type { Command } from "commander";
import type { Io } from "../io.ts";
import type { CommitFlags } from "./session-commit.ts";
import type { CreateFlags } from "./session-create.ts";
import type { DiffFlags } from "./session-diff.ts";
import type { GcFlags } from "./session-gc.ts";
import type { SessionFlags } from "./session-place.ts";
import type { RevertFlags } from "./session-recover.ts";
import type { DiscardFlags, RewindFlags } from "./session-rewind.ts";

type Done = (code: number) => void;

export function addSessionCommands(program: Command, io: Io, done: Done): void {
  const session = program
    .command("session")
    .description("Review and commit what an agent changed")
    .helpCommand("help [command]", "Show help")
    .addHelpText("after", EXAMPLES);
  addMaking(session, io, done);
  addWorking(session, io, done);
  addLooking(session, io, done);
  addTaking(session, io, done);
  addGoingBack(session, io, done);
  addClearing(session, io, done);
}

const EXAMPLES = `
A session is named by its id, or "last": the newest one of this project.

Examples:
  hotcell session diff last --stat
  hotcell session commit last src README.md
  hotcell session commit last -p
  hotcell session rewind last --to 3`;

function addMaking(session: Command, io: Io, done: Done): void {
  withSessionFlags(session.command("create"))
    .description("Create a session and print its id")
    .option("--strategy <name>", STRATEGY)
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

const STRATEGY = "Use overlayfs (kernel) or a copy of the project (clone)";

const STRATEGIES = `
Without --strategy: kernel if it works here for this project, else clone.
A clone also contains files that belong to another user or group.`;

function addWorking(session: Command, io: Io, done: Done): void {
  withSessionFlags(session.command("shell"))
    .description("Open a sandboxed shell, without rules")
    .argument("<id>", ID)
    .action(async (id: string, flags: SessionFlags) => {
      const { openShell } = await import("../exec.ts");
      done(await openShell(io, id, flags));
    });
}

function addLooking(session: Command, io: Io, done: Done): void {
  withSessionFlags(session.command("list"))
    .description("List the sessions of all projects")
    .action(async (flags: SessionFlags) => {
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
  withSessionFlags(session.command("diff"))
    .description("Show what a session changed")
    .argument("<id>", ID)
    .option("--stat", "Show one line for each change")
    .option("--patch", "Print a patch for git apply, unsafe to view in a terminal")
    .option("--call <call>", "Show one call: its id, or 3 for the third in session show")
    .action(async (id: string, flags: DiffFlags) => {
      const { printDiff } = await import("./session-diff.ts");
      done(await printDiff(io, id, flags));
    });
}

function addTaking(session: Command, io: Io, done: Done): void {
  withSessionFlags(session.command("commit"))
    .description("Commit changes to the project")
    .argument("<id>", ID)
    .argument("[paths...]", PATHS)
    .option("-p, --patch", "Select hunks interactively")
    .option("--hunk <id>", "Commit this hunk of session diff --json; repeatable", collect)
    .option("--dry-run", "Print the plan, and change nothing")
    .option("--plan <hash>", "Commit only if the plan still has this hash")
    .option("--on-conflict <policy>", "Resolve by abort (default), skip, ours, theirs, merge")
    .option("--protected", "Also commit files that execute automatically")
    .option("--yes", "Do not ask for confirmation")
    .action(async (id: string, paths: string[], flags: CommitFlags) => {
      const { commitToProject } = await import("./session-commit.ts");
      done(await commitToProject(io, id, paths, flags));
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
    .argument("[id]", `${ID} (default: all sessions)`)
    .action(async (id: string | undefined, flags: SessionFlags) => {
      const { recoverCommits } = await import("./session-recover.ts");
      done(await recoverCommits(io, id, flags));
    });
}

function addGoingBack(session: Command, io: Io, done: Done): void {
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

function addClearing(session: Command, io: Io, done: Done): void {
  withSessionFlags(session.command("gc"))
    .description("Remove empty sessions and unused data")
    .option("--max-size <size>", "Also remove the least recently used until this size fits")
    .option("--dry-run", "Print what would be removed, and remove nothing")
    .option("--yes", "Do not ask for confirmation")
    .action(async (flags: GcFlags) => {
      const { removeUnusedSessions } = await import("./session-gc.ts");
      done(await removeUnusedSessions(io, flags));
    });
}

const ID = 'Id of the session, or "last"';
const PATHS = "Paths relative to the project (default: all)";

function withSessionFlags(command: Command): Command {
  return command
    .option("--workspace <dir>", "Use this project (default: the current directory)")
    .option("--config <file>", "Use this file instead of hotcell.config.json")
    .option("--state-dir <dir>", "Keep sessions in this directory")
    .option("--json", "Print compact JSON");
}

function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}
