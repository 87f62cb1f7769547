import type { Approve } from "../approval/approve.ts";
import type { FileLimits, RuleOrigin, TrustLevel } from "../core/types.ts";
import type { ProtectOptions } from "../policy/protected.ts";
import type { ToolScope } from "../policy/scope.ts";
import type { CommandLimits } from "../shield/process/command.ts";
import type { Tool } from "../tools/define-tool.ts";
import type { MountOptions } from "../workspace/mounts/mount.ts";
import type { FilesOptions } from "../workspace/open-files.ts";
import type { RulebookOptions } from "./tools-and-policy.ts";

/** The options of `openCell`. Either `workspace` or `session` is required. */
export interface CellOptions {
  /**
   * The project's directory. May be left out with `session`.
   * @example "/home/me/project"
   */
  readonly workspace?: string;
  /**
   * Where changes go: `overlay` keeps them in a session until they are committed, `host` writes them to the project at
   * once. `agentfs` is not supported yet.
   * @default "overlay"
   */
  readonly fs?: "host" | "overlay" | "agentfs";
  /**
   * The id of a session to continue.
   * @default a new session
   */
  readonly session?: string;
  /**
   * A name for the work in this project. A later cell with the same name continues the same session, log and `@state`.
   * @default no name
   * @example "nightly-upgrade"
   */
  readonly run?: string;
  /**
   * How a new session is stored: `kernel` uses overlayfs, `clone` copies the project.
   * @default "kernel" if this machine supports it for the project, else "clone"
   */
  readonly strategy?: "kernel" | "clone";
  /**
   * The directory for sessions, logs and locks. It must be outside the project.
   * @default $HOTCELL_STATE_DIR, else $XDG_STATE_HOME/hotcell, else ~/.local/state/hotcell
   */
  readonly stateDir?: string;
  /**
   * Called while a project is copied, with the number of files and directories. `total` is null if it is not known.
   * @default no callback
   */
  readonly onProgress?: (done: number, total: number | null) => void;

  /**
   * The built-in toolsets to load: `sidecar`, `mounts`, `studio`, `processes`. The first one shapes the observation of a
   * call whose tool is unknown.
   * @default ["sidecar"]
   */
  readonly toolsets?: readonly string[];
  /**
   * Your own tools, made with `defineTool`, `commandTool` or `inlineTool`.
   * @default []
   */
  readonly tools?: readonly Tool[];
  /**
   * More directories for the toolset `mounts`, by name: `{ pkg: { path } }` is `@pkg`. A mount is read-only unless its
   * `access` is `rw`; writes to it reach the disk at once, not a session.
   * @default {} (`@project` and `@state` always exist)
   * @example { docs: { path: "/srv/docs" }, out: { path: "/srv/out", access: "rw" } }
   */
  readonly mounts?: Readonly<Record<string, MountOptions>>;
  /**
   * A second directory for the toolset `studio`. Writes reach the disk at once, not a session; commands may read it.
   * @default no second directory
   */
  readonly storage?: string;

  /**
   * What happens to a call that no rule decides: `supervised` asks for every call, `guided` for dangerous ones (see
   * `approvals`), `autonomous` for none.
   * @default "guided"
   */
  readonly trust?: TrustLevel;
  /**
   * Which dangerous calls `guided` asks for: `effects` those whose effect leaves the session, `calls` all of them.
   * @default "effects"
   */
  readonly approvals?: "effects" | "calls";
  /**
   * Asks a person. Without it, every call that has to be approved is denied.
   * @default no callback
   * @example ({ tool, paths }) => confirm(`${tool} on ${paths.join(", ")}?`)
   */
  readonly approve?: Approve;
  /**
   * Rules of the form `allow|ask|deny TOOL(PATTERN)`. Their order does not matter: deny overrides ask, ask overrides allow.
   * @default []
   * @example ["allow run_command(npm test)", "deny write_file(src/generated/**)"]
   */
  readonly rules?: readonly (string | RuleOrigin)[];
  /**
   * Which tools, paths and times the caller has at all. A scope only narrows: rules and trust still decide each call.
   * @default null (everything)
   * @example { permissions: { read_file: { allowed: true, paths: ["src"], timeout: "5s" } } }
   */
  readonly scope?: ToolScope | null;
  /**
   * Globs of further secret files, and globs of files that are not protected.
   * @default only the built-in list, such as `.env` and private keys
   * @example { secrets: ["config/*.secret"], allow: ["test/fixtures/**"] }
   */
  readonly protect?: ProtectOptions;
  /**
   * Values that must not appear in the log.
   * @default []
   */
  readonly secrets?: readonly string[];

  /**
   * Who calls, for the log and for `agents`. `cell.call` can name another one.
   * @default no id
   */
  readonly agentId?: string;
  /**
   * How much each agent may read and write per call with the toolset `mounts`, by agent id. Sizes are in bytes. A missing
   * limit keeps its default.
   * @default { maxReadBytes: 50_000, maxWriteBytes: 100_000, maxEntries: 200, maxMatches: 50 } for every agent
   * @example { reviewer: { maxReadBytes: 200_000 } }
   */
  readonly agents?: Readonly<Record<string, Partial<FileLimits>>>;

  /**
   * The time limit of one call in milliseconds, unless its tool or the scope has another.
   * @default 60_000
   */
  readonly timeoutMs?: number;
  /**
   * The limits of one command. Sizes are in bytes. A missing limit keeps its default: `cpuSeconds` 600, `memoryBytes`
   * 4 GiB, `processes` 512, `fileBytes` 4 GiB, `openFiles` 4096, `diskBytes` 8 GiB, `outputBytes` 64 MiB.
   * @default {}
   * @example { memoryBytes: 1024 ** 3, processes: 64 }
   */
  readonly limits?: Partial<Omit<CommandLimits, "timeoutMs">>;
  /**
   * Absolute paths of directories outside the system directories that commands may read and run programs from.
   * @default []
   * @example ["/opt/node-22"]
   */
  readonly toolchains?: readonly string[];
  /**
   * Environment variables of every command, beside PATH, HOME and the like. Nothing else is inherited.
   * @default {}
   * @example { CI: "1" }
   */
  readonly env?: Readonly<Record<string, string>>;
}

/** The options of the parts that `openCell` opens. */
type PartOptions = FilesOptions & Omit<RulebookOptions, "fs">;

type IsSame<A, B> = [A, B] extends [B, A] ? (keyof A extends keyof B ? true : false) : false;
type MustBeTrue<Claim extends true> = Claim;

/** Compiles only while every option of the parts is listed above, with the same type. */
type _CellOptionsAgree = MustBeTrue<
  IsSame<Pick<CellOptions, keyof PartOptions>, Pick<PartOptions, keyof PartOptions>>
>;
