import path from "node:path";
import { type Cell, type CellOptions, openCell } from "../../cell.ts";
import type { Config } from "../../config/config.ts";
import { loadConfig } from "../../config/load-config.ts";
import { HotcellError } from "../../core/errors.ts";
import type { Io } from "./io.ts";
import type { CellFlags } from "./main.ts";

/** The cell that flags, environment and configuration file describe; what the command itself says goes first. */
export async function openCellFor(io: Io, flags: CellFlags, own: Partial<CellOptions> = {}): Promise<Cell> {
  const workspace = path.resolve(io.cwd, flags.workspace);
  const config = loadConfig({ file: flags.config, workspace, env: io.env, flags, cwd: io.cwd });
  refuseUnbuilt(config);
  return openCell({
    workspace,
    fs: config.workspaceFsMode,
    toolsets: config.toolsets,
    trust: config.trust,
    rules: config.rules,
    protect: config.protect,
    stateDir: config.stateDir,
    timeoutMs: config.toolTimeoutSecs * 1000,
    ...own,
  });
}

/** Settings of a later version: said, not ignored. */
function refuseUnbuilt({ toolRuntime, toolAllowDirectNetwork }: Config): void {
  const unbuilt = [
    ...(toolRuntime === "wasm" ? ["toolRuntime wasm"] : []),
    ...(toolAllowDirectNetwork ? ["toolAllowDirectNetwork"] : []),
  ];
  if (unbuilt.length === 0) return;
  throw new HotcellError(
    "NOT_SUPPORTED",
    `Could not open the cell: this version does not have ${unbuilt.join(" and ")} yet.`,
  );
}
