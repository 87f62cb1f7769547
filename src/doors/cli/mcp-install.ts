// hotcell mcp install: writes the entry that makes an MCP client start hotcell, after it has shown the change to the client's file and asked.
import fs from "node:fs";
import path from "node:path";
import { osErrorCode } from "../../core/errors.ts";
import { quote } from "../../core/quote.ts";
import { hunksOf } from "../../workspace/diff/hunks.ts";
import { showName } from "../../workspace/fs/names.ts";
import { MCP_CLIENTS } from "../mcp/client-entries.ts";
import { requireConfirmation, requireYesFlag } from "./ask.ts";
import { type ExitCode, type Io, printLines, printNotes, usage } from "./io.ts";
import { workspaceOf } from "./session/find-session.ts";
import { paintDiff, wantsColour } from "./session/paint-diff.ts";

export interface InstallFlags {
  readonly workspace?: string;
  readonly print?: boolean;
  readonly yes?: boolean;
}

export async function installMcp(io: Io, name: string, flags: InstallFlags): Promise<ExitCode> {
  const client = MCP_CLIENTS.get(name);
  if (client === undefined)
    throw usage(`There is no client ${quote(name)}; known are ${[...MCP_CLIENTS.keys()].join(", ")}.`);
  const { HOME = "", XDG_CONFIG_HOME } = io.env;
  const configHome = XDG_CONFIG_HOME || path.join(HOME, ".config");
  const places = { workspace: workspaceOf(io, flags), configHome };
  if (flags.print) {
    printLines(io, ...client.entry(places).trimEnd().split("\n"));
    return 0;
  }
  const file = client.file(places);
  requireYesFlag(io, flags.yes, `add hotcell to ${quote(file)}`);
  const before = readIfThere(file);
  const after = client.add(before, places);
  if (before === after) {
    printLines(io, `${file} has this entry already.`);
    return 0;
  }
  printNotes(io, `${before === null ? "Create" : "Change"} ${file}:`);
  io.err(paintDiff(diffOf(file, before, after), wantsColour(io, io.errIsTerminal)));
  if (!flags.yes) await requireConfirmation(io, "Write it?", `write ${quote(file)}`);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, after);
  printLines(io, `Wrote ${file}. Start ${name} again to use it.`);
  return 0;
}

function diffOf(file: string, before: string | null, after: string): string {
  const hunks = hunksOf(file, before ?? "", after).flatMap(({ header, lines }) => [header, ...lines]);
  const name = showName(file);
  return [`--- ${before === null ? "/dev/null" : name}`, `+++ ${name}`, ...hunks, ""].join("\n");
}

function readIfThere(file: string): string | null {
  try {
    return fs.readFileSync(file, "utf8");
  } catch (error) {
    if (osErrorCode(error) === "ENOENT") return null;
    throw error;
  }
}
