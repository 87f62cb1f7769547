// A project and a server on it. Every answer is compared with the server's own OpenAPI document.
import fs from "node:fs";
import path from "node:path";
import { expect, onTestFinished } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { type HotcellServer, openServer, type ServerOptions } from "../../../src/server.ts";
import { compileSchema } from "../../../src/tools/compile-schemas.ts";
import { tempDir } from "./temp-cell.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests compare what they got.
  readonly body: any;
}

export interface ServerWorld {
  readonly server: HotcellServer;
  readonly url: string;
  readonly port: number;
  readonly token: string;
  readonly root: string;
  readonly stateDir: string;
  get(route: string): Promise<Answer>;
  post(route: string, body?: unknown): Promise<Answer>;
  send(method: string, route: string, body?: unknown): Promise<Answer>;
  /** Another server on the same project and state, after this one was closed. */
  restart(options?: Partial<ServerOptions>): Promise<ServerWorld>;
}

export async function openServerWorld(
  options: Partial<ServerOptions> = {},
  files: Readonly<Record<string, string>> = { "a.txt": "hello\n" },
): Promise<ServerWorld> {
  const top = tempDir();
  const root = path.join(top, "project");
  for (const [name, content] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    fs.writeFileSync(path.join(root, name), content);
  }
  return openOn({ workspace: root, stateDir: path.join(top, "state"), ...options });
}

async function openOn(options: ServerOptions & { readonly stateDir?: string }): Promise<ServerWorld> {
  const errors: unknown[] = [];
  const server = await openServer({ port: 0, onError: (error) => errors.push(error), ...options });
  onTestFinished(async () => {
    await server.close();
    expect(errors).toEqual([]);
  });
  const token = fs.readFileSync(server.tokenFile, "utf8").trim();
  const { url } = server;
  const fetchAnswer = async (method: string, route: string, body?: unknown): Promise<Answer> => {
    // On a busy machine, a connection that was kept may be closed by the server while it is used again.
    const answer = await fetch(`${url}${route}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        connection: "close",
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const isJson = answer.headers.get("content-type")?.startsWith("application/json");
    return {
      status: answer.status,
      headers: answer.headers,
      body: isJson ? await answer.json() : await answer.text(),
    };
  };
  const { body: document } = await fetchAnswer("GET", "/api/openapi.json");
  const send = async (method: string, route: string, body?: unknown): Promise<Answer> => {
    const answer = await fetchAnswer(method, route, body);
    checkAnswer(document, method, route, answer);
    return answer;
  };
  return {
    server,
    url,
    port: Number(new URL(url).port),
    token,
    root: options.workspace,
    stateDir: options.stateDir!,
    get: (route) => send("GET", route),
    post: (route, body = {}) => send("POST", route, body),
    send,
    async restart(more = {}) {
      await server.close();
      return openOn({ ...options, ...more });
    },
  };
}

function checkAnswer(document: JsonObject, method: string, route: string, { status, body }: Answer): void {
  const { pathname } = new URL(route, "http://localhost");
  const found = Object.entries(document.paths as Readonly<Record<string, JsonObject>>).find(([template]) =>
    new RegExp(`^${template.replace(/\{\w+\}/g, "[^/]+")}$`).test(pathname),
  );
  // biome-ignore lint/suspicious/noExplicitAny: the document is checked by a test of its own.
  const responses = (found?.[1][method.toLowerCase()] as any)?.responses;
  if (responses === undefined) {
    expect(status, `${method} ${route}`).toBe(404);
    return;
  }
  const schema = (responses[status] ?? responses.default).content["application/json"]?.schema;
  if (schema === undefined) return;
  const check = compileSchema(schema);
  check(body);
  expect(check.errors ?? [], `${method} ${route}: ${JSON.stringify(body)}`).toEqual([]);
}
