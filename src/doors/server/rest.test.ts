import fs from "node:fs";
import path from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { headersIn, readRaw } from "../../../test/kit/send-corpus-request.ts";
import { connectClient, ERAS } from "../../../test/kit/worlds/mcp-world.ts";
import { serveModel, type WireAnswer } from "../../../test/kit/worlds/model-server.ts";
import { openServerWorld, type ServerWorld } from "../../../test/kit/worlds/server-world.ts";
import { tempDir } from "../../../test/kit/worlds/temp-cell.ts";
import { openModel } from "../../models/open-model.ts";
import { defineTool } from "../../tools/define-tool.ts";
import type { ServerOptions } from "./open-server.ts";

const write = (at: string, content: string) => ({ name: "write_file", arguments: { path: at, content } });

/** A session in which a call has written b.txt. */
async function withChange(options = {}, files?: Record<string, string>) {
  const world = await openServerWorld(options, files);
  const { body } = await world.post("/api/tools/call", write("b.txt", "new\n"));
  return { ...world, session: body.meta.session as string, callId: body.meta.callId as string };
}

describe("tools", () => {
  test("AC-33: a server on a project has the four tools of studio, and works in that project", async () => {
    const world = await openServerWorld({ toolsets: ["studio"] });
    const { body } = await world.get("/api/tools");
    expect(body.tools.map(({ name }: { name: string }) => name)).toEqual([
      "file_read",
      "file_write",
      "bash",
      "web_search",
    ]);
    const read = await world.post("/api/tools/call", { name: "file_read", arguments: { path: "a.txt" } });
    expect(read.body).toMatchObject({ output: "hello\n", isError: false });
    const outside = await world.post("/api/tools/call", {
      name: "file_read",
      arguments: { path: "../../etc/passwd" },
    });
    expect(outside.body.isError).toBe(true);
    expect((await world.get("/api/status")).body.project).toBe(fs.realpathSync(world.root));
  });

  test("calls without a session share one, and the project does not change", async () => {
    const { post, session, root } = await withChange();
    const { body } = await post("/api/tools/call", { name: "read_file", arguments: { path: "b.txt" } });
    expect(body.meta.session).toBe(session);
    expect(fs.readdirSync(root)).toEqual(["a.txt"]);
  });

  test("a call names its session and its id", async () => {
    const { post } = await openServerWorld();
    const { body: made } = await post("/api/sessions");
    const { body } = await post("/api/tools/call", { ...write("c", "x"), session: made.id, id: "mine" });
    expect(body.meta).toMatchObject({ session: made.id, callId: "mine" });
  });

  test("a body that the schema does not allow is refused, and says where", async () => {
    const { post } = await openServerWorld();
    expect(await post("/api/tools/call", { nam: "x" })).toMatchObject({
      status: 400,
      body: {
        error: { code: "INVALID_ARGUMENTS", message: expect.stringContaining("body.name is missing") },
      },
    });
    expect((await post("/api/tools/call", ["x"])).status).toBe(400);
    expect((await post("/api/tools/call", { name: "x", trust: "autonomous" })).status).toBe(400);
  });
});

