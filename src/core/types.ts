// The words that every layer uses, one meaning each.
import type { ErrorCode } from "./errors.ts";
import type { Json, JsonObject } from "./json.ts";

/** One request to run a tool, after parsing. Arguments are deeply frozen. */
export interface Call {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;
}

/** The input of an entry point: arguments as an object or as JSON text; or the whole call as text. */
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
/**
 * What a call does to the workspace: reads run side by side, changes one after the other. A call with effect `session`
 * works on the session as a whole, such as a commit: it runs outside the session's calls, where it would wait for itself.
 */
export type Effect = "read" | "change" | "session";

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

/** The source of a decision: the text of a rule with its file and line, or the module that decided. */
export interface RuleOrigin {
  readonly text: string;
  readonly source: string;
  readonly line?: number;
  /** The project brought the rule along. If it asks, it does not override the built-in deny list. */
  readonly ofProject?: boolean;
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
export interface CallMeta {
  readonly callId: string;
  readonly outcome: OutcomeStatus;
  /** Of a call that was not executed. */
  readonly why?: NotExecutedWhy;
  /** The id of the session; null with `fs: "host"`. */
  readonly session: string | null;
  readonly strategy: "kernel" | "clone" | "host";
  readonly isolation: "full" | "landlock" | "none";
  /** What was corrected in the request, without loss. */
  readonly repairs: readonly string[];
  readonly changes: Json;
  /** The SHA-256 of the whole output if the observation has only a part of it. */
  readonly artifact: string | null;
  /** In milliseconds. */
  readonly durationMs: number;
  /** Mount points inside the project. The session does not show their content, only the directories that they cover. */
  readonly mountsNotShown?: readonly string[];
  /** Of a command: how each of its limits is enforced. */
  readonly limits?: LimitEnforcement;
  /** Of a command that is shielded less than it could be: why. */
  readonly weakened?: string;
  /** Of a command with `fs: "host"`: a file of the project that has another name too, if one was found. */
  readonly hardLinked?: string;
  /** Of a command: the project's secrets that are hidden from it. */
  readonly hidden?: HiddenFiles;
  /** Of a wasm tool: what it used. */
  readonly wasm?: WasmMeta;
}

/** The fields of every observation that do not depend on the toolset. */
export interface Meta extends CallMeta {
  /** What the call changed in the session. Null for a call that only reads, that was not executed, or on the host. */
  readonly changes: CallChanges | null;
}

// Aliases, not interfaces: only an alias is assignable to `Json`.

/** What one call changed. */
export type CallChanges = {
  /** How many paths the call wrote, also if their content is the same. */
  readonly count: number;
  /** The first 100 of these paths, relative to the project. */
  readonly paths: readonly string[];
  /** How many paths it wrote that git itself writes with a commit, such as objects and refs. They are not in `count`. */
  readonly gitData?: number;
  /** Directories among these paths with changed entries that are too deep to be listed: the whole counts as one change, which is never committed. */
  readonly unlisted?: readonly string[];
  /** Why the changes could not be recorded yet, such as a full disk. The next call records them before it begins. */
  readonly warning?: string;
};

/** What a call of a wasm tool used. */
export type WasmMeta = {
  /** Instructions, about; null if the tool was killed. */
  readonly fuel: number | null;
  /** Its memory at the end; null if the tool was killed. */
  readonly memoryBytes: number | null;
  /** Calls of `hotcell.call`. */
  readonly hostCalls: number;
  /** Capabilities that it tried to use and does not have. */
  readonly denied: readonly string[];
  /** Of its module, or of its script. */
  readonly sha256: string;
  /** The beginning of what it wrote to standard error or logged. */
  readonly diagnostics?: string;
  /** Of a deterministic call: the id of its recording, from which `hotcell audit replay` repeats it. */
  readonly recording?: string;
};

/** Secrets that are hidden from a command. */
export type HiddenFiles = {
  readonly count: number;
  /** The first 10 paths, relative to the project; first those that git tracks. */
  readonly paths: readonly string[];
  /** The first 10 of those that git tracks with other content. For a command, and for git in it, they look deleted. */
  readonly changed: readonly string[];
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

/** A host that a command could not reach. */
export type RefusedHost = {
  /** With its port. */
  readonly host: string;
  readonly reason: string;
  /** The rule that would allow it; missing if no rule can. */
  readonly rule?: string;
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

/** What a tool may show and change at once. */
export interface ToolLimits extends FileLimits {
  /** What a model is shown at once, in bytes. */
  readonly observationBytes: number;
}

/** Events of a call: the question for approval and its answer, the start, output and progress, the end. */
export type CallEvent = { readonly callId: string; readonly tool: string } & (
  | OutputPart
  | Progress
  | ({ readonly kind: "asked" } & AskedCall)
  | { readonly kind: "answered"; readonly approved: boolean }
  | { readonly kind: "started" }
  | { readonly kind: "ended"; readonly observation: AnyObservation }
);

/** What a person is asked to approve. */
export interface AskedCall {
  readonly reason: string;
  readonly arguments: JsonObject;
  /** SHA-256 of the canonical arguments. */
  readonly digest: string;
  /** The rule, trust level or list that asks. */
  readonly rule: string;
  /** What the call would change, or the scripts that it runs, as text; null if that is not known beforehand. */
  readonly preview: string | null;
}

export interface OutputPart {
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
export type RunMeta = Partial<
  Pick<CallMeta, "artifact" | "hardLinked" | "hidden" | "isolation" | "limits" | "wasm" | "weakened">
>;

/** The result of a call, in the shape of its toolset. Success and failure have the same keys. Safe to stringify. */
export type AnyObservation = Observation | StudioObservation | MountsObservation;

/** The shape of the toolset `sidecar`, and of every tool whose toolset has no shape of its own. `success` tells the two cases apart. */
export type Observation = ToolObservation<string, JsonObject>;

/** The observation of a tool whose output is known. */
export type ToolObservation<Name extends string, Output> =
  | {
      readonly success: true;
      readonly tool: Name;
      readonly output: Output;
      readonly error: null;
      readonly meta: Meta;
    }
  | {
      readonly success: false;
      readonly tool: Name;
      /** The partial result of the failed tool, such as the output of a command that timed out. */
      readonly output: Output | null;
      readonly error: ToolFailure;
      readonly meta: Meta;
    };

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
