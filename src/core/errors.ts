// The table of error codes: the meaning, who can fix the error, and whether the same call may work later. A test compares
// docs/errors.md with this table.
import type { JsonObject } from "./json.ts";

type Fixer = "model" | "user" | "operator" | "hotcell";

interface ErrorKind {
  readonly means: string;
  readonly fixer: Fixer;
  readonly retry: boolean;
}

export const ERRORS = {
  INVALID_ARGUMENTS: {
    means: "The call or its arguments are not what the tool takes.",
    fixer: "model",
    retry: false,
  },
  UNKNOWN_TOOL: { means: "No tool of that name is in the caller's scope.", fixer: "model", retry: false },
  DENIED: { means: "A rule, the trust level or a person denied the call.", fixer: "user", retry: false },
  CANCELLED: { means: "The caller cancelled the call.", fixer: "user", retry: true },
  TIMEOUT: { means: "The call did not end within its time limit.", fixer: "model", retry: true },
  PATH_OUTSIDE_WORKSPACE: { means: "The path leads out of the workspace.", fixer: "model", retry: false },
  SYMLINK_OUTSIDE_WORKSPACE: {
    means: "A symbolic link on the path leads out of the workspace.",
    fixer: "model",
    retry: false,
  },
  PROTECTED_PATH: {
    means: "The path contains secrets or executes automatically, and is protected from tools.",
    fixer: "user",
    retry: false,
  },
  NOT_FOUND: { means: "The path does not exist.", fixer: "model", retry: false },
  ALREADY_EXISTS: { means: "The path already exists.", fixer: "model", retry: false },
  NOT_A_FILE: { means: "The path is a directory or a special file.", fixer: "model", retry: false },
  NOT_A_DIRECTORY: { means: "The path, or a part of it, is not a directory.", fixer: "model", retry: false },
  FILE_TOO_LARGE: { means: "The file is larger than the limit of one result.", fixer: "model", retry: false },
  WRITE_TOO_LARGE: {
    means: "The content is larger than the agent may write in one call.",
    fixer: "model",
    retry: false,
  },
  PRECONDITION_FAILED: {
    means: "The file is not the version that the caller expected.",
    fixer: "model",
    retry: false,
  },
  INVALID_FRONTMATTER: {
    means: "The file's front matter is not plain YAML, or does not have the structure that the update needs.",
    fixer: "model",
    retry: false,
  },
  PATCH_FAILED: {
    means: "The patch cannot be parsed, or does not apply to the present file.",
    fixer: "model",
    retry: false,
  },
  COMMAND_BLOCKED: {
    means: "The command is on the built-in deny list, or on no allowlist, and no rule allows it.",
    fixer: "user",
    retry: false,
  },
  NO_SANDBOX: {
    means:
      "This machine has no sandbox for the call: for a command, or for a wasm tool or run_js, which need the full sandbox. hotcell doctor shows what is missing.",
    fixer: "operator",
    retry: false,
  },
  NETWORK_DENIED: {
    means: "The address is private, or the request may not leave this machine.",
    fixer: "operator",
    retry: false,
  },
  NETWORK_ERROR: {
    means: "The other machine cannot be reached, or its response cannot be read.",
    fixer: "user",
    retry: true,
  },
  EXECUTION_ERROR: {
    means: "The tool ran, and the operating system refused an operation.",
    fixer: "user",
    retry: true,
  },
  INTERNAL_ERROR: {
    means: "hotcell or the tool has a bug. The log has the details.",
    fixer: "hotcell",
    retry: true,
  },
  LOG_UNAVAILABLE: {
    means: "The log cannot be written, so hotcell runs nothing.",
    fixer: "operator",
    retry: true,
  },
  LOG_TAMPERED: { means: "The log on disk is not what hotcell wrote.", fixer: "operator", retry: false },
  LOCKED: { means: "Another process holds a lock that this one needs.", fixer: "operator", retry: true },
  COMMIT_INTERRUPTED: {
    means: "A commit was interrupted. Recover it first.",
    fixer: "user",
    retry: false,
  },
  CONFIG_INVALID: { means: "A setting has a value that is not allowed.", fixer: "operator", retry: false },
  POLICY_INVALID: { means: "A rule can't be read or can never match.", fixer: "operator", retry: false },
  WORKSPACE_UNUSABLE: {
    means: "The workspace or state directory can't be used, or the cell is closed.",
    fixer: "operator",
    retry: false,
  },
  DUPLICATE_TOOL: { means: "Two tools have the same name.", fixer: "operator", retry: false },
  NOT_SUPPORTED: { means: "This version or this machine can't do it.", fixer: "operator", retry: false },
  CAPABILITY_DENIED: {
    means: "The tool needs a capability that the operator does not grant.",
    fixer: "operator",
    retry: false,
  },
  INVALID_MODULE: {
    means: "The WebAssembly module is damaged, or needs what hotcell does not give.",
    fixer: "operator",
    retry: false,
  },
  MEMORY_LIMIT: {
    means: "The tool needs more memory than its limit.",
    fixer: "operator",
    retry: false,
  },
  FUEL_EXHAUSTED: {
    means: "The tool ran more instructions than its limit.",
    fixer: "operator",
    retry: false,
  },
  TRAP: {
    means: "The tool's code ended by itself with an error, such as a division by zero.",
    fixer: "operator",
    retry: false,
  },
  INVALID_OUTPUT: {
    means: "The tool's output is not one JSON object, or does not match its output schema.",
    fixer: "operator",
    retry: false,
  },
  OUTPUT_LIMIT: { means: "The tool's output is longer than its limit.", fixer: "model", retry: false },
  GUEST_CRASHED: {
    means: "The process in which the tool ran ended unexpectedly. hotcell has replaced it.",
    fixer: "operator",
    retry: true,
  },
  MODEL_AUTH: { means: "The model's provider does not accept the key.", fixer: "operator", retry: false },
  MODEL_RATE_LIMITED: {
    means: "The model's provider accepts no more requests for now.",
    fixer: "operator",
    retry: true,
  },
  MODEL_OVERLOADED: {
    means: "The model's provider failed or is overloaded.",
    fixer: "operator",
    retry: true,
  },
  MODEL_UNREACHABLE: {
    means: "No connection to the model's provider could be made.",
    fixer: "operator",
    retry: true,
  },
  MODEL_CONTEXT_LENGTH: {
    means: "The conversation is longer than the model can read.",
    fixer: "user",
    retry: false,
  },
  MODEL_WITHOUT_TOOLS: {
    means: "The model does not support the provider's tool calls.",
    fixer: "operator",
    retry: false,
  },
  MODEL_REQUEST_REFUSED: {
    means: "The model's provider refused the request, such as an unknown model.",
    fixer: "operator",
    retry: false,
  },
  MODEL_STREAM_CUT: { means: "The model's answer ended before it was complete.", fixer: "user", retry: true },
  MODEL_PROTOCOL: {
    means: "The answer does not have this provider's format. The base URL may be wrong.",
    fixer: "operator",
    retry: false,
  },
  UNAUTHORIZED: {
    means: "The HTTP request does not have the server's token.",
    fixer: "operator",
    retry: false,
  },
  REQUEST_REFUSED: {
    means: "The HTTP request has a host, origin, path, content type or size that the server does not take.",
    fixer: "operator",
    retry: false,
  },
  UNAVAILABLE: {
    means:
      "A limit is reached for now, such as the requests of a server or the sessions of a project, or the server is stopping.",
    fixer: "operator",
    retry: true,
  },
  USAGE: { means: "The command line has an unknown or misused argument.", fixer: "user", retry: false },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof ERRORS;

export type ErrorDetails = Readonly<Record<string, unknown>>;

export interface HotcellErrorOptions extends ErrorOptions {
  /** The tool's output until the error. */
  readonly output?: JsonObject;
}

/** Every error with a message for the caller. Any other thrown value is a bug. */
export class HotcellError extends Error {
  override readonly name = "HotcellError";
  readonly code: ErrorCode;
  readonly details: ErrorDetails;
  readonly output: JsonObject | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, options?: HotcellErrorOptions) {
    super(message, options);
    this.code = code;
    this.details = details;
    this.output = options?.output;
  }
}

/** The `code` of an operating-system error (`ENOENT`), or undefined. */
export function osErrorCode(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === "string" ? code : undefined;
}

/** SQLite's errors have no class of their own in both drivers. */
export function isOfSqlite(error: unknown): boolean {
  if (error instanceof HotcellError || !(error instanceof Error)) return false;
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
  return (typeof code === "string" && /^(ERR_SQLITE|SQLITE_)/.test(code)) || name === "SqliteError";
}
