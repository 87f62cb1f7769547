import type { JsonObject } from "../../core/json.ts";
// The results of the toolset `mounts`, as an engine that uses these tools sees them.
import type { MountsFailure } from "../../core/types.ts";

export type ToolResult =
  | FsListResult
  | FsReadResult
  | FsSearchResult
  | FsWriteResult
  | FsApplyPatchResult
  | HostCommandResult
  | { readonly ok: false; readonly error: MountsFailure };

/** Of `run_command`, which a tool host with `commands` has. */
export type HostCommandResult = { readonly ok: true } & JsonObject;

export interface FsEntry {
  readonly name: string;
  readonly type: "file" | "directory" | "fifo" | "socket" | "device";
  readonly size: number;
}

export type FsListResult = { readonly ok: true; readonly path: string } & (
  | { readonly entries: readonly FsEntry[]; readonly truncated: false }
  | {
      readonly entriesPreview: readonly FsEntry[];
      readonly total: number;
      readonly truncated: true;
      readonly hint: string;
    }
);

export type FsReadResult = {
  readonly ok: true;
  readonly path: string;
  /** Of the whole file. */
  readonly bytes: number;
  /** Of the whole file. */
  readonly sha256: string;
} & (
  | { readonly content: string; readonly truncated: false; readonly hint?: string }
  | { readonly contentPreview: string; readonly truncated: true; readonly hint: string }
);

export interface FsSearchMatch {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

export interface FsSearchResult {
  readonly ok: true;
  readonly path: string;
  readonly matches: readonly FsSearchMatch[];
  readonly truncated: boolean;
  readonly stats: { readonly filesScanned: number; readonly matches: number };
  readonly hint?: string;
}

export interface FsWriteResult {
  readonly ok: true;
  readonly path: string;
  readonly bytesWritten: number;
  readonly sha256After: string;
}

export interface FsApplyPatchResult {
  readonly ok: true;
  readonly path: string;
  readonly sha256Before: string;
  readonly sha256After: string;
}
