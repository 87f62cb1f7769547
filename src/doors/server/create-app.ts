// The routes as one handler: finds the route, checks the request by its schemas, and answers errors with their codes.
import { type Context, Hono } from "hono";
import { HotcellError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { compileSchema } from "../../tools/compile-schemas.ts";
import { describeProblem } from "../../tools/describe-problem.ts";
import type { SchemaCheck } from "../../tools/schema-check.ts";
import { showNames } from "../cli/print-shown.ts";
import type { HttpHandler } from "../http/http-server.ts";
import type { Admission } from "./admission.ts";
import { type ApiRequest, pathParametersOf, type Route } from "./route.ts";
import { given } from "./schemas.ts";
import { toRefusal } from "./status-of.ts";

type Bindings = { readonly Bindings: { readonly body: unknown } };

export interface AppOptions {
  readonly routes: readonly Route[];
  readonly admission: Admission;
  /** Answers requests that are no part of the API, by their path. */
  readonly mounted: ReadonlyMap<string, HttpHandler>;
}

export function createApp({ routes, admission, mounted }: AppOptions): HttpHandler {
  // Hono would decode the path before it looks for the route. The guard has judged it as it was sent.
  const app = new Hono<Bindings>({ getPath: ({ url }) => new URL(url).pathname });
  const { admit, admitStream } = admission;
  for (const [path, handle] of mounted)
    app.all(path, ({ req: { raw }, env: { body } }) => {
      const work = () => handle(raw, body);
      // With POST the stream ends with its call. With GET a client listens until it leaves, and with HEAD nobody reads.
      return raw.method === "POST" ? admitStream(work) : admit(work);
    });
  for (const route of routes) {
    const check = createCheck(route);
    app.on(route.method, route.path.replace(/\{(\w+)\}/g, ":$1"), async (context) => {
      const request = readRequest(context, route);
      check(request);
      const work = () => route.handle(request);
      return toResponse(await (route.always ? work() : admit(work)));
    });
  }
  app.notFound(() =>
    toProblem(new HotcellError("NOT_FOUND", "There is no such route. See GET /api/openapi.json.")),
  );
  app.onError((error) => {
    if (error instanceof HotcellError) return toProblem(error);
    throw error;
  });
  return async (request, body) => app.fetch(request, { body });
}

function readRequest({ req, env }: Context<Bindings>, route: Route): ApiRequest {
  const params = pathParametersOf(route).map((name) => [name, req.param(name)!]);
  return {
    params: Object.fromEntries(params),
    query: req.query(),
    body: env.body,
    lastEventId: readNumber(req.header("last-event-id") ?? ""),
    port: Number(new URL(req.url).port || 80),
    signal: req.raw.signal,
  };
}

/** Event streams of other servers have other ids: those count nothing. */
function readNumber(id: string): number {
  return /^[0-9]{1,15}$/.test(id) ? Number(id) : 0;
}

/** Throws INVALID_ARGUMENTS for what the route does not take. Compiles the schemas with the first request. */
function createCheck({ body, query = {} }: Route): (request: ApiRequest) => void {
  const parts = [
    { of: "query", schema: given(query), read: (request: ApiRequest) => request.query },
    ...(body === undefined
      ? []
      : [{ of: "body", schema: body, read: (request: ApiRequest) => request.body }]),
  ].map((part) => ({ ...part, compiled: null as SchemaCheck | null }));
  return (request) => {
    for (const part of parts) {
      part.compiled ??= compileSchema(part.schema);
      const value = part.read(request);
      if (part.compiled(value)) continue;
      const problem = describeProblem(part.compiled.errors![0]!, part.schema, value as JsonObject);
      throw new HotcellError(
        "INVALID_ARGUMENTS",
        `Could not take the request: ${problem.replace(/^arguments/, part.of)}.`,
      );
    }
  };
}

function toResponse(answer: unknown): Response {
  if (answer instanceof Response) return answer;
  return Response.json(showNames(answer));
}

function toProblem(error: HotcellError): Response {
  const { status, code, message, retryAfterSeconds } = toRefusal(error);
  const headers = retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
  return Response.json({ error: { code, message } }, { status, headers });
}
