// The server itself: its state, its machine, its document, and the pages that need no token.
import { startDeadline } from "../../../core/deadline.ts";
import { HotcellError } from "../../../core/errors.ts";
import { diagnose } from "../../cli/doctor/doctor.ts";
import { isSameSecret, type RequestAccess, withoutToken } from "../../http/check-request.ts";
import { loginCookie } from "../../http/login-cookie.ts";
import { MCP_PATH } from "../../mcp/mcp-handler.ts";
import { readVersion } from "../../read-version.ts";
import type { ApiParts } from "../api-parts.ts";
import { FRONT_PAGE } from "../front-page.ts";
import { createOpenApi, type DescribedRoute } from "../openapi.ts";
import type { Route } from "../route.ts";
import { flag, given, gives, listOf, oneOf, orNull, text } from "../schemas.ts";

const LOGIN = "/api/login";

/** The paths that need no token: nothing but fixed texts is there. */
export const OPEN_PATHS: ReadonlySet<string> = new Set(["/", "/livez", "/readyz", LOGIN]);

/** A request for a path where nothing is does not reach the router. */
export function accessOf(path: string): RequestAccess {
  if (OPEN_PATHS.has(path)) return "open";
  return /^\/(api|mcp|ws)(\/|$)/.test(path) ? "token" : "nothing";
}

/** The model of runs, how it is told of tools, and whether it calls them itself; null if that is unknown. */
async function modelsOf({ agent }: ApiParts, caller: AbortSignal) {
  if (agent === null) return [];
  const { model, toolMode = "auto" } = agent;
  const { signal, end } = startDeadline(PROVIDER_WAIT_MS, "The question to the provider", caller);
  // A provider that is not there is no fault of the status.
  const supportsTools = (await model.supportsTools?.(signal).catch(() => null)) ?? null;
  end();
  return [{ name: model.model, provider: model.provider, toolMode, supportsTools }];
}

const PROVIDER_WAIT_MS = 2000;

const MCP = { path: MCP_PATH, answer: "text/event-stream" };

/** What other protocols have: MCP, which is no part of the API, and the socket. */
const PROTOCOLS: readonly DescribedRoute[] = [
  {
    ...MCP,
    method: "POST",
    summary: "A message of an MCP client, in JSON-RPC",
    body: { type: "object" },
  },
  { ...MCP, method: "GET", summary: "Messages for an MCP client of an earlier revision" },
  {
    ...MCP,
    method: "DELETE",
    summary: "End the connection of an MCP client of an earlier revision",
    answer: null,
  },
  {
    method: "GET",
    path: "/ws",
    summary: "Switch to a WebSocket: the events of runs, sessions and questions, as frames of JSON",
    answer: null,
    status: 101,
  },
];

/** `others` are the routes before these: the document has them, too. */
export function machineRoutes(parts: ApiParts, others: readonly Route[]): Route[] {
  const routes: Route[] = [
    {
      method: "GET",
      path: "/",
      summary: "A page that says what this server is. Needs no token",
      answer: "text/html",
      always: true,
      handle: async () =>
        new Response(FRONT_PAGE, { headers: { "content-type": "text/html; charset=utf-8" } }),
    },
    {
      method: "GET",
      path: "/livez",
      summary: "Whether the server runs. Needs no token",
      answer: gives({ status: oneOf("ok") }),
      always: true,
      handle: async () => ({ status: "ok" }),
    },
    {
      method: "GET",
      path: "/readyz",
      summary: "Whether the server takes work: not while it stops. Needs no token",
      answer: gives({ status: oneOf("ok") }),
      handle: async () => ({ status: "ok" }),
    },
    {
      method: "POST",
      path: LOGIN,
      summary: "Get a cookie for the token, for a browser. Needs no other token",
      body: given({ token: text }, ["token"]),
      answer: gives({ status: oneOf("ok") }),
      always: true,
      async handle({ body, port }) {
        const { token } = body as { readonly token: string };
        if (!isSameSecret(token, parts.token.token)) {
          const { code, message } = withoutToken(parts.token);
          throw new HotcellError(code, message);
        }
        return Response.json({ status: "ok" }, { headers: { "set-cookie": loginCookie(port, parts.token) } });
      },
    },
    {
      method: "GET",
      path: "/api/openapi.json",
      summary: "This document",
      answer: { type: "object" },
      handle: async () => createOpenApi([...others, ...routes, ...PROTOCOLS], readVersion()),
    },
    {
      method: "GET",
      path: "/api/status",
      summary: "Version, project, model and trust level",
      answer: gives({
        version: text,
        project: text,
        trust: oneOf("supervised", "guided", "autonomous"),
        models: listOf(
          gives({
            name: text,
            provider: text,
            toolMode: oneOf("auto", "native", "text"),
            supportsTools: orNull(flag),
          }),
        ),
        questions: { type: "integer" },
      }),
      handle: async ({ signal }) => ({
        version: readVersion(),
        project: parts.project,
        trust: parts.cellOptions.trust ?? "guided",
        models: await modelsOf(parts, signal),
        questions: parts.questions.list().length,
      }),
    },
    {
      method: "GET",
      path: "/api/doctor",
      summary: "How this machine sandboxes commands. Takes a moment: it tries one out",
      answer: gives({
        isolation: orNull(text),
        strategy: orNull(text),
        findings: listOf({ type: "object" }),
        state: { type: "object" },
      }),
      handle: () => diagnose({ env: process.env, cwd: parts.project }, parts.store.stateDir),
    },
  ];
  return routes;
}
