// The built-in tools as types: the arguments and the observation of each. The names and the arguments
// are those of the input schemas; test/machine/package/strict-consumer.test.ts compares them.
import type { Json, JsonObject } from "../core/json.ts";
import type { CallRequest, Meta, MountsFailure, RefusedHost, ToolObservation } from "../core/types.ts";
import type { Termination } from "../shield/process/command.ts";
import type { ConflictPolicy } from "../workspace/commit/plan/plan.ts";
import type { FileKind } from "../workspace/files/workspace-fs.ts";
import type {
  FsApplyPatchResult,
  FsListResult,
  FsReadResult,
  FsSearchResult,
  FsWriteResult,
} from "./mounts/results.ts";
import type { FrontmatterUpdate } from "./patch/frontmatter-changes.ts";
import type {
  BashArguments,
  BashMetadata,
  FileReadArguments,
  FileReadMetadata,
  FileWriteArguments,
  FileWriteMetadata,
  StudioToolObservation,
  WebSearchArguments,
  WebSearchMetadata,
} from "./studio/studio-types.ts";

// Outputs are type aliases, not interfaces: only an alias is assignable to `JsonObject`.

/**
 * Arguments and observation of each built-in tool, by its name. `cell.call` uses them when the name is a literal.
 *
 * The types hold for a cell that has loaded the tool's toolset (option `toolsets`). If a tool of your own has one of
 * these names, such as `bash`, call it with `cell.call<Observation>(…)`.
 */
export interface BuiltinTools {
  // Toolset `coding`, the default. `sidecar` has the same without `edit_file` and `find_files`: its arguments and outputs
  // are among these.
  readonly read_file: Sidecar<"read_file", ReadFileArguments, ReadFileOutput>;
  readonly edit_file: Sidecar<"edit_file", EditFileArguments, EditFileOutput>;
  readonly write_file: Sidecar<"write_file", WriteFileArguments, WriteFileOutput>;
  readonly list_directory: Sidecar<"list_directory", ListDirectoryArguments, ListDirectoryOutput>;
  readonly find_files: Sidecar<"find_files", FindFilesArguments, FindFilesOutput>;
  readonly search_files: Sidecar<"search_files", SearchFilesArguments, SearchFilesOutput>;
  readonly run_command: Sidecar<"run_command", RunCommandArguments, CommandOutput>;
  readonly "time.now": Sidecar<"time.now", NoArguments, TimeNowOutput>;

  // Toolset `processes`.
  readonly process_list: Sidecar<"process_list", NoArguments, ProcessListOutput>;
  readonly process_output: Sidecar<"process_output", ProcessArguments, ProcessOutputOutput>;
  readonly process_stop: Sidecar<"process_stop", ProcessArguments, ProcessState>;

  // Toolset `js`.
  readonly run_js: Sidecar<"run_js", RunJsArguments, RunJsOutput>;

  // Toolset `session`.
  readonly session_create: Sidecar<"session_create", NoArguments, SessionCreateOutput>;
  readonly session_diff: Sidecar<"session_diff", SessionDiffArguments, SessionDiffOutput>;
  readonly session_commit: Sidecar<"session_commit", SessionCommitArguments, SessionCommitOutput>;
  readonly session_discard: Sidecar<"session_discard", SessionDiscardArguments, SessionDiscardOutput>;
  readonly session_rewind: Sidecar<"session_rewind", SessionRewindArguments, SessionRewindOutput>;

  // Toolset `kv`.
  readonly kv_get: Sidecar<"kv_get", KvKeyArguments, KvGetOutput>;
  readonly kv_set: Sidecar<"kv_set", KvSetArguments, KvSetOutput>;
  readonly kv_delete: Sidecar<"kv_delete", KvKeyArguments, KvDeleteOutput>;
  readonly kv_list: Sidecar<"kv_list", KvListArguments, KvListOutput>;

