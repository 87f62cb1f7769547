import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { PassThrough } from "node:stream";
import type { Client } from "@modelcontextprotocol/client";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { ERAS, openMcpWorld, openStdioWorld, WAYS } from "../../../test/kit/worlds/mcp-world.ts";
import { tempDir } from "../../../test/kit/worlds/temp-cell.ts";
import { answerQuestion, listQuestions } from "../../approval/desk.ts";
import { LIMITS } from "../../core/limits.ts";
import { readLog } from "../../log/read.ts";
import { listRuns, runPaths } from "../../log/runs.ts";
import { defineTool } from "../../tools/define-tool.ts";
import { sessions } from "../sessions.ts";
import { serveMcpStdio } from "./serve-stdio.ts";

const waits = defineTool({
  name: "waits",
  description: "Waits until it is cancelled.",
  input: { type: "object", properties: {}, additionalProperties: false },
  danger: "safe",
  effect: "read",
  run: (_args, _kit, signal) =>
    new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
});

const ASKS = { elicitation: {} };

function answering(content: Record<string, string> | null, seen: string[] = []) {
  return (client: Client) =>
    client.setRequestHandler("elicitation/create", ({ params }) => {
      seen.push(params.message);
      return content === null ? { action: "decline" } : { action: "accept", content };
    });
}

const WRITE = { name: "write_file", arguments: { path: "a.txt", content: "new\n" } };

