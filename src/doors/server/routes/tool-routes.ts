import type { AnyObservation } from "../../../core/types.ts";
import { WIRE_FORMATS, type WireFormat } from "../../../tools/definitions.ts";
import type { ApiParts } from "../api-parts.ts";
import type { Route } from "../route.ts";
import { anything, given, gives, listOf, oneOf, text } from "../schemas.ts";

interface ToolCall {
  readonly name: string;
  readonly arguments?: unknown;
  readonly session?: string;
  readonly id?: string;
}

export function toolRoutes({ cells, questions, toolsFor }: ApiParts): Route[] {
  return [
    {
      method: "GET",
      path: "/api/tools",
      summary: "The definitions of the tools, for a model or a client",
      query: { format: oneOf(...WIRE_FORMATS) },
      answer: gives({ tools: listOf({ type: "object" }) }),
      handle: async ({ query }) => ({ tools: toolsFor((query.format ?? "mcp") as WireFormat) }),
    },
    {
      method: "POST",
      path: "/api/tools/call",
      summary:
        "Call a tool. A question for approval waits at the desk. If the client leaves, the call is cancelled",
      body: given({ name: text, arguments: anything, session: text, id: text }, ["name"]),
      answer: gives({ meta: gives({ callId: text, outcome: text, session: text }) }),
      async handle({ body, signal }) {
        const { session, ...request } = body as ToolCall;
        questions.refuseIfFull();
        const id = session === undefined ? await cells.default() : await cells.find(session);
        return cells.use(id, (cell) => cell.call<AnyObservation>(request, { signal }));
      },
    },
  ];
}