  // Toolset `mounts`.
  readonly "fs.list": Mounts<FsListArguments, FsListResult>;
  readonly "fs.read": Mounts<FsReadArguments, FsReadResult>;
  readonly "fs.search": Mounts<FsSearchArguments, FsSearchResult>;
  readonly "fs.write": Mounts<FsWriteArguments, FsWriteResult>;
  readonly "fs.apply_patch": Mounts<FsApplyPatchArguments, FsApplyPatchResult>;

  // Toolset `studio`.
  readonly bash: Studio<BashArguments, BashMetadata>;
  readonly file_read: Studio<FileReadArguments, FileReadMetadata>;
  readonly file_write: Studio<FileWriteArguments, FileWriteMetadata>;

  // Toolset `web`.
  readonly web_search: Studio<WebSearchArguments, WebSearchMetadata>;
}

export type BuiltinToolName = keyof BuiltinTools;

/** A call of a built-in tool. `arguments` may be left out if the tool requires none. */
export type BuiltinCall<Name extends BuiltinToolName> = RequestOf<Name, BuiltinTools[Name]["arguments"]>;

export type BuiltinObservation<Name extends BuiltinToolName> = BuiltinTools[Name]["observation"];

/** A call of `run_command` that says whether the command stays in the background. */
export type RunCommandCall<Background extends boolean> = RequestOf<
  "run_command",
  Omit<RunCommandArguments, "background"> & { readonly background: Background }
>;

/** `run_command` with `background: true` returns the id of the process and does not wait for its end. */
export type RunCommandObservation<Background extends boolean> = ToolObservation<
  "run_command",
  Background extends true ? BackgroundCommand : CommandOutput
>;

/** Any other call. With the literal name of a built-in tool: one whose arguments only the input schema can check. */
export type OtherCall<Name extends string, Arguments> = Omit<CallRequest, "name" | "arguments"> & {
  readonly name: Name;
} & (Name extends BuiltinToolName
    ? { readonly arguments: Unchecked<Arguments> }
    : { readonly arguments?: Arguments });

/** JSON text, an object with any keys such as `JsonObject`, or `unknown`. */
type Unchecked<Arguments> = Arguments extends string
  ? Arguments
  : string extends keyof Arguments
    ? Arguments
    : unknown extends Arguments
      ? Arguments
      : never;

type RequestOf<Name extends string, Arguments> = Omit<CallRequest, "name" | "arguments"> & {
  readonly name: Name;
} & (NoArguments extends Arguments ? { readonly arguments?: Arguments } : { readonly arguments: Arguments });

interface Sidecar<Name extends string, Arguments, Output> {
  readonly arguments: Arguments;
  readonly observation: ToolObservation<Name, Output>;
}

interface Mounts<Arguments, Result> {
  readonly arguments: Arguments;
  readonly observation:
    | (Result & { readonly meta: Meta })
    | { readonly ok: false; readonly error: MountsFailure; readonly meta: Meta };
}

interface Studio<Arguments, Metadata> {
  readonly arguments: Arguments;
  readonly observation: StudioToolObservation<Metadata>;
}

export type NoArguments = Readonly<Record<string, never>>;

export interface ReadFileArguments {
  /** Relative to the workspace, or absolute beneath it. */
  readonly path: string;
  /**
   * The first line to read, from 1.
   * @default 1
   */
  readonly start_line?: number;
  /**
   * The last line to read, inclusive.
   * @default the last line of the file
   */
  readonly end_line?: number;
}

/** `content` is null for a binary file. */
export type ReadFileOutput = TextFileOutput | BinaryFileOutput;

export type TextFileOutput = {
  readonly path: string;
  /** The lines, each with its number and a tab before it. */
  readonly content: string;
  readonly binary?: never;
  /** Lines of the whole file; null for a file larger than 256 MiB. */
  readonly lines: number | null;
  /** Of the whole file, in hex; null for a file larger than 256 MiB. */
  readonly sha256: string | null;
  /** True if the result ends before `end_line`; `note` names the next line. */
  readonly truncated: boolean;
  readonly note?: string;
};

