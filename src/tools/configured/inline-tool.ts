import path from "node:path";
import type { Interpreter } from "../../config/tool-schema.ts";
import { HotcellError } from "../../core/errors.ts";
import type { Tool } from "../define-tool.ts";
import { checkDefinition } from "./check-definition.ts";
import { findProgram, systemPath } from "./find-program.ts";
import { type ShieldedToolOptions, shieldedTool } from "./shielded-tool.ts";

export interface InlineToolOptions extends ShieldedToolOptions {
  readonly interpreter: Interpreter;
  /** Its first argument is the call's arguments, as JSON. */
  readonly script: string;
}

/** A tool that is a script. */
export function inlineTool(options: InlineToolOptions): Tool {
  checkDefinition("inline", options);
  const { name, interpreter, script } = options;
  const wrap = WRAPS[interpreter];
  return shieldedTool(options, {
    toolset: "inline",
    // The author of the configuration wrote the script, so it needs no allowlist.
    permit() {},
    arguments: (args) => [...wrap(script, name), JSON.stringify(args)],
    find: (workspace) => findInterpreter(interpreter, workspace),
  });
}

/** The interpreter's arguments before the first argument of the script. */
type Wrap = (script: string, tool: string) => readonly string[];

// Isolated mode: otherwise "import json" would load a json.py of the project.
const python: Wrap = (script) => ["-I", "-c", script];
const shell: Wrap = (script, tool) => ["-c", script, tool];
const evaluating: Wrap = (script) => ["-e", script, "--"];

const WRAPS: Readonly<Record<Interpreter, Wrap>> = {
  python3: python,
  python,
  node: evaluating,
  bash: shell,
  sh: shell,
  perl: evaluating,
  ruby: evaluating,
};

function findInterpreter(name: Interpreter, workspace: string): string {
  // Node.js may be installed for one user only.
  const searchPath = `${systemPath()}:${path.dirname(process.execPath)}`;
  const found = findProgram(name, searchPath, workspace);
  if (found !== null) return found;
  throw new HotcellError("NOT_FOUND", `interpreter not found: ${name}`, { interpreter: name });
}
