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
  DENIED: { means: "A rule, the trust level or a person said no.", fixer: "user", retry: false },
  CANCELLED: { means: "The caller ended the call before it was done.", fixer: "user", retry: true },
  TIMEOUT: { means: "The call did not end within its time limit.", fixer: "model", retry: true },
  PATH_OUTSIDE_WORKSPACE: { means: "The path leads out of the workspace.", fixer: "model", retry: false },
  SYMLINK_OUTSIDE_WORKSPACE: {
    means: "A symbolic link on the path leads out of the workspace.",
    fixer: "model",
    retry: false,
  },
  PROTECTED_PATH: {
    means: "The path holds secrets or runs by itself, and is kept from tools.",
    fixer: "user",
    retry: false,
  },
  NOT_FOUND: { means: "Nothing is at that path.", fixer: "model", retry: false },
  ALREADY_EXISTS: { means: "Something is at that path already.", fixer: "model", retry: false },
  NOT_A_FILE: { means: "The path is a directory or a special file.", fixer: "model", retry: false },
  NOT_A_DIRECTORY: { means: "The path, or a part of it, is not a directory.", fixer: "model", retry: false },
  FILE_TOO_LARGE: { means: "The file is larger than one answer may be.", fixer: "model", retry: false },
  WRITE_TOO_LARGE: {
    means: "The content is larger than the agent may write at once.",
    fixer: "model",
    retry: false,
  },
  PRECONDITION_FAILED: {
    means: "The file is not the version that the caller expected.",
    fixer: "model",
    retry: false,
  },
  INVALID_FRONTMATTER: {
    means: "The file's front matter is not plain YAML, or not of the form that the update needs.",
    fixer: "model",
    retry: false,
  },
  PATCH_FAILED: {
    means: "The patch can't be read, or does not fit the file as it is.",
    fixer: "model",
    retry: false,
  },
  COMMAND_BLOCKED: {
    means: "The command is on the built-in deny list, or on no allowlist, and no rule allows it.",
    fixer: "user",
    retry: false,
  },
  NO_SANDBOX: {
    means: "This machine can't shield commands, so none is run; hotcell doctor says what is missing.",
    fixer: "operator",
    retry: false,
  },
  EXECUTION_ERROR: {
    means: "The tool ran and the machine refused what it tried.",
    fixer: "user",
    retry: true,
  },
  INTERNAL_ERROR: {
    means: "hotcell failed in a way it should not; the log has the details.",
    fixer: "hotcell",
    retry: true,
  },
  LOG_UNAVAILABLE: { means: "The log can't be written, so nothing may run.", fixer: "operator", retry: true },
  LOG_TAMPERED: { means: "The log on disk is not what hotcell wrote.", fixer: "operator", retry: false },
  LOCKED: { means: "Another process holds what this one needs.", fixer: "operator", retry: true },
  COMMIT_INTERRUPTED: {
    means: "A commit was interrupted, and has to be recovered first.",
    fixer: "user",
    retry: false,
  },
  CONFIG_INVALID: { means: "A setting has a value that is not allowed.", fixer: "operator", retry: false },
  POLICY_INVALID: { means: "A rule can't be read or can never match.", fixer: "operator", retry: false },
  WORKSPACE_UNUSABLE: {
    means: "The workspace or state directory can't be used.",
    fixer: "operator",
    retry: false,
  },
  DUPLICATE_TOOL: { means: "Two tools have the same name.", fixer: "operator", retry: false },
  NOT_SUPPORTED: { means: "This version or this machine can't do it.", fixer: "operator", retry: false },
  USAGE: { means: "The command line is not one that hotcell takes.", fixer: "user", retry: false },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof ERRORS;

export type ErrorDetails = Readonly<Record<string, unknown>>;

interface HotcellErrorOptions extends ErrorOptions {
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