describe.each(WAYS)("MCP %s", (way) => {
  test("lists the tools in a fixed order, each with a title and all four annotations", async () => {
    const { client } = await openMcpWorld(way);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "read_file",
      "edit_file",
      "write_file",
      "list_directory",
      "find_files",
      "search_files",
      "run_command",
    ]);
    const hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
    expect(tools.map(({ annotations }) => Object.keys(annotations ?? {}))).toEqual(tools.map(() => hints));
    expect(tools[0]?.title).toBe("Read file");
  });

  test("the text and the structured content of a result both have all that the call gave", async () => {
    const { client, root } = await openMcpWorld(way);
    fs.writeFileSync(path.join(root, "a.txt"), 'one "quoted"\ntwo\n');
    const result = await client.callTool({ name: "read_file", arguments: { path: "a.txt" } });
    expect(result.content).toEqual([{ type: "text", text: '1\tone "quoted"\n2\ttwo' }]);
    expect(result.structuredContent).toMatchObject({
      success: true,
      tool: "read_file",
      output: { content: '1\tone "quoted"\n2\ttwo' },
      error: null,
      meta: { outcome: "executed_ok" },
    });
    expect(result.isError).toBeUndefined();
  });

  test("a call runs with the arguments that a user sees, not with others that its _meta has", async () => {
    const { client, root } = await openMcpWorld(way);
    for (const name of ["a.txt", "b.txt"]) fs.writeFileSync(path.join(root, name), name);
    const _meta = { "hotcell/arguments": { path: "b.txt" } };
    const call = { name: "read_file", _meta };
    const shown = await client.callTool({ ...call, arguments: { path: "a.txt" } });
    expect(shown.content).toEqual([{ type: "text", text: "1\ta.txt" }]);
    expect(await client.callTool(call)).toMatchObject({
      isError: true,
      structuredContent: { error: { code: "INVALID_ARGUMENTS" } },
    });
  });

  test.each([
    ["a failure", { name: "read_file", arguments: { path: "gone" } }, "NOT_FOUND"],
    ["an unknown tool", { name: "constructor", arguments: {} }, "UNKNOWN_TOOL"],
    ["wrong arguments", { name: "read_file", arguments: { path: 7, odd: true } }, "INVALID_ARGUMENTS"],
    ["missing arguments", { name: "read_file" }, "INVALID_ARGUMENTS"],
    ["a path outside", { name: "read_file", arguments: { path: "../x" } }, "PATH_OUTSIDE_WORKSPACE"],
  ])("%s is a result with isError, in text and structured content", async (_what, call, code) => {
    const { client } = await openMcpWorld(way);
    const result = await client.callTool(call);
    expect(result.isError).toBe(true);
    expect(result.structuredContent).toMatchObject({ success: false, error: { code } });
    expect(result.content).toMatchObject([
      { type: "text", text: expect.stringContaining(`Error ${code}: `) },
    ]);
  });

  test.each([
    ["an array", [1], "INVALID_ARGUMENTS", "expected an object, got an array of 1"],
    ["a number", 5, "INVALID_ARGUMENTS", "expected an object, got 5"],
    ["text that is no object", "a.txt", "INVALID_ARGUMENTS", "Could not read the JSON"],
  ])(
    "arguments that are %s: the client reads why the call failed, and the log has it",
    async (_what, given, code, message) => {
      const { client, stateDir } = await openMcpWorld(way);
      const result = await callWith(client, given);
      expect(result).toMatchObject({
        isError: true,
        structuredContent: { error: { code, message: expect.stringContaining(message) } },
      });
      expect(loggedCallsIn(stateDir)).toMatchObject([{ toolName: "read_file", input: given }]);
    },
  );

  test("arguments as JSON text are read, and null is none", async () => {
    const { client, root } = await openMcpWorld(way);
    fs.writeFileSync(path.join(root, "a.txt"), "one\n");
    const text = await callWith(client, '{"path":"a.txt"}');
    expect(text.structuredContent).toMatchObject({ output: { content: "1\tone" } });
    const none = await callWith(client, null);
    expect(none.structuredContent).toMatchObject({ error: { code: "INVALID_ARGUMENTS" } });
  });

  test("a cancelled request cancels the call", async () => {
    let hasEnded = () => {};
    const isOver = new Promise<void>((resolve) => {
      hasEnded = resolve;
    });
    let begins = () => {};
    const hasBegun = new Promise<void>((resolve) => {
      begins = resolve;
    });
    const tool = defineTool({
      ...{ name: "waits", description: waits.description, input: waits.inputSchema },
      danger: "safe",
      effect: "read",
      run: (args, _kit, signal) => {
        begins();
        signal.addEventListener("abort", hasEnded);
        return waits.run(args, {} as never, signal);
      },
    });
    const { client } = await openMcpWorld(way, { tools: [tool] });
    const cancel = new AbortController();
    const call = client.callTool({ name: "waits" }, { signal: cancel.signal });
    const refused = expect(call).rejects.toThrow();
    await hasBegun;
    cancel.abort();
    await refused;
    await isOver;
  });

  test("a client with a user is asked, and its yes runs the call once", async () => {
    const seen: string[] = [];
    const world = await openMcpWorld(way, { approve: "calls" }, ASKS, answering({ answer: "once" }, seen));
    const result = await world.client.callTool(WRITE);
    expect(result.isError).toBeUndefined();
    expect(fs.readFileSync(path.join(world.root, "a.txt"), "utf8")).toBe("new\n");
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatch(/^write_file asks for approval[\s\S]*\+new[\s\S]*>>> write_file a\.txt$/);
    await world.client.callTool(WRITE);
    expect(seen).toHaveLength(2);
  });

  test("a yes for the session is not asked for again", async () => {
    const seen: string[] = [];
    const options = { approve: "calls", fs: "overlay", strategy: "clone" } as const;
    const world = await openMcpWorld(way, options, ASKS, answering({ answer: "session" }, seen));
    await world.client.callTool(WRITE);
    const again = await world.client.callTool(WRITE);
    expect(again.isError).toBeUndefined();
    expect(seen).toHaveLength(1);
  });

  test.each([
    ["declines", null],
    ["says no", { answer: "no" }],
    ["gives an answer of another form", { answered: "once" }],
  ])("a client that %s denies the call", async (_what, content) => {
    const world = await openMcpWorld(way, { approve: "calls" }, ASKS, answering(content));
    const result = await world.client.callTool(WRITE);
    expect(result.structuredContent).toMatchObject({ success: false, error: { code: "DENIED" } });
    expect(fs.existsSync(path.join(world.root, "a.txt"))).toBe(false);
  });

  test("a client that cannot ask its user is told the rule that would allow the call", async () => {
    const { client, root } = await openMcpWorld(way, { approve: "calls" });
    const { structuredContent } = await client.callTool(WRITE);
    expect(structuredContent).toMatchObject({
      error: { code: "DENIED", message: expect.stringContaining("--rule 'allow write_file(a.txt)'") },
    });
    expect(fs.existsSync(path.join(root, "a.txt"))).toBe(false);
  });

  test("the first call creates the session, and all calls work in it", async () => {
    const { client, stateDir } = await openMcpWorld(way, { fs: "overlay", strategy: "clone" });
    await client.listTools();
    const sessions = path.join(stateDir, "sessions");
    expect(fs.existsSync(sessions) ? fs.readdirSync(sessions) : []).toEqual([]);
    const first = await client.callTool(WRITE);
    const second = await client.callTool({ name: "read_file", arguments: { path: "a.txt" } });
    expect(second.structuredContent).toMatchObject({ output: { content: "1\tnew" } });
    expect(sessionOf(second)).toBe(sessionOf(first));
  });
});

