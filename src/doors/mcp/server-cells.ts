// The cells of an MCP server. On stdio there is one. Over HTTP a client may have more: it names them by a handle.
import { readArguments } from "../../call/read-arguments.ts";
import type { KeptCell } from "../../cells.ts";
import { HotcellError } from "../../core/errors.ts";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { LIMITS } from "../../core/limits.ts";
import { quote } from "../../core/quote.ts";
import type { AnyObservation } from "../../core/types.ts";
import type { McpDefinition } from "../../tools/definitions.ts";

/** The sessions that clients of this server created, by their handles, which are their ids. */
export interface Handles {
  /** Throws NOT_FOUND for what `session_create` of this server did not give. */
  find(handle: string): KeptCell;
  /** Takes in the session that a call has created. */
  addCreated(observation: AnyObservation): void;
  refuseMore(tool: string): void;
  close(): Promise<void>;
}

export const CREATE = "session_create";

export function createHandles(keep: (session: string) => KeptCell): Handles {
  const cells = new Map<string, KeptCell>();
  return {
    find(handle) {
      const cell = cells.get(handle);
      if (cell !== undefined) return cell;
      throw new HotcellError(
        "NOT_FOUND",
        `There is no session ${quote(handle)} of this server. Create one with ${CREATE}, or leave the argument out.`,
      );
    },
    addCreated(observation) {
      if (!("tool" in observation) || observation.tool !== CREATE || !isJsonObject(observation.output))
        return;
      const { session } = observation.output;
      if (typeof session === "string") cells.set(session, keep(session));
    },
    refuseMore(tool) {
      if (tool !== CREATE || cells.size < LIMITS.maxMcpSessions) return;
      throw new HotcellError(
        "DENIED",
        `${CREATE} was not run: clients have created ${cells.size} sessions, the most that one server keeps. Use one of them.`,
      );
    },
    close: async () => void (await Promise.all([...cells.values()].map((cell) => cell.close()))),
  };
}

/** Without handles a client could not use what it created. */
export function refuseCreate(tool: string): void {
  if (tool !== CREATE) return;
  throw new HotcellError(
    "DENIED",
    `${CREATE} was not run: on stdio a client has one session, and cannot name another. Go on in that session.`,
  );
}

const HANDLE = {
  type: "string",
  description: `The session to work in: what ${CREATE} returned. Default: the client's own session`,
};

/** The definition with one argument more; unchanged if the tool has its own argument of that name. */
export function withHandle(tool: McpDefinition): McpDefinition {
  const { properties = {} } = tool.inputSchema;
  if (!isJsonObject(properties) || "session" in properties) return tool;
  return { ...tool, inputSchema: { ...tool.inputSchema, properties: { ...properties, session: HANDLE } } };
}

/** Splits the handle from the arguments of a call, which may be JSON text. */
export function takeHandle(args: unknown): { readonly handle?: string; readonly args: unknown } {
  const read = typeof args === "string" ? readObject(args) : args;
  if (!isJsonObject(read) || !Object.hasOwn(read, "session")) return { args };
  const { session, ...rest } = read as JsonObject;
  return typeof session === "string" ? { handle: session, args: rest } : { args };
}

/** Null for text that the pipeline refuses. */
function readObject(text: string): JsonObject | null {
  try {
    return readArguments(text).arguments;
  } catch {
    return null;
  }
}

/** Whether the tool of that name has an argument `session` of its own. */
export function hasOwnSession(tools: readonly McpDefinition[], name: string): boolean {
  const properties = tools.find((tool) => tool.name === name)?.inputSchema.properties;
  return isJsonObject(properties) && Object.hasOwn(properties, "session") && properties.session !== HANDLE;
}
