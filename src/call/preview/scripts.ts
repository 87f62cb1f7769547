// The files of the workspace that a command line runs by their paths, as `./run.sh`. A yes holds for their content.
import { createHash } from "node:crypto";
import path from "node:path";
import { HotcellError } from "../../core/errors.ts";
import { quote } from "../../core/quote.ts";
import type { SimpleCommand } from "../../policy/shell/command-line.ts";
import { readCommandLine } from "../../policy/shell/read-command-line.ts";
import { directoryAfter, LINE_START, pathFrom } from "../../policy/shell/working-directory.ts";
import type { WorkspaceFS } from "../../workspace/files/workspace-fs.ts";
import type { Cooperative } from "../../workspace/fs/cooperative.ts";
import { showName } from "../../workspace/fs/names.ts";
import type { PreparedCall } from "../prepare.ts";

/** Their paths, as far as the line shows them. */
export function scriptsOf({ tool, arguments: { cwd }, decision }: PreparedCall): string[] {
  if (tool.subject !== "command") return [];
  const start = typeof cwd === "string" ? cwd : ".";
  const lines = decision.judged.subjects.map(readCommandLine);
  const paths = lines.flatMap((line) => (line.readable ? pathsIn(line.commands) : []));
  const inWorkspace = paths.filter((at) => !at.startsWith("~"));
  return [...new Set(inWorkspace.map((at) => (at.startsWith("/") ? at : `${start}/${at}`)))];
}

/** After `cd $x` the line does not show where a relative path leads. */
function pathsIn(commands: readonly SimpleCommand[]): string[] {
  const lost = commands.findIndex(({ words }) => directoryAfter(words, "/") === LINE_START);
  return commands.flatMap(({ words: [name], directory }, at) => {
    if (!name!.fixed || name!.text?.includes("/") !== true) return [];
    // A shell takes `..` of cd from the text, and of a path to run from the directory that is there.
    const script = pathFrom(path.posix.normalize(directory), name!);
    return lost === -1 || at < lost || script.startsWith("/") ? [script] : [];
  });
}

/** One line for each script that is in the workspace, with its version. */
export function* describeScripts(scripts: readonly string[], files: WorkspaceFS): Cooperative<string[]> {
  const lines: string[] = [];
  for (const at of scripts) {
    const found = yield* findVersion(at, files);
    if (found !== null) lines.push(`runs ${quote(showName(found.path))}: ${found.version}`);
  }
  return lines;
}

interface FoundScript {
  /** After links. */
  readonly path: string;
  readonly version: string;
}

/** Null if it is not in the workspace, or no tool may read it. */
function* findVersion(at: string, files: WorkspaceFS): Cooperative<FoundScript | null> {
  try {
    const file = files.open(at);
    try {
      const hash = createHash("sha256");
      for (const chunk of file.chunks()) {
        hash.update(chunk);
        yield;
      }
      return { path: file.path, version: `sha256 ${hash.digest("hex")}` };
    } finally {
      file.close();
    }
  } catch (error) {
    if (!(error instanceof HotcellError)) throw error;
    if (error.code !== "NOT_FOUND") return null;
    return { path: path.posix.normalize(at), version: "there is no such file" };
  }
}
