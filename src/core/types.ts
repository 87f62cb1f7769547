// The words that every layer uses, one meaning each.
import type { ErrorCode } from "./errors.ts";
import type { Json, JsonObject } from "./json.ts";

/** One request to run a tool, after parsing. Arguments are deeply frozen. */
export interface Call {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;
}

/** What a door hands in: arguments as an object or as JSON text; or the whole call as text. */
export interface CallRequest {
  readonly id?: string;
  readonly name: string;
  readonly arguments?: unknown;
  /** True when the model's answer was cut off: such a call is never run. */
  readonly truncated?: boolean;
}

export type TrustLevel = "supervised" | "guided" | "autonomous";
export const TRUST_LEVELS: readonly TrustLevel[] = ["supervised", "guided", "autonomous"];

export type ToolCategory = "file" | "exec" | "search" | "mcp" | "info";
export type DangerLevel = "safe" | "dangerous";
/** What a call does to the workspace: reads run side by side, changes one after the other. */
export type Effect = "read" | "change";

export type OutcomeStatus = "executed_ok" | "executed_error" | "not_executed";
export type NotExecutedWhy =
  | "denied"
  | "expired"
  | "cancelled"
  | "invalid_args"
  | "truncated"
  | "unknown_tool"
  | "budget";

export type Outcome =
  | { readonly status: "executed_ok" | "executed_error" }
  | { readonly status: "not_executed"; readonly why: NotExecutedWhy };

/** Where a decision comes from: a rule's own text with its file and line, or the part that decided. */
export interface RuleOrigin {
  readonly text: string;
  readonly source: string;
  readonly line?: number;
}

export interface Verdict {
  readonly decision: "allow" | "ask" | "deny";
  readonly rule: RuleOrigin;
  readonly reason: string;
}

export interface ToolFailure {
  readonly code: ErrorCode;
  readonly message: string;
}

/** What a tool gave, before its toolset shapes it. */
export type Result =
  | { readonly ok: true; readonly output: JsonObject }
  | { readonly ok: false; readonly error: ToolFailure; readonly output?: JsonObject };

/** `meta` as the steps of a call build it; an observation has it with the exact type of `changes`. */
export interface Meta {
  readonly callId: string;
  readonly outcome: OutcomeStatus;
  /** Of a call that was not executed. */
  readonly why?: NotExecutedWhy;
  /** The id of the session; null with `fs: "host"`. */
  readonly session: string | null;
  readonly strategy: "kernel" | "clone" | "host";
  readonly isolation: "full" | "landlock" | "seatbelt" | "none";
  /** What was corrected in the request, without loss. */
  readonly repairs: readonly string[];
  readonly changes: Json;
  /** The SHA-256 of the whole output if the observation has only a part of it. */
  readonly artifact: string | null;
  /** In milliseconds. */
  readonly durationMs: number;
  /** Of a command: how each of its limits is enforced. */
  readonly limits?: LimitEnforcement;
  /** Of a command that is shielded less than it could be: why. */
  readonly weakened?: string;
}

/** What every observation tells of its call beside the toolset's own fields. */
export interface ObservationMeta extends Meta {
  /** What the call changed in the session. Null for a call that only reads, that was not executed, or on the host. */
  readonly changes: CallChanges | null;
}

// Aliases, not interfaces: only an alias is assignable to `Json`.

/** What one call changed. */
export type CallChanges = {
  /** How many paths the call changed. */
  readonly count: number;
  /** The first 100 of these paths, relative to the project. */
  readonly paths: readonly string[];
  /** Why the changes could not be recorded yet, such as a full disk. The next call records them before it begins. */
  readonly warning?: string;
};

/** How each limit of a command is enforced. */
export type LimitEnforcement = {
  readonly time: LimitState;
  readonly cpu: LimitState;
  readonly memory: LimitState;
  readonly processes: LimitState;
  readonly fileSize: LimitState;
  readonly openFiles: LimitState;
  readonly disk: LimitState;
  /** Home, `/tmp` and `/dev/shm` together. */
  readonly scratch: LimitState;
};

/** By the kernel, by polling, or not at all. */
export type LimitState = "enforced" | "polled" | "none";

/** What one agent may read and write at once with tools on mount paths. */
export interface FileLimits {
  readonly maxReadBytes: number;
  readonly maxWriteBytes: number;
  readonly maxEntries: number;
  readonly maxMatches: number;
}

/** What is told while a call runs: what a command writes out, and how far a long search is. */
export type CallEvent = { readonly callId: string; readonly tool: string } & (OutputPart | Progress);

interface OutputPart {
  readonly kind: "output";
  readonly stream: "stdout" | "stderr";
  readonly bytes: Uint8Array;
}

export interface Progress {
  readonly kind: "progress";
  readonly files: number;
  readonly matches: number;
}

/** What a run finds out that belongs into the observation's meta. */
export type RunMeta = Partial<Pick<Meta, "artifact" | "isolation" | "limits" | "weakened">>;

/** What a call gives back, in the shape of its toolset. Success and failure have the same keys. Safe to stringify. */
export type AnyObservation = Observation | StudioObservation | MountsObservation;

/** The shape of the toolset `sidecar`, and of every tool whose toolset has no shape of its own. */
export interface Observation {
  readonly success: boolean;
  readonly tool: string;
  readonly output: JsonObject | null;
  readonly error: ToolFailure | null;
  readonly meta: ObservationMeta;
}

/** The shape of the toolset `studio`. */
export interface StudioObservation {
  readonly output: string;
  readonly metadata: JsonObject;
  readonly isError: boolean;
  readonly meta: ObservationMeta;
}

/** The shape of the toolset `mounts`. */
export type MountsObservation =
  | ({ readonly ok: true; readonly meta: ObservationMeta } & JsonObject)
  | { readonly ok: false; readonly error: MountsFailure; readonly meta: ObservationMeta };

export interface MountsFailure {
  readonly code: MountsErrorCode;
  readonly message: string;
  readonly details?: JsonObject;
}

export type MountsErrorCode =
  | "ENOENT"
  | "E_SANDBOX_VIOLATION"
  | "E_READ_LIMIT"
  | "E_WRITE_LIMIT"
  | "E_INVALID_FRONTMATTER"
  | "E_SCHEMA_VALIDATION"
  | "E_INVALID_TRANSITION"
  | "E_PRECONDITION_FAILED"
  | "E_INTERNAL"
  | "E_INVALID_ARGUMENTS"
  | "E_UNKNOWN_TOOL"
  | "E_DENIED"
  | "E_TIMEOUT"
  | "E_NO_SANDBOX";
