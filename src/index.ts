// The types name Buffer and other parts of Node: a program need not list them for that.
/// <reference types="node" preserve="true" />
export type { ApprovalAnswer, ApprovalRequest, Approve } from "./approval/approve.ts";
export type {
  CommitOptions,
  DiffOptions,
  DiffView,
  PathsOptions,
  PlanOptions,
  SignalOptions,
} from "./call/session-api.ts";
export { type CallOptions, type Cell, type CellOptions, type ExecOptions, openCell } from "./cell.ts";
export { type ErrorCode, HotcellError } from "./core/errors.ts";
export type { Json, JsonObject } from "./core/json.ts";
export type {
  AnyObservation,
  CallChanges,
  CallEvent,
  CallRequest,
  FileLimits,
  LimitEnforcement,
  LimitState,
  MountsErrorCode,
  MountsFailure,
  MountsObservation,
  Observation,
  ObservationMeta as Meta,
  Outcome,
  RuleOrigin,
  StudioObservation,
  ToolFailure,
  TrustLevel,
  Verdict,
} from "./core/types.ts";
export { type Sessions, type SessionsGcOptions, type SessionsOptions, sessions } from "./doors/sessions.ts";
export {
  createToolHost,
  type HostRunContext as RunContext,
  type OpenAIFunctionTool,
  type ToolCallParams,
  type ToolHost,
  type ToolHostOptions,
} from "./doors/tool-host.ts";
export type { ProtectionClass, ProtectOptions } from "./policy/protected.ts";
export type { ToolPermission, ToolScope } from "./policy/scope.ts";
export type { CommandLimits, Termination } from "./shield/process/command.ts";
export { envFor, sanitizeEnv } from "./shield/process/environment.ts";
export type {
  BackgroundCommand,
  BinaryFileOutput,
  BuiltinCall,
  BuiltinObservation,
  BuiltinToolName,
  BuiltinTools,
  CommandOutput,
  FoundLine,
  FsApplyPatchArguments,
  FsListArguments,
  FsPatch,
  FsReadArguments,
  FsSearchArguments,
  FsWriteArguments,
  ListDirectoryArguments,
  ListDirectoryOutput,
  ListedEntry,
  NoArguments,
  OtherCall,
  ProcessArguments,
  ProcessListOutput,
  ProcessOutputOutput,
  ProcessState,
  ReadFileArguments,
  ReadFileOutput,
  RunCommandArguments,
  RunCommandCall,
  RunCommandObservation,
  SearchFilesArguments,
  SearchFilesOutput,
  TextFileOutput,
  TimeNowOutput,
  ToolObservation,
  WriteFileArguments,
  WriteFileOutput,
} from "./tools/builtin-types.ts";
export { type CommandToolOptions, commandTool } from "./tools/configured/command-tool.ts";
export { type InlineToolOptions, inlineTool } from "./tools/configured/inline-tool.ts";
export { validateBinary } from "./tools/configured/validate-binary.ts";
export { defineTool, type Kit, type Tool } from "./tools/define-tool.ts";
export type {
  AnthropicDefinition,
  FunctionDefinition,
  InputSchema,
  McpDefinition,
  ToolDefinitions,
  WireFormat,
} from "./tools/definitions.ts";
export { toolInstructions } from "./tools/instructions.ts";
export type {
  FsApplyPatchResult,
  FsEntry,
  FsListResult,
  FsReadResult,
  FsSearchMatch,
  FsSearchResult,
  FsWriteResult,
  ToolResult,
} from "./tools/mounts/results.ts";
export type { FrontmatterUpdate } from "./tools/patch/frontmatter-changes.ts";
export type { CommitStep } from "./workspace/commit/plan/commit-step.ts";
export type {
  CommitPlan,
  Conflict,
  ConflictPolicy,
  ConflictReason,
  Obstacle,
  Skipped,
} from "./workspace/commit/plan/plan.ts";
export type { RevertResult } from "./workspace/commit/revert.ts";
export type { CommitResult } from "./workspace/commit/run-commit.ts";
export type { Change, ChangeKind, Hunk, Side } from "./workspace/diff/changes.ts";
export type { WorkspaceFS } from "./workspace/files/workspace-fs.ts";
export type { MountOptions } from "./workspace/mounts/mount.ts";
export type { GcResult } from "./workspace/session/registry/gc.ts";
export type { SessionDetails, SessionSummary } from "./workspace/session/registry/list-sessions.ts";
export type { Recovered } from "./workspace/session/registry/recover-sessions.ts";
export type { RewindResult } from "./workspace/session/session-types.ts";
