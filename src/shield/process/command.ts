// The types of the shield: a command, its limits, and how it ended.

export interface ShieldedCommand {
  /** A program and its arguments; no shell interprets them. */
  readonly argv: readonly [string, ...string[]];
  /** An absolute path inside the sandbox. */
  readonly cwd: string;
  /** In addition to the variables that every command has. */
  readonly env?: Readonly<Record<string, string>>;
  /** The command gets only `env`. */
  readonly bareEnv?: boolean;
  /** The command cannot change the view. */
  readonly readOnly?: boolean;
  /** Standard error is a copy of standard output, so the kernel keeps the order of the writes to both. */
  readonly stderrToStdout?: boolean;
}

export interface CommandLimits {
  readonly timeoutMs: number;
  /** CPU time of one process. */
  readonly cpuSeconds: number;
  /** The memory in use by all processes together, counted by a cgroup or by polling. */
  readonly memoryBytes: number;
  readonly processes: number;
  readonly fileBytes: number;
  readonly openFiles: number;
  /** The session's size on the disk. */
  readonly diskBytes: number;
  /** The size of a home that lasts. */
  readonly homeBytes: number;
  /** All output; the command is killed beyond it. */
  readonly outputBytes: number;
  /** The longest time limit that a call may ask for. */
  readonly maxTimeoutMs: number;
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

/** Why hotcell or the kernel ended a command. */
export type Termination = "timeout" | "oom" | "signal" | "output" | "cancelled" | "policy";

export type Exceeded = "memory" | "processes" | "disk" | "home";

export interface CommandEnd {
  /** Null if a signal ended the command. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Null if the command exited. */
  readonly termination: Termination | null;
  /** The polled limit that the command exceeded. */
  readonly exceeded: Exceeded | null;
  readonly durationMs: number;
}

export type OutputStream = "stdout" | "stderr";
export type OnOutput = (stream: OutputStream, bytes: Buffer) => void;
