// The types name Buffer and other parts of Node: a program need not list them for that.
/// <reference types="node" preserve="true" />
export type { ApprovalAnswer, ApprovalRequest, Approve } from "./approval/approve.ts";
export { type CallOptions, type Cell, type CellOptions, openCell } from "./cell.ts";
export { type ErrorCode, HotcellError } from "./core/errors.ts";
export type { Json, JsonObject } from "./core/json.ts";
export type {
  AnyObservation,
  CallEvent,
  CallRequest,
  FileLimits,
  Meta,
  MountsErrorCode,
  MountsFailure,
  MountsObservation,
  Observation,
  Outcome,
  RuleOrigin,
  StudioObservation,
  TrustLevel,
  Verdict,
} from "./core/types.ts";
export {
  createToolHost,
  type HostRunContext as RunContext,
  type OpenAIFunctionTool,
  type ToolCallParams,
  type ToolHost,
  type ToolHostOptions,
} from "./doors/tool-host.ts";
export type { ToolPermission, ToolScope } from "./policy/scope.ts";
export { envFor, sanitizeEnv } from "./shield/process/environment.ts";
export { type CommandToolOptions, commandTool } from "./tools/configured/command-tool.ts";
export { type InlineToolOptions, inlineTool } from "./tools/configured/inline-tool.ts";
export { validateBinary } from "./tools/configured/validate-binary.ts";
export { defineTool, type Kit, type Tool } from "./tools/define-tool.ts";
export type { WireFormat } from "./tools/definitions.ts";
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
export type { WorkspaceFS } from "./workspace/files/workspace-fs.ts";
export type { MountOptions } from "./workspace/mounts/mount.ts";
