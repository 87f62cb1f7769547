// Which programs a configured tool may run: 003's allowlist.
import { HotcellError } from "../../core/errors.ts";
import { quote } from "../../core/quote.ts";
import { findProgram, systemPath } from "./find-program.ts";

/**
 * Returns the path of the program. Throws COMMAND_BLOCKED if the list does not contain exactly this name, and NOT_FOUND if
 * the system does not have the program. Programs in `workspace` do not count.
 */
export function validateBinary(
  binary: string,
  allowlist: readonly string[] | null | undefined,
  searchPath: string = systemPath(),
  workspace: string | null = null,
): string {
  refuseUnlisted(binary, allowlist);
  const found = findProgram(binary, searchPath, workspace);
  if (found !== null) return found;
  throw new HotcellError("NOT_FOUND", `binary ${quote(binary)} not found on system`, { binary });
}

/** The check that does not need the disk. */
export function refuseUnlisted(binary: string, allowlist: readonly string[] | null | undefined): void {
  // In text, includes would find any part of it.
  if (!Array.isArray(allowlist) || allowlist.length === 0)
    throw new HotcellError("COMMAND_BLOCKED", NO_ALLOWLIST, { binary });
  if (allowlist.includes(binary) && !binary.includes("/")) return;
  throw new HotcellError("COMMAND_BLOCKED", `binary ${quote(binary)} not in allowlist`, { binary });
}

const NO_ALLOWLIST =
  "command tool execution blocked: no allowlist configured. Configure allowed_commands in agent or server config.";