export type BinaryFileOutput = {
  readonly path: string;
  readonly content: null;
  readonly binary: true;
  /** In bytes. */
  readonly size: number;
  /** Guessed from the first bytes. */
  readonly mime: string;
  readonly lines: null;
  /** Of the whole file, in hex; null for a file larger than 256 MiB. */
  readonly sha256: string | null;
  readonly truncated: false;
  readonly note: string;
  /** Of an image up to 1 MiB (PNG, JPEG, GIF, WebP): its bytes as base64. Only toolset `coding`. */
  readonly image?: string;
};

export interface EditFileArguments {
  /** Relative to the workspace, or absolute beneath it. */
  readonly path: string;
  /** At least one. Each is made on the result of the one before; if one does not fit, none is made. */
  readonly edits: readonly FileEdit[];
}

export interface FileEdit {
  /** Must be in the file exactly once, unless `replace_all` is true. Empty: creates the file. */
  readonly old_text: string;
  readonly new_text: string;
  /** @default false */
  readonly replace_all?: boolean;
}

export type EditFileOutput = WriteFileOutput & {
  /** Of all edits together. */
  readonly replacements: number;
};

export interface WriteFileArguments {
  /** Relative to the workspace, or absolute beneath it. */
  readonly path: string;
  /** The complete new content. */
  readonly content: string;
}

export type WriteFileOutput = {
  readonly path: string;
  readonly bytes_written: number;
  /** Of the new content, in hex. */
  readonly sha256: string;
  /** True if the file did not exist before. */
  readonly created: boolean;
};

export interface ListDirectoryArguments {
  /**
   * Relative to the workspace, or absolute beneath it.
   * @default "."
   */
  readonly path?: string;
  /** A glob, such as `*.ts` or `docs/*.md`. */
  readonly pattern?: string;
  /**
   * Also list the directories below.
   * @default false
   */
  readonly recursive?: boolean;
}

export type ListDirectoryOutput = {
  readonly path: string;
  readonly entries: readonly ListedEntry[];
  /** True if there are more than 1000 entries. */
  readonly truncated: boolean;
  readonly note?: string;
};

export type ListedEntry = {
  /** Relative to the directory that is listed. */
  readonly name: string;
  readonly type: FileKind;
  /** In bytes. */
  readonly size: number;
  /** ISO 8601, UTC. */
  readonly modified: string;
};

export interface FindFilesArguments {
  /** A glob, such as `*.test.ts`. Without a slash it matches the name in any directory. */
  readonly pattern: string;
  /**
   * The directory to look in, relative to the workspace.
   * @default "."
   */
  readonly path?: string;
}

export type FindFilesOutput = {
  /** Relative to the workspace. */
  readonly paths: readonly string[];
  /** True if there are more. */
  readonly truncated: boolean;
  readonly note?: string;
};

export interface SearchFilesArguments {
  /** Plain text, or a regular expression if `regex` is true. */
  readonly pattern: string;
  /**
   * A directory or file, relative to the workspace.
   * @default "."
   */
  readonly path?: string;
  /** Only files like `*.ts` or `docs/*.md`. */
  readonly glob?: string;
  /** @default false */
  readonly regex?: boolean;
  /** @default true */
  readonly case_sensitive?: boolean;
  /**
   * Lines or files, from 1 to 1000.
   * @default 100, with `sidecar` 50
   */
  readonly max_results?: number;
  /**
   * Lines to show before and after each match, at most 20. Only toolset `coding`.
   * @default 0
   */
  readonly context?: number;
  /**
   * The matching lines, only the names of files, or the number of matching lines of each file. Only toolset `coding`.
   * @default "lines"
   */
  readonly show?: "lines" | "files" | "counts";
}

