// The program of a profile on this machine, and the cell that it needs.
import os from "node:os";
import path from "node:path";
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
  io: Pick<Io, "env">,
  surroundings: Surroundings,
): FoundProgram | null {
  return locateProgram({ name: program, searched, ...findVisible(io, surroundings) });
}

/** Throws if the user has the program only where it cannot be shown to the sandbox. */
export function refuseHidden(program: string, io: Pick<Io, "env">, surroundings: Surroundings): void {
  const { user, visible } = findVisible(io, surroundings);
  const at = path.resolve(surroundings.workspace ?? "", program);
  const directories = program.includes("/") ? [path.dirname(at)] : (io.env.PATH ?? "").split(":");
  const name = path.basename(program);
  const found = directories.flatMap(
    (PATH) => locateProgram({ name, searched: [], user: { ...user, env: { PATH } }, visible }) ?? [],
  );
  const [first] = found;
  if (first === undefined || found.some(({ faults }) => faults.length === 0)) return;
  throw new HotcellError(
    "NOT_FOUND",
    `Could not run ${quote(program)}: ${quote(first.at)} is there, but ${first.faults.join("; ")}. Put the program elsewhere, for example into ~/.local/bin`,
  );
}

function findVisible(
  { env }: Pick<Io, "env">,
  { workspace, toolchains = [], userToolchains = false }: Surroundings,
) {
  const user = { env, home: env.HOME || os.homedir() };
  const { directories } = userToolchains ? findUserToolchains(user) : NO_TOOLCHAINS;
  const project = workspace === undefined ? [] : [tryRealPath(workspace) ?? workspace];
  return { user, visible: [...directories, ...toolchains, ...project] };
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