function callWith(client: Client, given: unknown) {
  const params = { name: "read_file", arguments: given };
  return client.request({ method: "tools/call", params } as never) as ReturnType<Client["callTool"]>;
}

function loggedCallsIn(stateDir: string) {
  const [run = ""] = listRuns(stateDir);
  return [...readLog(runPaths(stateDir, run).logFile)]
    .map(({ record }) => record)
    .filter((record) => record?.kind === "tool.exec");
}

function sessionOf({ structuredContent }: { structuredContent?: unknown }): unknown {
  return (structuredContent as { meta: { session: string } }).meta.session;
}

/** Ends the waits for an answer that begin after this call, as their time limit would. */
function spyOnAnswerLimit(): () => void {
  type Wait = (...args: unknown[]) => void;
  const waits: Wait[] = [];
  const begin = globalThis.setTimeout;
  const spy = vi.spyOn(globalThis, "setTimeout").mockImplementation(((
    done: Wait,
    ms?: number,
    ...args: unknown[]
  ) => {
    if (ms === LIMITS.mcpAnswerMs) waits.push(done);
    return begin(done, ms, ...args);
  }) as typeof setTimeout);
  onTestFinished(() => spy.mockRestore());
  return () => {
    expect(waits).toHaveLength(1);
    waits[0]!();
  };
}

describe.each(["2026-07-28 on stdio", "2026-07-28 on http"] as const)("requestState, %s", (way) => {
  const ask = async () => {
    const { client, root, stateDir } = await openMcpWorld(way, { approve: "calls" }, ASKS);
    const call = (extra: object) =>
      client.request(
        { method: "tools/call", params: { ...WRITE, ...extra } } as never,
        {
          allowInputRequired: true,
        } as never,
      ) as Promise<{ requestState?: string; structuredContent?: unknown }>;
    const { requestState = "" } = await call({});
    const written = () => fs.existsSync(path.join(root, "a.txt"));
    const inputResponses = { approval: { action: "accept", content: { answer: "once" } } };
    return { call, requestState, inputResponses, written, stateDir };
  };

  test("names the call that waits", async () => {
    const { call, requestState, inputResponses, written } = await ask();
    expect(written()).toBe(false);
    const { structuredContent } = await call({ requestState, inputResponses });
    expect(structuredContent).toMatchObject({ success: true });
    expect(written()).toBe(true);
  });

  test("is refused when it is forged", async () => {
    const { call, requestState, inputResponses, written } = await ask();
    const middle = requestState.length >> 1;
    const other = requestState[middle] === "A" ? "B" : "A";
    const forged = requestState.slice(0, middle) + other + requestState.slice(middle + 1);
    await expect(call({ requestState: forged, inputResponses })).rejects.toThrow("requestState");
    expect(written()).toBe(false);
  });

  test("is refused when its time is over", async () => {
    const { call, requestState, inputResponses, written } = await ask();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + LIMITS.mcpAnswerMs + 1000 });
    onTestFinished(() => void vi.useRealTimers());
    await expect(call({ requestState, inputResponses })).rejects.toThrow("requestState");
    expect(written()).toBe(false);
  });

  test("is refused when its call has waited for the whole time: the call is refused, logged, and waits no longer", async () => {
    const endWait = spyOnAnswerLimit();
    const { call, requestState, inputResponses, written, stateDir } = await ask();
    expect(listQuestions(stateDir)).toHaveLength(1);
    expect(loggedCallsIn(stateDir)).toEqual([]);
    endWait();
    await expect.poll(() => loggedCallsIn(stateDir)).toHaveLength(1);
    expect(loggedCallsIn(stateDir)).toMatchObject([{ toolName: WRITE.name, outcome: "not_executed" }]);
    expect(JSON.stringify(loggedCallsIn(stateDir))).toContain("did not answer within 600 seconds");
    expect(listQuestions(stateDir)).toEqual([]);
    await expect(call({ requestState, inputResponses })).rejects.toThrow("requestState");
    expect(written()).toBe(false);
  });

  test("is refused from another server", async () => {
    const { requestState, inputResponses } = await ask();
    const { call, written } = await ask();
    await expect(call({ requestState, inputResponses })).rejects.toThrow("requestState");
    expect(written()).toBe(false);
  });

  test("is refused when it is used a second time", async () => {
    const { call, requestState, inputResponses } = await ask();
    await call({ requestState, inputResponses });
    await expect(call({ requestState, inputResponses })).rejects.toThrow("requestState");
  });
});

