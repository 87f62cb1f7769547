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

/** What is told of every call beside the toolset's own observation. */
export interface Meta {
  readonly callId: string;
  readonly outcome: OutcomeStatus;
  readonly why?: NotExecutedWhy;
  readonly session: string | null;
  readonly strategy: "kernel" | "clone" | "host";
  readonly isolation: "full" | "landlock" | "seatbelt" | "none";
  readonly repairs: readonly string[];
  readonly changes: Json;
  readonly artifact: string | null;
  readonly durationMs: number;
  /** Of a command: which of its limits are enforced, polled, or none. */
  readonly limits?: Json;
  /** Of a command that is shielded less than it could be: why. */
  readonly weakened?: string;
}

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
  readonly meta: Meta;
}

/** The shape of the toolset `studio`. */
export interface StudioObservation {
  readonly output: string;
  readonly metadata: JsonObject;
  readonly isError: boolean;
  readonly meta: Meta;
}

/** The shape of the toolset `mounts`. */
export type MountsObservation =
  | ({ readonly ok: true; readonly meta: Meta } & JsonObject)
  | { readonly ok: false; readonly error: MountsFailure; readonly meta: Meta };

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
