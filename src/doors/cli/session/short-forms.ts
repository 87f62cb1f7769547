// `hotcell diff`, `commit` and `undo`: the everyday commands on the last session of this project.
import type { Command } from "commander";
import { LAST } from "../../../workspace/session/registry/find-session.ts";
import type { Io } from "../io.ts";
import type { SessionFlags } from "./find-session.ts";
import {
  addCommitOptions,
  addDiffOptions,
  commitBy,
  type ExitWith,
  PATHS,
  withSessionFlags,
} from "./session-commands.ts";
import type { CommitFlags } from "./session-commit.ts";
import type { DiffFlags } from "./session-diff.ts";

interface ShortFlags {
  readonly session?: string;
}

export function addShortForms(program: Command, io: Io, done: ExitWith): void {
  addDiffOptions(withSession(program.command("diff")))
    .description("Show what the last session changed")
    .argument("[paths...]", PATHS)
    .action(async (paths: string[], { session = LAST, ...flags }: DiffFlags & ShortFlags) => {
      const { printDiff } = await import("./session-diff.ts");
      done(await printDiff(io, session, paths, flags));
    });
  addCommitOptions(withSession(program.command("commit")))
    .description("Commit what the last session changed")
    .argument("[paths...]", PATHS)
    .action(async (paths: string[], { session = LAST, ...flags }: CommitFlags & ShortFlags) => {
      done(await commitBy(io, session, paths, flags));
    });
  withSessionFlags(program.command("undo"))
    .description("Revert the last commit to this project")
    .action(async (flags: SessionFlags) => {
      const { undoLastCommit } = await import("./session-recover.ts");
      done(await undoLastCommit(io, flags));
    });
}

function withSession(command: Command): Command {
  return withSessionFlags(command).option("--session <id>", "Use another session: id, name, or last");
}