export type SearchFilesOutput = {
  /** Empty with `show: "files"` and `show: "counts"`. */
  readonly matches: readonly FoundLine[];
  /** With `show: "files"`: paths relative to the workspace. */
  readonly files?: readonly string[];
  /** With `show: "counts"`. */
  readonly counts?: readonly FileCount[];
  readonly files_scanned: number;
  /** True if there are more matches, or more files. */
  readonly truncated: boolean;
  readonly note?: string;
};

export type FoundLine = {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  /** With `context`. */
  readonly before?: readonly string[];
  readonly after?: readonly string[];
};

export type FileCount = { readonly path: string /** Matching lines. */; readonly count: number };

export interface RunCommandArguments {
  /** A command line for bash. */
  readonly command: string;
  /**
   * In milliseconds; at most the time that the call has.
   * @default the time that the call has
   */
  readonly timeout_ms?: number;
  /**
   * Relative to the workspace.
   * @default "."
   */
  readonly cwd?: string;
  /**
   * True: start the command, give its `process_id` and do not wait for its end.
   * @default false
   */
  readonly background?: false;
}

/** The result of a command, from `run_command` and `cell.exec`. */
export type CommandOutput = {
  /** Null if a signal ended the command. */
  readonly exit_code: number | null;
  readonly signal: string | null;
  /** The head and the tail if there is more than may be shown; `meta.artifact` then has the whole. */
  readonly stdout: string;
  readonly stderr: string;
  readonly duration_ms: number;
  readonly timed_out: boolean;
  /** Null if the command ended by itself. */
  readonly termination: Termination | null;
  readonly truncated: boolean;
  /** Hosts that commands could not reach meanwhile, with the rules that would allow them; missing if there are none. */
  readonly refused_hosts?: readonly RefusedHost[];
  /** What helps to understand the output: that commands have no network, or that a file has a second name. */
  readonly note?: string;
  /** Only a command in the background has one: tells the two outputs apart. */
  readonly process_id?: never;
};

export type BackgroundCommand = { readonly process_id: string };

export type TimeNowOutput = {
  /** ISO 8601, UTC. */
  readonly iso: string;
  /** Milliseconds since 1970. */
  readonly unix_ms: number;
};

export interface RunJsArguments {
  /** The body of an async function, with `input` and `host`. Its result is what it returns. */
  readonly code: string;
  /**
   * What the code gets as `input`.
   * @default {}
   */
  readonly input?: JsonObject;
}

export type RunJsOutput = {
  /** What the code returned, as JSON; null if nothing. */
  readonly result: Json;
  /** What the code wrote with `console.log`; missing if nothing. */
  readonly logs?: string;
  readonly note?: string;
  /** True if it was longer than an observation: parts of it are missing, and `meta.artifact` is the whole. */
  readonly truncated?: boolean;
};

export interface ProcessArguments {
  /** The id that `run_command` returned. */
  readonly process_id: string;
}

export type ProcessListOutput = { readonly processes: readonly ProcessState[] };

export type ProcessState = {
  readonly process_id: string;
  readonly command: string;
  /** ISO 8601, UTC. */
  readonly started: string;
  readonly state: "running" | "ended";
  /** Null while the process runs, or if a signal ended it. */
  readonly exit_code: number | null;
  readonly signal: string | null;
};

export type SessionCreateOutput = { readonly session: string };

export interface SessionDiffArguments {
  /** Only the changes of this call: its id, or `#3` for the third call that has changes. */
  readonly call?: string;
}

export type SessionDiffOutput = {
  readonly changes: number;
  /** How many files were left out because git ignores them. */
  readonly ignored: number;
  /** One line for each change, and the totals. */
  readonly stat: string;
  /** Unified. */
  readonly diff: string;
  readonly truncated: boolean;
};

export interface SessionCommitArguments {
  /** @default everything */
  readonly paths?: readonly string[];
  /** @default "abort" */
  readonly on_conflict?: ConflictPolicy;
}

