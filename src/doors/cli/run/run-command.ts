import type { Command } from "commander";
import { type Io, usage } from "../io.ts";
import type { RunFlags } from "./run.ts";

/** What to run: the name of a profile, and the words after `--`. */
export interface RunRequest {
  readonly profile: string | null;
  /** A program and its arguments; empty for those of the profile. */
  readonly line: readonly string[];
}

/** Adds what is special about `hotcell run` to a command that has the flags of a cell. */
export function addRunCommand(run: Command, io: Io, done: (code: number) => void): void {
  run
    .description("Run your agent in a sandbox, then review")
    .usage("[PROFILE] [OPTIONS] [-- PROGRAM ARGUMENTS]")
    .argument("[words...]", "Profile; after -- a program and its arguments")
    .option("--secret <name>", "Give it this variable of yours; repeatable", collect)
    .option("--yes-commit", "Commit all changes if the program ends with status 0")
    .option("--keep", "Keep the changes in the session, and do not ask")
    .option("--home-file <path>", "Give it a copy of this file of your home; repeatable", collect)
    .option("--list-homes", "List the homes of profiles")
    .option("--forget <name>", "Remove the home of this profile here, or by id")
    .option("--yes", "With --forget: do not ask for confirmation")
    .option("--profile-check <name>", "Say what this machine lacks for a profile")
    .option("--json", "Print the summary as compact JSON")
    .addHelpText("after", EXAMPLES)
    .action(async (words: string[], flags: RunFlags) => {
      const request = readRequest(words, wordsAfterDashes(run));
      const { profileCheck, listHomes, forget } = flags;
      if (listHomes === true || forget !== undefined) {
        const { forgetHome, printHomes } = await import("./homes-command.ts");
        done(forget === undefined ? printHomes(io, flags) : await forgetHome(io, forget, flags));
        return;
      }
      if (profileCheck !== undefined) {
        const { checkProfile } = await import("./check-profile.ts");
        done(await checkProfile(io, profileCheck, flags));
        return;
      }
      const { runProgram } = await import("./run.ts");
      done(await runProgram(io, request, flags));
    });
}

const EXAMPLES = `
Examples:
  hotcell run codex
  hotcell run codex -- codex exec 'Repair the test'
  hotcell run -- bash

Exit status: that of the program.`;

function readRequest(words: readonly string[], after: number): RunRequest {
  const [profile = null, ...more] = words.slice(0, words.length - after);
  if (more.length > 0)
    throw usage(`Write the program and its arguments after --: hotcell run ${profile} -- PROGRAM ${more[0]}`);
  return { profile, line: words.slice(words.length - after) };
}

/** Commander does not tell whether a word came before or after `--`. */
function wordsAfterDashes(command: Command): number {
  const given = (command.parent as unknown as { readonly rawArgs: readonly string[] }).rawArgs;
  const at = given.indexOf("--");
  return at < 0 ? 0 : given.length - at - 1;
}

function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}
