// The OpenAPI document of the server, made of its routes.
import type { Json, JsonObject } from "../../core/json.ts";
import { pathParametersOf, type Route } from "./route.ts";
import { problem, text } from "./schemas.ts";

/** What the document says of a route. */
export interface DescribedRoute extends Omit<Route, "handle" | "always" | "answer"> {
  /** Null if the answer has no body. */
  readonly answer: Route["answer"] | null;
  /** @default 200 */
  readonly status?: number;
}

export function createOpenApi(routes: readonly DescribedRoute[], version: string): JsonObject {
  const paths = [...new Set(routes.map(({ path }) => path))];
  return {
    openapi: "3.1.0",
    info: {
      title: "hotcell",
      version,
      description: "Runs the tools that a language model asks for, and shows what they changed.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    security: [{ token: [] }, { cookie: [] }],
    paths: Object.fromEntries(paths.map((path) => [path, describePath(routes, path)])),
    components: {
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "The token in the server's token file." },
        cookie: {
          type: "apiKey",
          in: "cookie",
          name: "hotcell-PORT",
          description: "The cookie of POST /api/login, for browsers.",
        },
      },
    },
  };
}

function describePath(routes: readonly DescribedRoute[], path: string): JsonObject {
  const own = routes.filter((route) => route.path === path);
  return Object.fromEntries(own.map((route) => [route.method.toLowerCase(), describeRoute(route)]));
}

function describeRoute(route: DescribedRoute): JsonObject {
  const { method, path, summary, query = {}, body, answer, status = 200 } = route;
  const words = path
    .replace(/[{}]/g, "")
    .split(/[/.-]/)
    .filter((word) => word !== "" && word !== "api");
  const parameters: Json[] = [
    ...pathParametersOf(route).map((name) => ({ name, in: "path", required: true, schema: text })),
    ...Object.entries(query).map(([name, schema]) => ({ name, in: "query", schema })),
  ];
  return {
    operationId: [method.toLowerCase(), ...words].join("_"),
    summary,
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: { required: true, content: { "application/json": { schema: body } } },
    }),
    responses: {
      [status]: { description: "Done.", ...(answer !== null && { content: contentOf(answer) }) },
      default: { description: "Refused or failed.", content: { "application/json": { schema: problem } } },
    },
  };
}

function contentOf(answer: JsonObject | string): JsonObject {
  return typeof answer === "string"
    ? { [answer]: { schema: text } }
    : { "application/json": { schema: answer } };
}
