// A route of the API as data: the same table checks requests, runs them, and is the OpenAPI document.
import type { JsonObject } from "../../core/json.ts";

export interface Route {
  readonly method: "GET" | "POST" | "DELETE";
  /** With parameters in braces, as OpenAPI writes them: `/api/sessions/{session}`. */
  readonly path: string;
  readonly summary: string;
  /** The schema of each query parameter. None of them is required. */
  readonly query?: Readonly<Record<string, JsonObject>>;
  /** The schema of the body of a POST. */
  readonly body?: JsonObject;
  /** The schema of the answer, or the media type of an answer that is no JSON. */
  readonly answer: JsonObject | string;
  /** Also answered when there is too much work, or the server stops. */
  readonly always?: true;
  readonly handle: (request: ApiRequest) => Promise<unknown>;
}

/** A request that its route's schemas allow. */
export interface ApiRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** The number in the header `Last-Event-ID`, which a browser sends when it connects to an event stream again; 0 without it. */
  readonly lastEventId: number;
  /** On which the server listens. */
  readonly port: number;
  /** Aborts when the client has left. */
  readonly signal: AbortSignal;
}

/** The parameters in a route's path. */
export function pathParametersOf({ path }: Pick<Route, "path">): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
}
