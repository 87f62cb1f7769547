// The words of the shield: what is run, under which limits, and how it ended.

export interface ShieldedCommand {
  /** A program and its arguments; no shell looks at them. */
  readonly argv: readonly [string, ...string[]];
  /** Absolute, as the command sees it. */
  readonly cwd: string;
  /** Beside the few variables that every command has. */
  readonly env?: Readonly<Record<string, string>>;
  /** `env` is all that it has. */
  readonly bareEnv?: boolean;
  /** It can't change the view. */
  readonly readOnly?: boolean;
  /** Its standard error is its standard output: the kernel keeps the order of what it writes to both. */
  readonly stderrToStdout?: boolean;
}

export interface CommandLimits {
  readonly timeoutMs: number;
  /** Of one process, in seconds of the processor. */
  readonly cpuSeconds: number;
  /** Of all processes together where a cgroup or polling counts them; also of each one. */
  readonly memoryBytes: number;
  readonly processes: number;
  readonly fileBytes: number;
  readonly openFiles: number;
  /** Of what the session has on the disk. */
  readonly diskBytes: number;
  /** All that it writes out; the call ends there. */
  readonly outputBytes: number;
}

export type LimitName =
  | "time"
  | "cpu"
  | "memory"
  | "processes"
  | "fileSize"
  | "openFiles"
  | "disk"
  | "scratch";
export type Enforcement = "enforced" | "polled" | "none";
export type LimitReport = Readonly<Record<LimitName, Enforcement>>;

/** Why a command did not end by itself. */
export type Termination = "timeout" | "oom" | "signal" | "output" | "cancelled" | "policy";

export type Exceeded = "memory" | "processes" | "disk";

export interface CommandEnd {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Null when it ended by itself. */
  readonly termination: Termination | null;
  /** What it had too much of, where that is looked at from time to time. */
  readonly exceeded: Exceeded | null;
  readonly durationMs: number;
}

export type OutputStream = "stdout" | "stderr";
export type OnOutput = (stream: OutputStream, bytes: Buffer) => void;
