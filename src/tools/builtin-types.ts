// The built-in tools as types: which arguments each takes, and which observation it gives. The names and the arguments
// are those of the input schemas; test/machine/strict-consumer.test.ts compares them.
import type { CallRequest, MountsFailure, ObservationMeta, ToolFailure } from "../core/types.ts";
import type { Termination } from "../shield/process/command.ts";
import type { FileKind } from "../workspace/files/workspace-fs.ts";
import type {
  FsApplyPatchResult,
  FsListResult,
  FsReadResult,
  FsSearchResult,
  FsWriteResult,
} from "./mounts/results.ts";
import type { FrontmatterUpdate } from "./patch/frontmatter-changes.ts";

// Outputs are type aliases, not interfaces: only an alias is assignable to `JsonObject`.

/**
 * Arguments and observation of each built-in tool, by its name. `cell.call` uses them when the name is a literal.
 *
 * The types hold for a cell that has loaded the tool's toolset (option `toolsets`). If a tool of your own has one of
 * these names, call it with `cell.call<Observation>(…)`. The toolset `studio` is not listed: its names, such as `bash`,
 * are also common for tools of one's own. Call its tools with `cell.call<StudioObservation>(…)`.
 */
export interface BuiltinTools {
  // Toolset `sidecar`, the default.
  readonly read_file: Sidecar<"read_file", ReadFileArguments, ReadFileOutput>;
  readonly write_file: Sidecar<"write_file", WriteFileArguments, WriteFileOutput>;
  readonly list_directory: Sidecar<"list_directory", ListDirectoryArguments, ListDirectoryOutput>;
  readonly search_files: Sidecar<"search_files", SearchFilesArguments, SearchFilesOutput>;
  readonly run_command: Sidecar<"run_command", RunCommandArguments, CommandOutput>;
  readonly "time.now": Sidecar<"time.now", NoArguments, TimeNowOutput>;

  // Toolset `processes`.
  readonly process_list: Sidecar<"process_list", NoArguments, ProcessListOutput>;
  readonly process_output: Sidecar<"process_output", ProcessArguments, ProcessOutputOutput>;
  readonly process_stop: Sidecar<"process_stop", ProcessArguments, ProcessState>;

  // Toolset `mounts`.
  readonly "fs.list": Mounts<FsListArguments, FsListResult>;
  readonly "fs.read": Mounts<FsReadArguments, FsReadResult>;
  readonly "fs.search": Mounts<FsSearchArguments, FsSearchResult>;
  readonly "fs.write": Mounts<FsWriteArguments, FsWriteResult>;
  readonly "fs.apply_patch": Mounts<FsApplyPatchArguments, FsApplyPatchResult>;
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

/** `run_command` with `background: true` gives the id of the process, and does not wait for its end. */
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

/** The observation of a tool whose output is known. `success` tells the two cases apart. */
export type ToolObservation<Name extends string, Output> =
  | {
      readonly success: true;
      readonly tool: Name;
      readonly output: Output;
      readonly error: null;
      readonly meta: ObservationMeta;
    }
  | {
      readonly success: false;
      readonly tool: Name;
      /** What the tool did before it failed, such as the output of a command that timed out. */
      readonly output: Output | null;
      readonly error: ToolFailure;
      readonly meta: ObservationMeta;
    };

interface Sidecar<Name extends string, Arguments, Output> {
  readonly arguments: Arguments;
  readonly observation: ToolObservation<Name, Output>;
}

interface Mounts<Arguments, Result> {
  readonly arguments: Arguments;
  readonly observation:
    | (Result & { readonly meta: ObservationMeta })
    | { readonly ok: false; readonly error: MountsFailure; readonly meta: ObservationMeta };
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
  /** True if the answer ends before `end_line`; `note` says where to go on. */
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
};

export interface WriteFileArguments {
  /** Relative to the workspace, or absolute beneath it. */
  readonly path: string;
  /** The whole new content. */
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
   * From 1 to 1000.
   * @default 50
   */
  readonly max_results?: number;
}

export type SearchFilesOutput = {
  readonly matches: readonly FoundLine[];
  readonly files_scanned: number;
  /** True if there are more than `max_results` matches. */
  readonly truncated: boolean;
  readonly note?: string;
};

export type FoundLine = { readonly path: string; readonly line: number; readonly text: string };

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

/** What `run_command` and `cell.exec` say of a command. */
export type CommandOutput = {
  /** Null if a signal ended the command. */
  readonly exit_code: number | null;
  readonly signal: string | null;
  /** The head and the tail if there is more than 100 KiB; `meta.artifact` then has the whole. */
  readonly stdout: string;
  readonly stderr: string;
  readonly duration_ms: number;
  readonly timed_out: boolean;
  /** Null if the command ended by itself. */
  readonly termination: Termination | null;
  readonly truncated: boolean;
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

export interface ProcessArguments {
  /** As `run_command` gave it. */
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

export type ProcessOutputOutput = {
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: boolean;
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
  /** The whole new content. */
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
