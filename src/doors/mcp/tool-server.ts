// The SDK's server refuses a tool call whose arguments are not an object before any handler sees the call. Here such
// arguments bypass that check: the pipeline repairs or refuses them, and logs the call.
import { type JSONRPCRequest, Server } from "@modelcontextprotocol/server";
import { isJsonObject } from "../../core/json.ts";

interface CallParams {
  readonly arguments?: unknown;
  readonly _meta?: { readonly [key: string]: unknown } | undefined;
}

type Handler = Parameters<Server["_wrapHandler"]>[1];

/** Where arguments that are not an object wait. What a client writes there is removed: a user would not see it. */
const ARGUMENTS_KEY = "hotcell/arguments";

export class ToolServer extends Server {
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const wrapped = super._wrapHandler(method, handler);
    if (method !== "tools/call") return wrapped;
    return (request, context) => wrapped(moveArguments(request), context);
  }
}

/** The arguments that the client sent, whatever they are. */
export function argumentsOf(params: CallParams): unknown {
  return params._meta?.[ARGUMENTS_KEY] ?? params.arguments;
}

function moveArguments(request: JSONRPCRequest): JSONRPCRequest {
  const { arguments: given, ...params }: CallParams = request.params ?? {};
  const { [ARGUMENTS_KEY]: _, ...meta } = params._meta ?? {};
  if (given !== undefined && !isJsonObject(given))
    return { ...request, params: { ...params, _meta: { ...meta, [ARGUMENTS_KEY]: given } } };
  return params._meta === undefined ? request : { ...request, params: { ...request.params, _meta: meta } };
}