describe("sessions", () => {
  test("list, show, diff, plan and commit have the shapes of the command line", async () => {
    const { get, post, session, root } = await withChange();
    expect((await get("/api/sessions")).body.sessions).toMatchObject([{ id: session, changes: 1 }]);
    expect((await get(`/api/sessions/${session}`)).body.calls).toHaveLength(1);
    const { body: diff } = await get(`/api/sessions/${session}/diff`);
    expect(diff).toMatchObject({ session, changes: [{ path: "b.txt", kind: "added", added: 1 }] });
    const { body: plan } = await post(`/api/sessions/${session}/plan`);
    const { body: result } = await post(`/api/sessions/${session}/commit`, { plan: plan.hash });
    expect(result).toMatchObject({ session, committed: ["b.txt"], conflicts: [] });
    expect(fs.readFileSync(path.join(root, "b.txt"), "utf8")).toBe("new\n");
  });

  test("a commit needs the hash of a plan, and only that plan is committed", async () => {
    const { post, session, root } = await withChange();
    const commit = `/api/sessions/${session}/commit`;
    expect((await post(commit)).status).toBe(400);
    const { body: plan } = await post(`/api/sessions/${session}/plan`);
    await post("/api/tools/call", write("c.txt", "later\n"));
    expect(await post(commit, { plan: plan.hash })).toMatchObject({
      status: 409,
      body: { error: { code: "PRECONDITION_FAILED" } },
    });
    expect(fs.readdirSync(root)).toEqual(["a.txt"]);
  });

  test("rewind, undo-rewind, discard, fork and revert", async () => {
    const { get, post, session, callId, root } = await withChange();
    const at = `/api/sessions/${session}`;
    expect((await post(`${at}/rewind`, { to: callId })).body).toEqual({ session, changes: 0, commits: [] });
    expect((await post(`${at}/undo-rewind`)).body).toEqual({ session, changes: 1 });
    const { body: fork } = await post(`${at}/fork`);
    expect((await get(`/api/sessions/${fork.id}/diff`)).body.changes).toHaveLength(1);
    expect((await post(`${at}/discard`, { paths: ["b.txt"] })).body).toEqual({ session, changes: 0 });
    const { body: plan } = await post(`/api/sessions/${fork.id}/plan`);
    await post(`/api/sessions/${fork.id}/commit`, { plan: plan.hash });
    expect((await post(`/api/sessions/${fork.id}/revert`)).body).toMatchObject({ reverted: ["b.txt"] });
    expect(fs.readdirSync(root)).toEqual(["a.txt"]);
  });

  test("an empty list of paths selects nothing: a plan has no step, and nothing is discarded or rewound", async () => {
    const { get, post, session, callId } = await withChange();
    const at = `/api/sessions/${session}`;
    expect((await post(`${at}/plan`, { paths: [] })).body.steps).toEqual([]);
    expect((await post(`${at}/discard`, { paths: [] })).body).toEqual({ session, changes: 1 });
    expect((await post(`${at}/rewind`, { to: callId, paths: [] })).body).toMatchObject({ changes: 1 });
    expect((await get(`${at}/diff`)).body.changes).toMatchObject([{ path: "b.txt" }]);
  });

  test.each(["", "a\0b"])("the path %j is refused, and changes nothing", async (wrong) => {
    const { get, post, session, callId } = await withChange();
    const at = `/api/sessions/${session}`;
    const refused = { status: 400, body: { error: { code: "USAGE" } } };
    for (const [command, body] of [
      ["plan", {}],
      ["discard", {}],
      ["rewind", { to: callId }],
    ] as const)
      expect(await post(`${at}/${command}`, { ...body, paths: [wrong] }), command).toMatchObject(refused);
    expect(await get(`${at}/file?path=${encodeURIComponent(wrong)}`)).toMatchObject(refused);
    expect((await get(`${at}/diff`)).body.changes).toHaveLength(1);
  });

  test("what a person does is in the session's log, is not asked, and the log verifies", async () => {
    const { get, post, session } = await withChange({ trust: "supervised", rules: ["allow write_file"] });
    const { body: plan } = await post(`/api/sessions/${session}/plan`);
    expect((await post(`/api/sessions/${session}/commit`, { plan: plan.hash })).status).toBe(200);
    const { body: log } = await get(`/api/sessions/${session}/log`);
    const kinds = log.records.map(({ kind }: { kind: string }) => kind);
    expect(kinds).toEqual(["tool.intent", "tool.exec", "session.commit"]);
    expect((await get(`/api/sessions/${session}/log?from=3`)).body).toMatchObject({
      records: [{ seq: 3 }],
      next: null,
    });
    expect((await get(`/api/sessions/${session}/verify`)).body).toMatchObject({ ok: true, records: 3 });
  });

  test("the diff of one call has only what that call changed", async () => {
    const { get, post, session, callId } = await withChange();
    const { body } = await post("/api/tools/call", write("c.txt", "later\n"));
    const paths = async (query: string) => {
      const { body: diff } = await get(`/api/sessions/${session}/diff${query}`);
      return diff.changes.map(({ path: at }: { path: string }) => at);
    };
    expect(await paths("")).toEqual(["b.txt", "c.txt"]);
    expect(await paths(`?call=${callId}`)).toEqual(["b.txt"]);
    expect(await paths(`?call=${body.meta.callId}`)).toEqual(["c.txt"]);
    expect(await paths("?call=2")).toEqual(["c.txt"]);
    expect((await get(`/api/sessions/${session}/diff?call=nothing`)).status).toBe(404);
  });

  test("the two versions of a conflict", async () => {
    const { get, post, session, root } = await withChange();
    await post("/api/tools/call", write("a.txt", "the session's\n"));
    fs.writeFileSync(path.join(root, "a.txt"), "the user's\n");
    const file = (of: string) => get(`/api/sessions/${session}/file?path=a.txt&of=${of}`);
    expect((await file("session")).body).toBe("the session's\n");
    expect((await file("project")).body).toBe("the user's\n");
    const { body: plan } = await post(`/api/sessions/${session}/plan`);
    expect(plan.conflicts).toMatchObject([{ path: "a.txt" }]);
    const { body } = await post(`/api/sessions/${session}/commit`, { plan: plan.hash });
    expect(body).toMatchObject({ committed: [], conflicts: [{ path: "a.txt" }] });
  });

  test("a file outside the project and a secret are not sent", async () => {
    const world = await withChange({}, { "a.txt": "x", ".env": "KEY=1" });
    const file = (at: string, of: string) =>
      world.get(`/api/sessions/${world.session}/file?path=${at}&of=${of}`);
    fs.symlinkSync("/etc/passwd", path.join(world.root, "link"));
    for (const of of ["session", "project"]) {
      expect((await file("a.txt", of)).status, "positive control").toBe(200);
      for (const at of [".env", "../state/http-token", "/etc/passwd", "link", "nothing", ""])
        expect((await file(at, of)).status, `${at} of ${of}`).toBeGreaterThanOrEqual(400);
    }
  });

  test("an artifact is sent whole", async () => {
    const text = "0123456789".repeat(400_000);
    const flood = defineTool({
      name: "own.flood",
      description: "Long.",
      input: { type: "object" },
      effect: "read",
      run: () => ({ text }),
    });
    const { get, post } = await openServerWorld({ tools: [flood], rules: ["allow own.flood"] });
    const { body } = await post("/api/tools/call", { name: "own.flood" });
    const { artifact, session } = body.meta;
    expect(artifact).toMatch(/^[0-9a-f]{64}$/);
    const answer = await get(`/api/sessions/${session}/artifacts/${artifact}`);
    expect(answer.headers.get("content-type")).toBe("application/octet-stream");
    expect(answer.body).toBe(text);
    for (const id of ["0".repeat(64), "unfinished", "..%2f..%2f..%2fhttp-token"])
      expect((await get(`/api/sessions/${session}/artifacts/${id}`)).status).toBe(404);
  });

  test("srv-100: no more sessions than the limit", async () => {
    const { post } = await openServerWorld({ maxSessions: 2 });
    const made = [await post("/api/sessions"), await post("/api/sessions"), await post("/api/sessions")];
    expect(made.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(Number(made[2]!.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(made[2]!.body.error.code).toBe("UNAVAILABLE");
  });

  test("srv-100: forks are sessions of the project too, and of two at once only one gets the last place", async () => {
    const { get, post, session } = await withChange({ maxSessions: 2 });
    const fork = () => post(`/api/sessions/${session}/fork`);
    const made = await Promise.all([fork(), fork()]);
    expect(made.map(({ status }) => status).sort()).toEqual([200, 429]);
    expect(await fork()).toMatchObject({ status: 429, body: { error: { code: "UNAVAILABLE" } } });
    expect((await get("/api/sessions")).body.sessions).toHaveLength(2);
  });

  test("srv-100: the tool session_create creates no more, also if two calls of it run at once", async () => {
    const { get, post, session } = await withChange({ maxSessions: 2, toolsets: ["coding", "session"] });
    const create = () => post("/api/tools/call", { name: "session_create", session });
    const made = await Promise.all([create(), create()]);
    expect(made.map(({ body }) => body.error?.code ?? "created").sort()).toEqual(["UNAVAILABLE", "created"]);
    expect((await get("/api/sessions")).body.sessions).toHaveLength(2);
  });

  test.each(ERAS)("srv-100: MCP clients of %s get no session beyond the limit", async (era) => {
    const { url, token, get, post } = await openServerWorld({
      maxSessions: 2,
      toolsets: ["coding", "session"],
    });
    const client = await connectClient(`${url}/mcp`, token, era);
    const { id } = (await post("/api/sessions")).body;
    const codes = [];
    for (const call of [write("c", "x"), { name: "session_create" }, { name: "session_create" }]) {
      const { structuredContent } = await client.callTool(call);
      codes.push((structuredContent as { error?: { code: string } }).error?.code ?? "done");
    }
    expect(codes).toEqual(["done", "UNAVAILABLE", "UNAVAILABLE"]);
    await post(`/api/sessions/${id}/fork`);
    expect((await get("/api/sessions")).body.sessions).toHaveLength(2);
  });

  test.each(ERAS)("MCP clients of %s work in sessions of the server's mode", async (era) => {
    const { url, token, get, stateDir } = await openServerWorld({
      fs: "agentfs",
      toolsets: ["coding", "session"],
    });
    const client = await connectClient(`${url}/mcp`, token, era);
    await client.callTool(write("c", "x"));
    await client.callTool({ name: "session_create" });
    const { sessions } = (await get("/api/sessions")).body;
    const hasDatabase = ({ id }: { id: string }) =>
      fs.existsSync(path.join(stateDir, "sessions", id, "agentfs.db"));
    expect(sessions.map(hasDatabase)).toEqual([true, true]);
  });

  test("a name that is taken or no name is refused, and leaves no session", async () => {
    const { get, post } = await openServerWorld();
    const create = (name: string) => post("/api/sessions", { name });
    const made = await Promise.all([create("x"), create("x")]);
    expect(made.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await create("x")).toMatchObject({ status: 409, body: { error: { code: "ALREADY_EXISTS" } } });
    expect((await create("last")).status).toBe(400);
    expect((await get("/api/sessions")).body.sessions).toMatchObject([{ name: "x" }]);
  });

  test("sessions of other projects are not there", async () => {
    const one = await withChange();
    const other = await openServerWorld({ stateDir: one.stateDir });
    expect((await other.get("/api/sessions")).body.sessions).toEqual([]);
    expect((await other.get(`/api/sessions/${one.session}`)).status).toBe(404);
    expect((await other.post("/api/tools/call", { ...write("x", ""), session: one.session })).status).toBe(
      404,
    );
  });
});

describe("policy", () => {
  test("the rules, a decision, and remembered answers that can be forgotten", async () => {
    const { get, post, send, session } = await withChange({
      rules: ["ask read_file(notes.txt)", "allow write_file"],
    });
    expect((await get("/api/policy")).body.rules).toHaveLength(2);
    const explained = await post("/api/policy/explain", {
      name: "read_file",
      arguments: { path: "notes.txt" },
    });
    expect(explained.body).toMatchObject({ decision: "ask", rule: { text: "ask read_file(notes.txt)" } });
    expect((await send("DELETE", "/api/policy/remembered/none")).status).toBe(404);
    expect(session).toBeTruthy();
  });

  test("an unknown tool is a 400 with its code", async () => {
    const { post } = await openServerWorld();
    expect(await post("/api/policy/explain", { name: "constructor" })).toMatchObject({
      status: 400,
      body: { error: { code: "UNKNOWN_TOOL" } },
    });
  });
});

test("/mcp serves MCP clients, and their sessions are there for everybody", async () => {
  const { url, token, get } = await openServerWorld();
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(transport);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain("write_file");
  await client.callTool({ name: "write_file", arguments: { path: "b.txt", content: "x" } });
  await client.close();
  expect((await get("/api/sessions")).body.sessions).toMatchObject([{ changes: 1 }]);
  expect((await fetch(`${url}/mcp`)).status).toBe(401);
});

test("what is no WebSocket handshake is refused with the headers and the error of other refusals", async () => {
  const { port, token } = await openServerWorld();
  const head = `GET /ws HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nconnection: upgrade\r\nupgrade: websocket\r\n`;
  const answer = await readRaw(port, `${head}authorization: Bearer ${token}\r\n\r\n`);
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(headersIn(answer)).toContain("content-security-policy");
  expect(JSON.parse(answer.split("\r\n\r\n")[1]!).error.code).toBe("REQUEST_REFUSED");
});

describe("login", () => {
  const login = ({ url }: ServerWorld, token: string) =>
    fetch(`${url}/api/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token }),
    });

  test("the token gives a cookie that no script reads and no other site sends, and the cookie counts", async () => {
    const world = await openServerWorld();
    const answer = await login(world, world.token);
    const cookie = answer.headers.get("set-cookie")!;
    expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(cookie).not.toContain(world.token);
    const [value = ""] = cookie.split(";");
    const status = (headers: Record<string, string>) =>
      fetch(`${world.url}/api/status`, { headers }).then((got) => got.status);
    expect(await status({ cookie: value })).toBe(200);
    expect(await status({ cookie: value, origin: "http://evil.example" })).toBe(403);
    expect(await status({ cookie: value, authorization: "Bearer wrong" })).toBe(401);
    expect(await status({ cookie: `${value.split("=")[0]}=${world.token}` })).toBe(401);
    expect(await status({ cookie: `${value}; ${value}` })).toBe(401);
    const other = await openServerWorld();
    expect((await fetch(`${other.url}/api/status`, { headers: { cookie: value } })).status).toBe(401);
  });

  test("a wrong token gives none", async () => {
    const answer = await login(await openServerWorld(), "x".repeat(43));
    expect(answer.status).toBe(401);
    expect(answer.headers.get("set-cookie")).toBeNull();
  });
});

test("the doctor says how this machine sandboxes commands, as the document describes it", async () => {
  const { get, root } = await openServerWorld();
  const { status, body } = await get("/api/doctor");
  expect(status).toBe(200);
  expect(body).toMatchObject({ project: fs.realpathSync(root), state: { sessions: expect.anything() } });
  expect(body.findings.length).toBeGreaterThan(0);
});

test.each<[string, (place: string) => Partial<ServerOptions>]>([
  ["the project", (place) => ({ workspace: place })],
  ["the storage", (place) => ({ storage: place })],
  ["a mount", (place) => ({ mounts: { more: { path: place } } })],
  ["a directory that commands read", (place) => ({ readable: [place] })],
  ["a toolchain", (place) => ({ toolchains: [place] })],
  ["the home of commands", (place) => ({ home: place })],
])(
  "a token file in %s is refused, also by another name: the agent could read it",
  async (_where, visible) => {
    const [place, links] = [tempDir(), tempDir()];
    fs.writeFileSync(path.join(place, "token"), "x".repeat(40), { mode: 0o600 });
    fs.symlinkSync(place, path.join(links, "link"));
    for (const dir of [place, path.join(links, "link")])
      await expect(
        openServerWorld({ tokenFile: path.join(dir, "token"), ...visible(place) }),
      ).rejects.toMatchObject({
        code: "CONFIG_INVALID",
        message: expect.stringContaining("where the agent can read it"),
      });
  },
);

describe("the address", () => {
  const open = (options: object) => openServerWorld({ host: "0.0.0.0", ...options });

  test("other machines can reach it only with a token file of the operator's own", async () => {
    await expect(open({})).rejects.toMatchObject({ code: "CONFIG_INVALID" });
    const tokenFile = path.join(tempDir(), "token");
    fs.writeFileSync(tokenFile, "short", { mode: 0o600 });
    await expect(open({ tokenFile })).rejects.toThrow("at least 32 characters");
    fs.writeFileSync(tokenFile, "operator's-own-token-of-40-characters-xx");
    fs.chmodSync(tokenFile, 0o644);
    await expect(open({ tokenFile })).rejects.toThrow("others may read");
    fs.chmodSync(tokenFile, 0o600);
    const { port, token } = await open({ tokenFile }).catch((error) => {
      throw error;
    });
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(`http://127.0.0.1:${port}/api/status`, { headers })).status).toBe(200);
    expect((await fetch(`http://127.0.0.1:${port}/api/status`)).status).toBe(401);
  });

  test.each(["0.0.0.0", "::"])("the address that %s gives is one that the server takes", async (host) => {
    const tokenFile = path.join(tempDir(), "token");
    fs.writeFileSync(tokenFile, "x".repeat(40), { mode: 0o600 });
    expect((await (await open({ host, tokenFile })).get("/api/status")).status).toBe(200);
  });

  test("an address that is not this machine's is said", async () => {
    const tokenFile = path.join(tempDir(), "token");
    fs.writeFileSync(tokenFile, "x".repeat(40), { mode: 0o600 });
    await expect(open({ host: "192.0.2.1", tokenFile })).rejects.toThrow("no address of this machine");
  });
});

test.each<[string, WireAnswer, boolean | null]>([
  ["that it supports tools", { body: ['{"capabilities":["completion","tools"]}'] }, true],
  ["that it does not", { body: ['{"capabilities":["completion"]}'] }, false],
  ["nothing about tools", { body: ["{}"] }, null],
  ["nothing, with an error", { status: 404, body: ["{}"] }, null],
])("the status has what the provider says of its model: %s", async (_what, answer, supportsTools) => {
  const provider = await serveModel(answer);
  onTestFinished(provider.close);
  const model = openModel({ model: "ollama/m", baseUrl: provider.url });
  const { get } = await openServerWorld({ agent: { model } });
  expect((await get("/api/status")).body.models).toEqual([
    { name: "m", provider: "ollama", toolMode: "auto", supportsTools },
  ]);
  expect(provider.requests.at(-1)).toMatchObject({ path: "/api/show", body: { model: "m" } });
});
