// What a wasm tool is given to run its module. The pool of guest processes is behind it: no tool runs a module by itself.
import type { HostPort } from "../../core/host-name.ts";
import type { MeteredModule } from "../../wasm/meter.ts";
import type { WorkspaceFS } from "../../workspace/files/workspace-fs.ts";

export type FileAccess = "none" | "read" | "write";

export interface GuestMount {
  /** The path at which the guest sees it. */
  readonly at: string;
  /** Null if the guest has no access. */
  readonly files: WorkspaceFS | null;
  readonly access: FileAccess;
}

export interface GuestLimits {
  readonly timeoutMs: number;
  readonly memoryMiB: number;
  readonly fuel: number;
  /** Whether no setting raises them, as with `hotcell wasm run`. */
  readonly areFixed?: boolean;
}

/** Fixed time and random bytes, so that a run can be repeated. */
export type GuestSeed = {
  /** Milliseconds since 1970. */
  readonly startMs: number;
  readonly random: string;
};

export interface GuestProgram {
  /** The SHA-256 of what the tool's author wrote: the module, or the script. */
  readonly sha256: string;
  /** Names the module in caches. */
  readonly moduleKey: string;
  meter(maxMemoryPages: number): MeteredModule;
  /** The file from which the code was read, if there is one. */
  readonly file?: string;
  /** The code of a JavaScript tool, for which the module is QuickJS. */
  readonly script: string | null;
}

export interface GuestRequest {
  readonly program: GuestProgram;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly input: Uint8Array;
  readonly limits: GuestLimits;
  readonly mounts: readonly GuestMount[];
  /** The reply to `hotcell.call`, as JSON. The signal aborts when the guest has ended, for whatever reason. */
  readonly hostCall: (
    method: string,
    request: Uint8Array,
    noted: HostCallNotes,
    signal: AbortSignal,
  ) => Promise<string>;
  /** Standard output as it comes; kept for the result if left out. */
  readonly onStdout?: (bytes: Uint8Array) => void;
  readonly onStderr?: (bytes: Uint8Array) => void;
}

/** What a host call leaves in the result. */
export interface HostCallNotes {
  /** A capability that the guest asked for and does not have. */
  denied(capability: string): void;
  /** A line beside those that the guest writes to standard error. */
  log(text: string): void;
}

export interface GuestResult {
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly denied: readonly string[];
}

export interface Guests {
  /** Throws TIMEOUT, MEMORY_LIMIT, FUEL_EXHAUSTED, TRAP, OUTPUT_LIMIT, GUEST_CRASHED, CANCELLED or NO_SANDBOX, or the error of a write that the guest did not wait for. */
  run(request: GuestRequest): Promise<GuestResult>;
  /** Why a rule of the cell keeps tools from a host; null if none does. */
  refusalOf(target: HostPort): string | null;
}