test("a question that is answered in another terminal: the client's request still gets the result", async () => {
  let stateDir = "";
  const answerElsewhere = (client: Client) =>
    client.setRequestHandler("elicitation/create", async () => {
      const [question] = listQuestions(stateDir);
      answerQuestion(stateDir, question!.id, { approved: true, digest: question!.digest });
      await expect.poll(() => listQuestions(stateDir)).toEqual([]);
      return { action: "accept", content: { answer: "no" } };
    });
  const world = await openMcpWorld("2026-07-28 on stdio", { approve: "calls" }, ASKS, answerElsewhere);
  stateDir = world.stateDir;
  const { structuredContent } = await world.client.callTool(WRITE);
  expect(structuredContent).toMatchObject({ success: true });
});

test.each(WAYS)("progress is notified to a request with a progress token, %s", async (way) => {
  const tool = defineTool({
    name: "counts",
    description: "Counts.",
    input: { type: "object", properties: {}, additionalProperties: false },
    danger: "safe",
    effect: "read",
    needs: ["progress"],
    run: (_args, { progress }) => {
      progress({ files: 3, matches: 1 });
      return {};
    },
  });
  const { client } = await openMcpWorld(way, { tools: [tool] });
  const seen: unknown[] = [];
  await client.callTool({ name: "counts" }, { onprogress: (step) => seen.push(step) });
  expect(seen).toEqual([{ progress: 3, message: "3 files, 1 matches" }]);
});

test.each(ERAS)("%s on stdio: session_create is neither listed nor run", async (era) => {
  const options = { toolsets: ["session"], fs: "overlay" } as const;
  const { client, stateDir } = await openMcpWorld(`${era} on stdio`, options);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).not.toContain("session_create");
  const { isError, structuredContent } = await client.callTool({ name: "session_create" });
  expect({ isError, structuredContent }).toEqual({
    isError: true,
    structuredContent: {
      error: { code: "DENIED", message: expect.stringContaining("on stdio a client has one session") },
    },
  });
  expect(await sessions.list({ stateDir })).toEqual([]);
});

test.each(ERAS)("%s on stdio: a client that leaves ends its calls and the server", async (era) => {
  const { client, ended } = await openStdioWorld(era, { tools: [waits] });
  const call = client.callTool({ name: "waits" }).catch(() => "ended");
  await client.listTools();
  await client.close();
  await ended;
  expect(await call).toBe("ended");
});

test("on stdio, what is no message is answered and reported, and the service goes on until the client leaves", async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const reports: string[] = [];
  const onError = ({ message }: Error) => void reports.push(message);
  const ended = serveMcpStdio({ workspace: tempDir(), stateDir: tempDir(), input, output, onError });
  const ask = async (line: string) => {
    input.write(`${line}\n`);
    return JSON.parse(String((await once(output, "data"))[0]));
  };
  const request = (id: number, more: object) =>
    JSON.stringify({ jsonrpc: "2.0", id, method: "ping", ...more });
  expect(await ask("garbage")).toMatchObject({ id: null, error: { code: -32700 } });
  expect(await ask(request(1, { params: null }))).toMatchObject({ id: 1, error: { code: -32602 } });
  expect(await ask(request(2, {}))).toMatchObject({ id: 2, result: {} });
  expect(reports).toHaveLength(2);
  input.destroy();
  await ended;
});
