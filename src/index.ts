// The types name Buffer and other parts of Node: a program need not list them for that.
/// <reference types="node" preserve="true" />
export type { ApprovalAnswer, ApprovalRequest, Approve } from "./approval/approve.ts";
export type {
  AnthropicToolUse,
  OllamaToolCall,
  OpenAICustomCall,
  OpenAIFunctionCall,
  OpenAIToolCall,
  ProviderCall,
} from "./call/read-call-object.ts";
export type {
  CommitOptions,
  DiffOptions,
  DiffView,
  PathsOptions,
  PlanOptions,
  SessionApi,
  SignalOptions,
} from "./call/session/session-api.ts";
export {
  type CallOptions,
  type Cell,
  type CellOptions,
  type ExecOptions,
  openCell,
  type RunRecord,
} from "./cell.ts";
export type { HttpToolMethod, Interpreter } from "./config/tool-schema.ts";
export { type ErrorCode, type ErrorDetails, HotcellError, type HotcellErrorOptions } from "./core/errors.ts";
export type { HostPort } from "./core/host-name.ts";
export type { Json, JsonObject } from "./core/json.ts";
export type {
  AnyObservation,
  AskedCall,
  CallChanges,
  CallEvent,
  CallMeta,
  CallRequest,
  DangerLevel,
  Effect as ToolEffect,
  FileLimits,
  HiddenFiles,
  LimitEnforcement,
  LimitState,
  Meta,
  MountsErrorCode,
  MountsFailure,
  MountsObservation,
  NotExecutedWhy,
  Observation,
  Outcome,
  OutcomeStatus,
  OutputPart,
  Progress,
  RefusedHost,
  RuleOrigin,
  StudioObservation,
  ToolCategory,
  ToolFailure,
  ToolLimits,
  ToolObservation,
  TrustLevel,
  Verdict,
  WasmMeta,
} from "./core/types.ts";
export {
  type Sessions,
  type SessionsGcOptions,
  type SessionsListOptions,
  type SessionsOptions,
  sessions,
} from "./doors/sessions.ts";
export {
  type AnthropicImage,
  type AnthropicText,
  type AnthropicToolMessage,
  type AnthropicToolResult,
  type OllamaToolMessage,
  type OpenAIFunctionOutput,
  type OpenAIToolMessage,
  type ResponsesImage,
  type ResponsesText,
  type ToolMessageFormat,
  type ToolMessages,
  toToolMessage,
} from "./doors/to-tool-message.ts";
export {
  createToolHost,
  type HostToolCall,
  type OpenAIFunctionTool,
  type RunContext,
  type ToolCallContext,
  type ToolCallParams,
  type ToolCallsParams,
  type ToolHost,
  type ToolHostOptions,
} from "./doors/tool-host.ts";
export type { GatewayAnswer, GatewayRequest, ModelGateway, ModelSpending } from "./models/gateway.ts";
export { isPrivateIP } from "./net/addresses.ts";
export type { HttpClient, HttpRequest, HttpResponse } from "./net/http-client.ts";
export type { WebSearchOptions } from "./net/network-clients.ts";
export { safeBodyString } from "./net/safe-body-string.ts";
export type { FoundResults, WebResult } from "./net/search/search-provider.ts";
export type { WebSearch, WebSearchAnswer } from "./net/search/web-search.ts";
export type { ProtectionClass, ProtectOptions } from "./policy/protected.ts";
export type { ToolPermission, ToolScope } from "./policy/scope.ts";
export type { PathNaming, SubjectKind } from "./policy/tool-names.ts";
export type { Captured as CapturedOutput } from "./shield/process/capture-output.ts";
export type {
  CommandEnd,
  CommandLimits,
  Exceeded as ExceededLimit,
  Termination,
} from "./shield/process/command.ts";
export { envFor, sanitizeEnv } from "./shield/process/environment.ts";
export type { BackgroundProcess, Processes, ProcessOutput } from "./shield/processes.ts";
export type {
  BackgroundCommand,
  BinaryFileOutput,
  BuiltinCall,
  BuiltinObservation,
  BuiltinToolName,
  BuiltinTools,
  CommandOutput,
  EditFileArguments,
  EditFileOutput,
  FileCount,
  FileEdit,
  FindFilesArguments,
  FindFilesOutput,
  FoundLine,
  FsApplyPatchArguments,
  FsListArguments,
  FsPatch,
  FsReadArguments,
  FsSearchArguments,
  FsWriteArguments,
  KvDeleteOutput,
  KvGetOutput,
  KvKeyArguments,
  KvListArguments,
  KvListOutput,
  KvSetArguments,
  KvSetOutput,
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
  RunJsArguments,
  RunJsOutput,
  SearchFilesArguments,
  SearchFilesOutput,
  SessionCommitArguments,
  SessionCommitOutput,
  SessionCreateOutput,
  SessionDiffArguments,
  SessionDiffOutput,
  SessionDiscardArguments,
  SessionDiscardOutput,
  SessionRewindArguments,
  SessionRewindOutput,
  TextFileOutput,
  TimeNowOutput,
  WriteFileArguments,
  WriteFileOutput,
} from "./tools/builtin-types.ts";
export type { ImageMime } from "./tools/coding/image-mime.ts";
export type { CommandRequest, CommandResult, Commands } from "./tools/commands.ts";
export { type CommandToolOptions, commandTool } from "./tools/configured/command-tool.ts";
export { type HttpToolOptions, httpTool } from "./tools/configured/http-tool.ts";
export { type InlineToolOptions, inlineTool } from "./tools/configured/inline-tool.ts";
export type { ConfiguredToolOptions, ShieldedToolOptions } from "./tools/configured/shielded-tool.ts";
export { validateBinary } from "./tools/configured/validate-binary.ts";
export { defineTool, type Kit, type Need, type Tool, type ToolSpec } from "./tools/define-tool.ts";
export type {
  AnthropicDefinition,
  FunctionDefinition,
  InputSchema,
  McpDefinition,
  ResponsesDefinition,
  ToolDefinitions,
  WireFormat,
} from "./tools/definitions.ts";
export type { StandardIssue, StandardResult, StandardSchema } from "./tools/input/standard-schema.ts";
export type { ToolArguments, ToolInput } from "./tools/input/tool-arguments.ts";
export { type DescribedTool, toolInstructions } from "./tools/instructions.ts";
export type {
  FsApplyPatchResult,
  FsEntry,
  FsListResult,
  FsReadResult,
  FsSearchMatch,
  FsSearchResult,
  FsWriteResult,
  HostCommandResult,
  ToolResult,
} from "./tools/mounts/results.ts";
export type { FrontmatterUpdate } from "./tools/patch/frontmatter-changes.ts";
export type {
  BashArguments,
  BashMetadata,
  FileReadArguments,
  FileReadMetadata,
  FileWriteArguments,
  FileWriteMetadata,
  StudioErrorMetadata,
  StudioToolObservation,
  WebSearchArguments,
  WebSearchMetadata,
} from "./tools/studio/studio-types.ts";
export type { Capabilities } from "./tools/wasm/grant.ts";
export type { ToolGuestLimits } from "./tools/wasm/guest-call.ts";
export type {
  FileAccess,
  GuestLimits,
  GuestMount,
  GuestProgram,
  GuestRequest,
  GuestResult,
  GuestSeed,
  Guests,
  HostCallNotes,
} from "./tools/wasm/guests.ts";
export { type RunJsOptions, runJsTool } from "./tools/wasm/run-js.ts";
export { type WasmToolOptions, wasmTool } from "./tools/wasm/wasm-tool.ts";
export type { MeterExports, MeteredModule } from "./wasm/meter.ts";
export type { CommitStep } from "./workspace/commit/plan/commit-step.ts";
export type {
  CommitPlan,
  Conflict,
  ConflictPolicy,
  ConflictReason,
  Obstacle,
  Skipped,
} from "./workspace/commit/plan/plan.ts";
export type { Recovery } from "./workspace/commit/recover.ts";
export type { RevertResult } from "./workspace/commit/revert.ts";
export type { CommitResult } from "./workspace/commit/run-commit.ts";
export type { Change, ChangeKind, Hunk, Side } from "./workspace/diff/changes.ts";
export type {
  SearchMatch,
  SearchOptions,
  SearchProgress,
  SearchQuery,
  SearchResult,
} from "./workspace/files/search-query.ts";
export type {
  CanonicalPath,
  DirectoryEntry,
  EntryName,
  EntryStat,
  EntryTimes,
  FileHandle,
  FileStat,
  HandleOptions,
  Listing as DirectoryListing,
  OpenedFile,
  WalkEntry,
  WalkOptions,
  WorkspaceFS,
  WriteOptions,
  Written as WriteResult,
} from "./workspace/files/workspace-fs.ts";
export type {
  FileIdentity,
  Fingerprint,
  Version as FileVersion,
} from "./workspace/fs/fingerprint.ts";
export type { Owner as FileOwner } from "./workspace/fs/owner.ts";
export type { FileKind } from "./workspace/fs/tree.ts";
export type { KeyValue, KeyValues } from "./workspace/kv/key-values.ts";
export type { Strategy as SessionStrategy } from "./workspace/layers/record.ts";
export type { MountOptions } from "./workspace/mounts/mount.ts";
export type { GitBranchOptions, GitBranchResult } from "./workspace/session/commit-git-branch.ts";
export type { GcOptions, GcResult } from "./workspace/session/registry/gc.ts";
export type { SessionDetails, SessionSummary } from "./workspace/session/registry/list-sessions.ts";
export type { Recovered } from "./workspace/session/registry/recover-sessions.ts";
export type { RewindResult } from "./workspace/session/session-types.ts";
