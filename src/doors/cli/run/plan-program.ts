// What a run starts, and what the program gets beside the options of its cell.
import type { CellOptions } from "../../../cell.ts";
import type { ConfiguredCell } from "../cell-options.ts";
import type { Io } from "../io.ts";
import { findProfileProgram, profileSecrets, refuseHidden, requireProgram } from "./profile-program.ts";
import { findProfile, type Profile, profileRules } from "./profiles.ts";
import type { RunRequest } from "./run-command.ts";

/** A program and its arguments. */
export type ProgramLine = readonly [string, ...string[]];

export interface ProgramPlan {
  readonly profile: Profile | null;
  readonly line: ProgramLine;
  readonly options: Pick<CellOptions, "rules" | "readable" | "env">;
  /** Values of variables that the log masks, by name. */
  readonly secrets: Readonly<Record<string, string>>;
}

/**
 * Without a profile, the words are the line. With one, they replace its line: a shell, for example, that has the same
 * cell. If they begin with the profile's own program, its arguments come first.
 */
export function planProgram(
  io: Io,
  { profile: name, line: words }: RunRequest,
  { options, config }: ConfiguredCell,
): ProgramPlan {
  if (name === null) {
    refuseHidden(words[0]!, io, options);
    return { line: words as unknown as ProgramLine, profile: null, options: {}, secrets: {} };
  }
  const profile = findProfile(name, config);
  const [program = profile.program, ...args] = words;
  const isOwn = program === profile.program;
  const found = findProfileProgram(profile, io, options);
  if (!isOwn) refuseHidden(program, io, options);
  const shown = isOwn ? requireProgram(profile, found) : found;
  return {
    profile,
    line: isOwn ? [shown!.path, ...profile.arguments, ...args] : [program, ...args],
    options: {
      rules: [...(options.rules ?? []), ...profileRules(profile)],
      // Another program, such as a shell, can start the profile's own if that is there.
      readable: shown === null || shown.faults.length > 0 ? [] : shown.directories,
      env: { ...options.env, ...profile.variables },
    },
    secrets: profileSecrets(profile, io),
  };
}
