// The program of a profile on this machine, and the cell that it needs.
import os from "node:os";
import type { CellOptions } from "../../../cell.ts";
import { HotcellError } from "../../../core/errors.ts";
import { quote } from "../../../core/quote.ts";
import { tryRealPath } from "../../../core/real-path.ts";
import { type FoundProgram, locateProgram } from "../../../shield/host/locate-program.ts";
import { findUserToolchains, NO_TOOLCHAINS } from "../../../shield/host/user-toolchains.ts";
import type { Io } from "../io.ts";
import type { Profile } from "./profiles.ts";

type Surroundings = Pick<CellOptions, "workspace" | "toolchains" | "userToolchains">;

/** Null if it is not installed. */
export function findProfileProgram(
  { program, searched }: Profile,
  { env }: Pick<Io, "env">,
  { workspace, toolchains = [], userToolchains = false }: Surroundings,
): FoundProgram | null {
  const user = { env, home: env.HOME || os.homedir() };
  const { directories } = userToolchains ? findUserToolchains(user) : NO_TOOLCHAINS;
  const visible = [
    ...directories,
    ...toolchains,
    ...(workspace === undefined ? [] : [tryRealPath(workspace) ?? workspace]),
  ];
  return locateProgram({ name: program, searched, user, visible });
}

/** Throws with the next step if the program cannot run in a sandbox. */
export function requireProgram(profile: Profile, found: FoundProgram | null): FoundProgram {
  if (found !== null && found.faults.length === 0) return found;
  const install = found === null && profile.install !== null ? ` Install it: ${profile.install}.` : "";
  const why =
    found === null ? missingText(profile) : `${quote(found.at)} is there, but ${found.faults.join("; ")}`;
  const next = `See hotcell run --profile-check ${profile.name}`;
  throw new HotcellError("NOT_FOUND", `Could not run ${quote(profile.program)}: ${why}.${install} ${next}`);
}

export function missingText({ program, searched }: Profile): string {
  const others = searched.length === 0 ? "" : `, nor in ${searched.join(", ")}`;
  return `there is no program ${quote(program)} on your PATH${others}`;
}

/** Variables of the user that the profile names and that are set. */
export function profileSecrets({ secrets }: Profile, { env }: Pick<Io, "env">): Record<string, string> {
  return Object.fromEntries(secrets.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
}
