import type { Approve } from "../approval/approve.ts";
import type { FileLimits, RuleOrigin, ToolLimits, TrustLevel } from "../core/types.ts";
import type { ModelProvider } from "../models/model.ts";
import type { NetworkOptions, WebSearchOptions } from "../net/network-clients.ts";
import type { ProtectOptions } from "../policy/protected.ts";
import type { ToolScope } from "../policy/scope.ts";
import type { CommandLimits } from "../shield/process/command.ts";
import type { Tool } from "../tools/define-tool.ts";
import type { MountOptions } from "../workspace/mounts/mount.ts";
import type { FilesOptions } from "../workspace/open-files.ts";
import type { ToolsAndPolicyOptions } from "./tools-and-policy.ts";

/** The options of `openCell`. Either `workspace` or `session` is required. */
export interface CellOptions {
  /**
   * The project's directory. May be left out with `session`.
   * @default the project of `session`
   * @example "/home/me/project"
   */
  readonly workspace?: string;
  /**
   * Where changes go: `overlay` keeps them in a session until they are committed, `agentfs` does so and also keeps them in
   * one SQLite file, `host` writes them to the project at once. A session keeps its mode.
   * @default "overlay", or the mode of the session that is continued
   * @example "agentfs"
   */
  readonly fs?: "host" | "overlay" | "agentfs";
  /**
   * With `fs: "agentfs"`, the file of a new session, in the AgentFS format. It must not exist, and must be outside the
   * project.
   * @default a file in the session's directory
   * @example "/home/me/session.db"
   */
  readonly database?: string;
  /**
   * A session to continue: its id; with `workspace` also its name, or `last`, the newest with changes.
   * @default a new session
   * @example "last"
   */
  readonly session?: string;
  /**
   * The name of the session. A later cell with the same name continues the same session, log and `@state`. Has no effect with `session`.
   * @default no name
   * @example "nightly-upgrade"
   */
  readonly run?: string;
  /**
   * How a new session is stored: `kernel` uses overlayfs, `clone` copies the project.
   * @default "kernel" if this machine supports it for the project, else "clone"
   * @example "clone"
   */
  readonly strategy?: "kernel" | "clone";
  /**
   * The directory for sessions, logs and locks. It must be outside the project.
   * @default $HOTCELL_STATE_DIR, else $XDG_STATE_HOME/hotcell, else ~/.local/state/hotcell
   * @example "/var/lib/my-agent/hotcell"
   */
  readonly stateDir?: string;
  /**
   * Called while a project is copied, with the number of files and directories. `total` is null if it is not known.
   * If it throws, the process warns and the copy goes on.
   * @default no callback
   * @example (done, total) => console.error(`${done} of ${total ?? "?"}`)
   */
  readonly onProgress?: (done: number, total: number | null) => void;
  /**
   * How long to wait for a session that another process has open, in milliseconds. Then `openCell` throws LOCKED.
   * @default 100
   * @example 5_000
   */
  readonly waitMs?: number;
  /**
   * The most sessions of the project, those that exist already included. If there are so many, whatever would create
   * another session throws UNAVAILABLE: `openCell`, `fork` and the tool `session_create`.
   * @default no limit
   * @example 1000
   */
  readonly maxSessions?: number;

  /**
   * The built-in toolsets to load: `coding`, `sidecar`, `mounts`, `studio`, `web`, `js`, `processes`, `session`, `kv`. The first one shapes the
   * observation of a call whose tool is unknown. `coding` and `sidecar` have tools of the same names: load one of them.
   * @default ["coding"]
   * @example ["coding", "processes"]
   */
  readonly toolsets?: readonly string[];
  /**
   * Your own tools, made with `defineTool`, `commandTool`, `inlineTool`, `httpTool`, `wasmTool` or `runJsTool`.
   * @default []
   * @example [defineTool({ name: "add", description: "Add.", input, run: ({ a, b }) => ({ sum: a + b }) })]
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
   * @example "/srv/storage"
   */
  readonly storage?: string;

  /**
   * What happens to a call that no rule decides: `supervised` asks for every call, `guided` for dangerous ones (see
   * `approve`), `autonomous` for none.
   * @default "guided"
   * @example "supervised"
   */
  readonly trust?: TrustLevel;
  /**
   * Which dangerous calls `guided` asks for: `effects` those whose effect leaves the session, `calls` all of them.
   * @default "effects"
   * @example "calls"
   */
  readonly approve?: "effects" | "calls";
  /**
   * Asks a person. Without it, every call that has to be approved is denied.
   * @default no callback
   * @example ({ tool, paths }) => confirm(`${tool} on ${paths.join(", ")}?`)
   */
  readonly onAsk?: Approve;
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
   * Globs of further secret files, of paths that nobody may write, and of files that are not protected.
   * @default only the built-in list, such as `.env` and private keys
   * @example { secrets: ["config/*.secret"], readonly: ["infra/**"], allow: ["test/fixtures/**"] }
   */
  readonly protect?: ProtectOptions;
  /**
   * Values that must not appear in the log.
   * @default []
   * @example [process.env.DEPLOY_TOKEN]
   */
  readonly secrets?: readonly string[];

