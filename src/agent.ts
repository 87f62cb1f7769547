export type { AgentEvent, RunStop, RunUsage } from "./agent/agent-event.ts";
export type { Budget, ModelPrices } from "./agent/budget.ts";
export { type AgentOptions, runAgent } from "./agent/run-agent.ts";
export type { ToolMode } from "./agent/system-prompt.ts";
export { createDesk, type DeskOptions, type Question } from "./approval/desk.ts";
export type { Remember, RememberFor } from "./approval/remembered.ts";
export type {
  AssistantMessage,
  ModelCall,
  ModelChunk,
  ModelImage,
  ModelMessage,
  ModelProvider,
  ModelRequest,
  ModelTool,
  ModelUsage,
  ProviderName,
  StopReason,
  ToolResultMessage,
  UserMessage,
} from "./models/model.ts";
export { type ModelOptions, openModel } from "./models/open-model.ts";
