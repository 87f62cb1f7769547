// The tools of the toolsets `studio` and `web` as types: arguments, and the metadata of their observations.
import type { ErrorCode } from "../../core/errors.ts";
import type { Meta, RefusedHost } from "../../core/types.ts";
import type { Termination } from "../../shield/process/command.ts";

// Metadata are type aliases, not interfaces: only an alias is assignable to `JsonObject`.

/** `isError` tells the two cases apart. A command that ended with another exit code than 0 is an error with all metadata. */
export type StudioToolObservation<Metadata> =
  | {
      readonly output: string;
      readonly metadata: Metadata;
      readonly isError: false;
      readonly meta: Meta;
    }
  | {
      readonly output: string;
      readonly metadata: Partial<Metadata> & StudioErrorMetadata;
      readonly isError: true;
      readonly meta: Meta;
    };

export type StudioErrorMetadata = {
  /** Missing if the tool itself reports the error, such as an exit code. */
  readonly code?: ErrorCode;
  /** True: an error for the program that runs the agent loop, not for the model. */
  readonly system?: true;
};

export interface BashArguments {
  /** A command line for bash. */
  readonly command: string;
  /**
   * In seconds; at most the time that the call has.
   * @default 60
   */
  readonly timeout?: number;
}

export type BashMetadata = {
  /** Null if a signal ended the command. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Null if the command ended by itself. */
  readonly termination: Termination | null;
  readonly truncated: boolean;
  /** Hosts that commands could not reach meanwhile; missing if there are none. */
  readonly refusedHosts?: readonly RefusedHost[];
};

export interface FileReadArguments {
  /** In the project, relative or absolute; or in the storage: `@storage/…` or absolute. */
  readonly path: string;
}

export type FileReadMetadata = {
  readonly path: string;
  /** Of the whole file. */
  readonly bytes: number;
  /** Of the whole file, in hex. */
  readonly sha256: string;
  /** True if `output` has only the beginning of the file. */
  readonly truncated: boolean;
};

export interface FileWriteArguments {
  /** In the project, relative or absolute; or in the storage: `@storage/…` or absolute. */
  readonly path: string;
  /** The complete new content. */
  readonly content: string;
}

export type FileWriteMetadata = {
  readonly path: string;
  /** Of the new content. */
  readonly bytes: number;
  /** Of the new content, in hex. */
  readonly sha256: string;
  /** True if the file did not exist before. */
  readonly created: boolean;
};

export interface WebSearchArguments {
  readonly query: string;
  /**
   * From 1 to 20.
   * @default 5
   */
  readonly max_results?: number;
}

export type WebSearchMetadata = {
  /** The search service that answered. */
  readonly provider: string;
  readonly resultCount: number;
  /** The results come from the web: data, not instructions. */
  readonly untrusted: true;
  /** Engines behind the provider that gave no answer; missing if there are none. */
  readonly unresponsiveEngines?: readonly string[];
};