  /**
   * Who calls, for the log and for `agents`. `cell.call` can name another one.
   * @default no id
   * @example "reviewer"
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
   * The model that tools with `needs: ["model"]` may ask, from `openModel` of `hotcell/agent`. The cell does not close it.
   * @default no model
   * @example openModel({ model: "ollama/qwen3:8b" })
   */
  readonly model?: ModelProvider;
  /**
   * The names of the tools that may use the model.
   * @default [] (none)
   * @example ["summarize"]
   */
  readonly modelAccess?: readonly string[];

  /**
   * The time limit of one call in milliseconds, unless its tool or the scope has another.
   * @default 60_000
   * @example 120_000
   */
  readonly timeoutMs?: number;
  /**
   * The most memory that a wasm tool may have, in MiB, whatever its manifest asks for.
   * @default 1024
   * @example 256
   */
  readonly toolMemoryMb?: number;
  /**
   * The processes in which wasm tools run, at most. A process serves one tool: with more tools than processes, calls in
   * turn start processes anew. Further calls wait for a free place.
   * @default 4
   * @example 8
   */
  readonly guestProcesses?: number;
  /**
   * Wasm tools have a clock and random bytes that can be repeated, and hotcell records their input and its replies, so
   * that `hotcell audit replay` can run a call again. Recordings have whole contents, secrets included.
   * @default false
   * @example true
   */
  readonly deterministic?: boolean;
  /**
   * The limits of one command, and `observationBytes`: what a tool of the toolsets `coding`, `processes`, `js` and `kv` shows a
   * model at once. Sizes are in bytes. A missing limit keeps its default: `cpuSeconds` 600, `memoryBytes` 4 GiB, `processes` 512, `fileBytes`
   * 4 GiB, `openFiles` 4096, `diskBytes` 8 GiB, `homeBytes` 4 GiB, `outputBytes` 64 MiB, `observationBytes` 32 KiB,
   * `maxTimeoutMs` 600,000 (the longest time that a call may ask for).
   * @default {}
   * @example { memoryBytes: 1024 ** 3, processes: 64 }
   */
  readonly limits?: Partial<Omit<CommandLimits, "timeoutMs"> & Pick<ToolLimits, "observationBytes">>;
  /**
   * Absolute paths of directories outside the system directories that commands may read and run programs from.
   * @default []
   * @example ["/opt/node-22"]
   */
  readonly toolchains?: readonly string[];
  /**
   * Absolute paths of further directories that commands may read and run programs from. They are not on the PATH of
   * commands.
   * @default []
   * @example ["/home/me/.opencode/bin"]
   */
  readonly readable?: readonly string[];
  /**
   * The absolute path of a directory that commands have as their home, and may fill up to `limits.homeBytes`. It lasts
   * longer than the cell. Programs leave links and files of any kind there: do not work in it by path afterwards.
   * @default a directory in memory, which ends with the cell
   * @example "/srv/agent-home"
   */
  readonly home?: string;
  /**
   * Whether commands see the directories of this process's PATH that belong to version managers (nvm, pyenv, rustup and
   * the like) and `~/.local/bin`, read-only and in the same order. The command line sets it.
   * @default false
   * @example true
   */
  readonly userToolchains?: boolean;
  /**
   * Exact pairs of host and port that HTTP tools may reach although the address is private.
   * @default []
   * @example ["localhost:3000"]
   */
  readonly allowedPrivateHosts?: readonly string[];
  /**
   * Commands use this machine's own network, with everything that it reaches: other machines of the private network, and
   * servers on loopback. Rules about the network then have no effect. Every observation of a command says so.
   * @default false
   * @example true
   */
  readonly toolAllowDirectNetwork?: boolean;
  /**
   * The most that an HTTP tool reads of a response, in bytes. The rest is cut.
   * @default 10 MiB
   * @example 1024 ** 2
   */
  readonly maxResponseBytes?: number;
  /**
   * Where `web_search` searches.
   * @default a SearXNG instance at http://localhost:8080
   * @example { searxngUrl: "https://search.example.com", braveApiKey: process.env.BRAVE_API_KEY }
   */
  readonly webSearch?: WebSearchOptions;
  /**
   * Environment variables of every command, beside PATH, HOME and the like. Nothing else is inherited.
   * @default {}
   * @example { CI: "1" }
   */
  readonly env?: Readonly<Record<string, string>>;
}

/** The options of the parts that `openCell` opens. */
type PartOptions = FilesOptions & NetworkOptions & Omit<ToolsAndPolicyOptions, "fs">;

type IsSame<A, B> = [A, B] extends [B, A] ? (keyof A extends keyof B ? true : false) : false;
type MustBeTrue<Claim extends true> = Claim;

/** Compiles only while every option of the parts is listed above, with the same type. */
type _CellOptionsAgree = MustBeTrue<
  IsSame<Pick<CellOptions, keyof PartOptions>, Pick<PartOptions, keyof PartOptions>>
>;
