// The MCP server of one connection, or of one request. It only translates: every call goes through the cell, also one with
// an unknown tool or wrong arguments, so that the log has it and the model reads why it failed.
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  type RequestStateCodec,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { KeptCell } from "../../cells.ts";
import { LIMITS } from "../../core/limits.ts";
import type { McpDefinition } from "../../tools/definitions.ts";
import { readVersion } from "../read-version.ts";
import { toCallResult, toFailedResult } from "./call-result.ts";
import type { McpCall, OpenCalls, Round, RoundEnd } from "./open-calls.ts";
import { createQuestionForm, QUESTION_KEY, readQuestionForm } from "./question-form.ts";
import { createProgressReport } from "./report-progress.ts";
import { ROOTS_KEY, readRoots, rootsWithin } from "./roots.ts";
import { type Handles, hasOwnSession, refuseCreate, takeHandle } from "./server-cells.ts";
import { argumentsOf, ToolServer } from "./tool-server.ts";

export interface ServerParts {
  readonly tools: readonly McpDefinition[];
  /** The project's directory. */
  readonly project: string;
  /** Whether a tool needs to know the client's roots. */
  readonly usesFiles: (tool: string) => boolean;
  /** Of calls without a handle. */
  readonly cell: KeptCell;
  /** Null if calls have no handles. */
  readonly handles: Handles | null;
  readonly calls: OpenCalls;
  readonly states: RequestStateCodec<RequestState>;
}

/** What the client sends back with its answer: to a question about a call that waits, or for its roots. */
type RequestState =
  | { readonly asked: "approval"; readonly callId: string; readonly digest: string }
  | { readonly asked: "roots"; readonly version: number };

/** Signs the `requestState` of questions. `key` has 32 bytes. */
export function createStates(key: Uint8Array): RequestStateCodec<RequestState> {
  return createRequestStateCodec<RequestState>({
    key,
    ttlSeconds: LIMITS.mcpAnswerMs / 1000,
    bind: ({ sessionId = "" }) => sessionId,
  });
}

export function createServer(parts: ServerParts): Server {
  const server = new ToolServer(
    { name: "hotcell", title: "hotcell", version: readVersion() },
    {
      capabilities: { tools: {} },
      instructions: INSTRUCTIONS,
      inputRequired: { roundTimeoutMs: LIMITS.mcpAnswerMs },
      requestState: { verify: parts.states.verify },
    },
  );
  const kept = keepRoots(server, parts.project);
  server.setRequestHandler("tools/list", () => ({ tools: parts.tools.map((tool) => ({ ...tool })) }));
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const { signal, envelope } = context.mcpReq;
    const coversQuestion = envelope === undefined;
    const round = { signal, coversQuestion, onEvent: createProgressReport(context) };
    const state = context.mcpReq.requestState<RequestState>();
    try {
      if (state?.asked === "approval")
        return await toResult(await answer(state, parts, round, context), parts, context);
      const capabilities = capabilitiesOf(server, context);
      const roots = parts.usesFiles(params.name) ? kept.find(capabilities, context) : undefined;
      if (roots === "unknown") return await askRoots(parts, kept.version(), context);
      const call = {
        name: params.name,
        arguments: argumentsOf(params),
        canAsk: canAsk(capabilities),
        ...(roots && { roots }),
      };
      return await toResult(await start(call, parts, round), parts, context);
    } catch (error) {
      return toFailedResult(error);
    }
  });
  return server;
}

const INSTRUCTIONS =
  "The tools work in a session: a copy-on-write view of the project. The user reviews the changes with `hotcell diff` and writes them to the project with `hotcell commit`.";

/** By the request itself, or by the handshake of a client of an earlier revision. */
function capabilitiesOf(server: Server, { mcpReq }: ServerContext): ClientCapabilities {
  const envelope: { readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } = mcpReq.envelope ?? {};
  return envelope[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities() ?? {};
}

function canAsk({ elicitation }: ClientCapabilities): boolean {
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

interface KeptRoots {
  /** "unknown" if the client has to be asked. */
  find(capabilities: ClientCapabilities, context: ServerContext): readonly string[] | undefined | "unknown";
  /** Grows when the client says that its roots have changed. */
  version(): number;
}

/** Only a client of an earlier revision says when its roots change: others are asked with each call. */
function keepRoots(server: Server, project: string): KeptRoots {
  let kept: { readonly roots: readonly string[] | undefined } | null = null;
  let version = 0;
  server.setNotificationHandler("notifications/roots/list_changed", () => {
    kept = null;
    version++;
  });
  return {
    version: () => version,
    find({ roots: declared }, { mcpReq }) {
      if (declared === undefined) return undefined;
      const state = mcpReq.requestState<RequestState>();
      // Roots that changed while the client was asked for them may be the old ones.
      if (state?.asked === "roots" && state.version === version) {
        const roots = rootsWithin(project, readRoots(mcpReq.inputResponses));
        if (mcpReq.envelope === undefined) kept = { roots };
        return roots;
      }
      return kept === null ? "unknown" : kept.roots;
    },
  };
}

async function askRoots(
  { states }: ServerParts,
  version: number,
  context: ServerContext,
): Promise<InputRequiredResult> {
  return inputRequired({
    inputRequests: { [ROOTS_KEY]: inputRequired.listRoots() },
    requestState: await states.mint({ asked: "roots", version }, context),
  });
}

async function start(
  call: McpCall,
  { tools, cell, handles, calls }: ServerParts,
  round: Round,
): Promise<RoundEnd> {
  const { name, arguments: given } = call;
  if (handles === null) {
    refuseCreate(name);
    return calls.start(call, cell, round);
  }
  handles.refuseMore(name);
  const { handle, args } = hasOwnSession(tools, name) ? { args: given } : takeHandle(given);
  const used = handle === undefined ? cell : handles.find(handle);
  return calls.start({ ...call, arguments: args }, used, round);
}

function answer(
  { callId, digest }: RequestState & { readonly asked: "approval" },
  { calls }: ServerParts,
  round: Round,
  { mcpReq }: ServerContext,
): Promise<RoundEnd> {
  const given = readQuestionForm(mcpReq.inputResponses, { digest });
  const end = calls.answer(callId, given, round);
  if (end !== null) return end;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Invalid or expired requestState", {
    reason: "invalid_request_state",
  });
}

async function toResult(
  end: RoundEnd,
  { states, handles }: ServerParts,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  if (end.kind === "ended") {
    handles?.addCreated(end.observation);
    return toCallResult(end.observation);
  }
  const { callId, digest } = end.request;
  return inputRequired({
    inputRequests: { [QUESTION_KEY]: createQuestionForm(end.request) },
    requestState: await states.mint({ asked: "approval", callId, digest }, context),
  });
}