export type SessionCommitOutput = {
  /** The number of the commit; null if there was nothing to do. */
  readonly tx: string | null;
  readonly committed: readonly string[];
  readonly skipped: readonly { readonly path: string; readonly why: string }[];
  readonly conflicts: readonly { readonly path: string; readonly reason: string }[];
};

export interface SessionDiscardArguments {
  /** @default everything, which cannot be undone */
  readonly paths?: readonly string[];
}

export type SessionDiscardOutput = {
  /** How many changes the session still has. */
  readonly changes: number;
};

export interface SessionRewindArguments {
  /** The id of a call, or `#3` for the third call that has changes. */
  readonly to: string;
  /** @default everything */
  readonly paths?: readonly string[];
}

export type SessionRewindOutput = {
  /** How many changes the session still has. */
  readonly changes: number;
  /** Commits since that call, which stay in the project. */
  readonly commits: readonly string[];
};

export interface KvKeyArguments {
  /** At most 1024 bytes. */
  readonly key: string;
}

export type KvGetOutput = {
  readonly key: string;
  readonly found: boolean;
  /** Null if there is none. */
  readonly value: Json;
};

export interface KvSetArguments extends KvKeyArguments {
  /** As JSON at most as long as an observation: `limits.observationBytes`. */
  readonly value: Json;
}

export type KvSetOutput = {
  readonly key: string;
  /** True if the key had no value before. */
  readonly created: boolean;
};

export type KvDeleteOutput = {
  readonly key: string;
  /** False if the key had no value. */
  readonly deleted: boolean;
};

export interface KvListArguments {
  /**
   * Only keys that begin with it.
   * @default all keys
   */
  readonly prefix?: string;
}

export type KvListOutput = {
  /** In their order as text. */
  readonly keys: readonly string[];
  /** True if there are more. */
  readonly truncated: boolean;
  readonly note?: string;
};

export type ProcessOutputOutput = {
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: boolean;
  /** Hosts that were refused while the process ran. */
  readonly refused_hosts?: readonly RefusedHost[];
};

export interface FsListArguments {
  /** Begins with a mount, such as `@project/src`. */
  readonly path: string;
}

export interface FsReadArguments {
  /** Begins with a mount, such as `@project/src/index.ts`. */
  readonly path: string;
  /** The first line to read, from 1. */
  readonly startLine?: number;
  /** The last line to read, inclusive. */
  readonly endLine?: number;
}

export interface FsSearchArguments {
  /** Begins with a mount, such as `@project/src`. */
  readonly path: string;
  /** Plain text, or `/regex/` or `/regex/i`. */
  readonly pattern: string;
  /**
   * Lines to show before each match, at most 20.
   * @default 1
   */
  readonly before?: number;
  /**
   * Lines to show after each match, at most 20.
   * @default 1
   */
  readonly after?: number;
  /**
   * From 1 to 1000; at most the agent's `maxMatches`.
   * @default the agent's `maxMatches`
   */
  readonly maxMatches?: number;
}

export interface FsWriteArguments {
  /** Begins with a mount, such as `@project/README.md`. */
  readonly path: string;
  /** The complete new content. */
  readonly content: string;
  /** An optimistic lock: the write fails if the file does not have this SHA-256 (hex). */
  readonly ifMatchSha256?: string;
}

export interface FsApplyPatchArguments {
  /** Begins with a mount, such as `@project/README.md`. */
  readonly path: string;
  readonly patch: FsPatch;
}

export type FsPatch = {
  /** An optimistic lock: the patch fails if the file does not have this SHA-256 (hex). */
  readonly ifMatchSha256?: string;
} & (
  | {
      readonly operation: "replace";
      /** Must be in the file exactly once. */
      readonly oldText: string;
      readonly newText: string;
    }
  | {
      readonly operation: "unifiedDiff";
      /** Hunks with context lines; they must fit exactly. */
      readonly diff: string;
    }
  | {
      readonly operation: "updateFrontmatter";
      /** At least one field of the YAML front matter. */
      readonly update: FrontmatterUpdate;
    }
);
