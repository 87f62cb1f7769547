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
    .description("a copy-on-write view of a project: see what an agent did in it, take it or throw it away")
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
    .description("make a session of a project, and print its id")
    .option("--strategy <name>", STRATEGY)
    .action(async (flags: CreateFlags) => {
      const { createSessionFor } = await import("./session-create.ts");
      done(await createSessionFor(io, flags));
    });
  withSessionFlags(session.command("fork"))
    .description("make another session with the same changes, and print its id")
    .argument("<id>", ID)
    .action(async (id: string, flags: SessionFlags) => {
      const { forkSession } = await import("./session-create.ts");
      done(await forkSession(io, id, flags));
    });
}

const STRATEGY =
  "kernel: the system's overlay; clone: a copy, also of files that belong to another user or group. Unless told, what works here for this project";

function addWorking(session: Command, io: Io, done: Done): void {
  withSessionFlags(session.command("shell"))
    .description("open a shell in a session: shielded, but without rules")
    .argument("<id>", ID)
    .action(async (id: string, flags: SessionFlags) => {
      const { openShell } = await import("../exec.ts");
      done(await openShell(io, id, flags));
    });
}

function addLooking(session: Command, io: Io, done: Done): void {
  withSessionFlags(session.command("list"))
    .description("list the sessions of all projects")
    .action(async (flags: SessionFlags) => {
      const { printSessions } = await import("./session-list.ts");
      done(await printSessions(io, flags));
    });
  withSessionFlags(session.command("show"))
    .description("print one session with its calls and commits")
    .argument("<id>", ID)
    .action(async (id: string, flags: SessionFlags) => {
      const { printSession } = await import("./session-list.ts");
      done(await printSession(io, id, flags));
    });
  withSessionFlags(session.command("diff"))
    .description("print what the session changed")
    .argument("<id>", ID)
    .option("--stat", "one line for each change")
    .option("--patch", "for git apply, as it is: not safe to look at in a terminal")
    .option("--call <call>", "only what this call changed: its id, or 3 for the third in session show")
    .action(async (id: string, flags: DiffFlags) => {
      const { printDiff } = await import("./session-diff.ts");
      done(await printDiff(io, id, flags));
    });
}

function addTaking(session: Command, io: Io, done: Done): void {
  withSessionFlags(session.command("commit"))
    .description("take changes into the project: all, some paths or some hunks")
    .argument("<id>", ID)
    .argument("[paths...]", PATHS)
    .option("-p, --patch", "ask for each hunk")
    .option("--hunk <id>", "one hunk, by its id in session diff --json; repeatable", collect)
    .option("--dry-run", "print the plan; nothing is changed")
    .option("--plan <hash>", "commit only when the plan is still this one")
    .option(
      "--on-conflict <policy>",
      "abort, skip, ours, theirs or merge, where the project changed meanwhile",
    )
    .option("--protected", "also what runs by itself, such as CI files and git hooks")
    .option("--yes", "do not ask")
    .action(async (id: string, paths: string[], flags: CommitFlags) => {
      const { commitToProject } = await import("./session-commit.ts");
      done(await commitToProject(io, id, paths, flags));
    });
  withSessionFlags(session.command("revert"))
    .description("take a commit back out of the project")
    .argument("<id>", ID)
    .option("--tx <number>", "which commit; the last that was not taken back unless told")
    .action(async (id: string, flags: RevertFlags) => {
      const { revertInProject } = await import("./session-recover.ts");
      done(await revertInProject(io, id, flags));
    });
  withSessionFlags(session.command("recover"))
    .description("finish commits that were interrupted, or roll them back")
    .argument("[id]", `${ID}; all sessions unless told`)
    .action(async (id: string | undefined, flags: SessionFlags) => {
      const { recoverCommits } = await import("./session-recover.ts");
      done(await recoverCommits(io, id, flags));
    });
}

function addGoingBack(session: Command, io: Io, done: Done): void {
  withSessionFlags(session.command("rewind"))
    .description("go back to before a call, commands included")
    .argument("<id>", ID)
    .argument("[paths...]", PATHS)
    .option("--to <call>", "the call's id, or 3 for the third in session show")
    .option("--undo", "take the last rewind back, and put away what was done since; once more undoes that")
    .action(async (id: string, paths: string[], flags: RewindFlags) => {
      const { rewindSession } = await import("./session-rewind.ts");
      done(await rewindSession(io, id, paths, flags));
    });
  withSessionFlags(session.command("discard"))
    .description("throw changes away: some paths, or all")
    .argument("<id>", ID)
    .argument("[paths...]", PATHS)
    .option("--yes", "do not ask")
    .action(async (id: string, paths: string[], flags: DiscardFlags) => {
      const { discardChanges } = await import("./session-rewind.ts");
      done(await discardChanges(io, id, paths, flags));
    });
}

function addClearing(session: Command, io: Io, done: Done): void {
  withSessionFlags(session.command("gc"))
    .description(
      "remove sessions in which nothing is left to take or to take back, and what no session needs",
    )
    .option("--max-size <size>", "also others, the longest unused first, until all take less, such as 5G")
    .option("--dry-run", "say what would be removed")
    .option("--yes", "do not ask")
    .action(async (flags: GcFlags) => {
      const { removeUnusedSessions } = await import("./session-gc.ts");
      done(await removeUnusedSessions(io, flags));
    });
}

const ID = 'the session\'s id, or "last"';
const PATHS = "relative to the project; all unless told";

function withSessionFlags(command: Command): Command {
  return command
    .option("--workspace <dir>", "the project; here unless told")
    .option("--config <file>", "configuration to use instead of the project's hotcell.config.json")
    .option("--state-dir <dir>", "where sessions are kept")
    .option("--json", "one compact JSON document on standard output");
}

function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}
