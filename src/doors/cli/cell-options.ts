import type { CellOptions } from "../../cell.ts";
import type { Config } from "../../config/config.ts";
import { loadConfig } from "../../config/load-config.ts";
import { HotcellError } from "../../core/errors.ts";
import { configuredTools } from "./configured-tools.ts";
import type { Io } from "./io.ts";
import type { CellFlags } from "./main.ts";
import { readStrategy } from "./session/read-strategy.ts";
import { findSession, workspaceOf } from "./session/session-place.ts";

/** The cell that flags, environment and configuration file describe. */
export function cellOptions(io: Io, flags: CellFlags): CellOptions {
  const strategy = readStrategy(flags.strategy, flags.session);
  const found = flags.session === undefined ? null : findSession(io, flags.session, flags);
  const workspace = found?.workspace ?? workspaceOf(io, flags);
  const config = loadConfig({ file: flags.config, workspace, env: io.env, flags, cwd: io.cwd });
  refuseUnbuilt(config);
  return {
    workspace,
    fs: config.workspaceFsMode,
    ...(found !== null && { session: found.id }),
    ...(strategy && { strategy }),
    toolsets: config.toolsets,
    mounts: Object.fromEntries(config.mounts.map(({ name, ...mount }) => [name, mount])),
    ...(config.storage !== undefined && { storage: config.storage }),
    agents: Object.fromEntries(config.agents.map(({ id, ...limits }) => [id, limits])),
    ...configuredTools(config, io.env),
    trust: config.trust,
    approvals: config.approve,
    rules: config.rules,
    protect: config.protect,
    stateDir: config.stateDir,
    timeoutMs: config.toolTimeoutSecs * 1000,
    ...commandOptions(config.commands, io.env),
  };
}

const MiB = 1024 * 1024;

function commandOptions(
  { memoryMb, processes, diskMb, outputMb, toolchains, env }: Config["commands"],
  own: Io["env"],
): Pick<CellOptions, "limits" | "toolchains" | "env"> {
  const given = env.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]] as const]));
  return {
    limits: { memoryBytes: memoryMb * MiB, processes, diskBytes: diskMb * MiB, outputBytes: outputMb * MiB },
    toolchains,
    env: Object.fromEntries(given),
  };
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
