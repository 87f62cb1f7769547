// What a wasm tool asks hotcell for: `hotcell.call(method, request)`, JSON both ways. A reply is `{ result }` or
// `{ error: { code, message } }`.

import { formatKey } from "../../config/check-json-text.ts";
import { findFault } from "../../config/find-fault.ts";
import type { Schema } from "../../config/schema.ts";
import { HotcellError } from "../../core/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import { LIMITS } from "../../core/limits.ts";
import { parseJson } from "../../core/parse-json.ts";
import { quote } from "../../core/quote.ts";
import type { GatewayRequest, ModelGateway } from "../../models/gateway.ts";
import type { HttpClient } from "../../net/http-client.ts";
import { targetOf } from "../../net/request-target.ts";
import { decodeBody } from "../../net/safe-body-string.ts";
import type { WorkspaceFS } from "../../workspace/files/workspace-fs.ts";
import { type Granted, isGrantedHost } from "./grant.ts";
import type { Guests, HostCallNotes } from "./guests.ts";

/** What the tool has; undefined where it is not granted. */
export interface HostParts {
  readonly granted: Granted;
  readonly workspace: WorkspaceFS | undefined;
  readonly model: ModelGateway | undefined;
  readonly http: HttpClient | undefined;
  readonly refusalOf: Guests["refusalOf"];
  /** Aborts when the guest has ended. */
  readonly signal: AbortSignal;
}

interface Method {
  readonly request: Schema;
  run(request: never, parts: HostParts, notes: HostCallNotes): Promise<Json> | Json;
}

const TEXT: Schema = { type: "string" };
const PATH: Schema = { type: "string", minLength: 1 };
const ENCODING: Schema = { type: "string", enum: ["utf8", "base64"] };

const object = (required: readonly string[], properties: Readonly<Record<string, Schema>>): Schema => ({
  type: "object",
  additionalProperties: false,
  required,
  properties,
});

type Encoded = { readonly path: string; readonly encoding?: "utf8" | "base64" };

const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  [
    "workspace.read",
    {
      request: object(["path"], { path: PATH, encoding: ENCODING }),
      run({ path, encoding = "utf8" }: Encoded, parts, notes) {
        const bytes = filesOf(parts, "read", notes).read(path);
        return { content: bytes.toString(encoding), bytes: bytes.length };
      },
    },
  ],
  [
    "workspace.write",
    {
      request: object(["path", "content"], { path: PATH, content: TEXT, encoding: ENCODING }),
      run({ path, content, encoding = "utf8" }: Encoded & { readonly content: string }, parts, notes) {
        return { ...filesOf(parts, "write", notes).write(path, Buffer.from(content, encoding)) };
      },
    },
  ],
  [
    "workspace.list",
    {
      request: object([], { path: PATH }),
      run({ path = "." }: { readonly path?: string }, parts, notes) {
        const { entries, total } = filesOf(parts, "read", notes).list(path, { limit: LIMITS.maxListEntries });
        return { entries: entries.map(({ name, kind, size }) => ({ name, kind, size })), total };
      },
    },
  ],
  [
    "model.chat",
    {
      request: object(["messages"], {
        system: TEXT,
        maxTokens: { type: "integer", minimum: 1, maximum: LIMITS.modelAnswerTokens },
        messages: {
          type: "array",
          minItems: 1,
          maxItems: 1000,
          items: object(["role", "content"], {
            role: { type: "string", enum: ["user", "assistant"] },
            content: TEXT,
          }),
        },
      }),
      async run(request: GatewayRequest, { model, signal }, notes) {
        if (model === undefined) throw notGranted("model_access", notes);
        return { ...(await model.chat(request, signal)) } as unknown as JsonObject;
      },
    },
  ],
  [
    "http.fetch",
    {
      request: object(["url"], {
        url: PATH,
        method: { type: "string", enum: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] },
        headers: { type: "object", additionalProperties: TEXT },
        body: TEXT,
      }),
      run: fetchUrl,
    },
  ],
  [
    "log",
    {
      request: object(["message"], { message: TEXT }),
      run({ message }: { readonly message: string }, _parts, notes) {
        notes.log(`${message}\n`);
        return {};
      },
    },
  ],
]);

/** Never rejects: what fails is the reply. */
export async function answerHostCall(
  name: string,
  body: Uint8Array,
  parts: HostParts,
  notes: HostCallNotes,
): Promise<string> {
  try {
    const method = METHODS.get(name);
    if (method === undefined) throw unknownMethod(name);
    const request = readRequest(name, body, method.request);
    return limited(JSON.stringify({ result: await method.run(request as never, parts, notes) }));
  } catch (error) {
    const isKnown = error instanceof HotcellError;
    const code = isKnown ? error.code : "INTERNAL_ERROR";
    const message = isKnown ? error.message : `Could not answer ${name}: hotcell has a bug.`;
    return JSON.stringify({ error: { code, message } });
  }
}

function limited(reply: string): string {
  if (Buffer.byteLength(reply) <= LIMITS.maxHostCallBytes) return reply;
  throw new HotcellError(
    "OUTPUT_LIMIT",
    `The reply has more than ${LIMITS.maxHostCallBytes} bytes. Ask for less.`,
  );
}

function unknownMethod(name: string): HotcellError {
  const known = [...METHODS.keys()].map(quote).join(", ");
  return new HotcellError("INVALID_ARGUMENTS", `There is no host call ${quote(name)}; there are ${known}.`);
}

function readRequest(name: string, body: Uint8Array, schema: Schema): JsonObject {
  const request = parseJson(body.length === 0 ? "{}" : Buffer.from(body).toString());
  const fault = findFault(request, schema);
  if (fault === null && isJsonObject(request)) return request;
  const key = formatKey(fault?.path ?? []);
  throw new HotcellError(
    "INVALID_ARGUMENTS",
    `Could not call ${name}: ${key === "" ? "the request" : quote(key)} ${fault?.problem}.`,
  );
}

function filesOf(
  { workspace, granted }: HostParts,
  access: "read" | "write",
  notes: HostCallNotes,
): WorkspaceFS {
  if (workspace === undefined || granted.filesystem === "none") throw notGranted("filesystem", notes);
  if (access === "write" && granted.filesystem === "read") throw notGranted("filesystem=write", notes);
  return workspace;
}

interface FetchRequest {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

async function fetchUrl(
  request: FetchRequest,
  { http, granted, refusalOf, signal }: HostParts,
  notes: HostCallNotes,
): Promise<Json> {
  const permit = (url: URL) => {
    if (!isGrantedHost(url, granted.network)) throw notGranted(`network=${url.host}`, notes);
    const refusal = refusalOf(targetOf(url));
    if (refusal !== null)
      throw new HotcellError("NETWORK_DENIED", `Could not request ${url.host}. The rule ${refusal}.`);
  };
  if (http === undefined) throw notGranted("network", notes);
  const { status, headers, body, truncated } = await http.request({ ...request, permit }, signal);
  const { text } = decodeBody(body, headers["content-type"] ?? "");
  return { status, headers: { ...headers }, body: text, truncated };
}

function notGranted(capability: string, notes: HostCallNotes): HotcellError {
  notes.denied(capability);
  return new HotcellError(
    "CAPABILITY_DENIED",
    `The tool does not have the capability ${capability}: the manifest must ask for it, and the operator must grant it.`,
  );
}
