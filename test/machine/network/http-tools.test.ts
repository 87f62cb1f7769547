// Tools of type http in a cell: each request is sent once, waits for no other call, and no secret is left anywhere.
import fs from "node:fs";
import type { Socket } from "node:net";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { CellOptions } from "../../../src/cell.ts";
import { type HttpToolOptions, httpTool } from "../../../src/tools/configured/http-tool.ts";
import { defineTool } from "../../../src/tools/define-tool.ts";
import { openWorkDirectories } from "../../kit/open-work-directories.ts";
import { httpAnswer, startRawServer } from "../../kit/raw-server.ts";
import { openTempCell } from "../../kit/worlds/temp-cell.ts";

async function openApi(
  answer: (socket: Socket, request: string) => void,
  tool: Partial<HttpToolOptions> = {},
  options: Partial<CellOptions> = {},
) {
  const server = await startRawServer(answer);
  onTestFinished(() => server.close());
  const api = httpTool({
    name: "api",
    description: "Asks.",
    url: `http://127.0.0.1:${server.port}/x`,
    ...tool,
  });
  const world = await openTempCell(
    {
      fs: "overlay",
      rules: ["allow api"],
      allowedPrivateHosts: [`127.0.0.1:${server.port}`],
      ...options,
      tools: [api, ...(options.tools ?? [])],
    },
    { "d/a": "1" },
  );
  return { ...world, server };
}

describe("a request", () => {
  test("is sent once, though the project changes meanwhile; a call that reads files is repeated", async () => {
    const { cell, root, server } = await openApi(
      (socket) => {
        fs.writeFileSync(path.join(root, "d", `new-${server.requests.length}`), "");
        socket.write(httpAnswer("ok"));
      },
      {},
      { tools: [readsTwice(() => fs.writeFileSync(path.join(root, "d", "b"), ""))] },
    );
    const repeated = await cell.call({ name: "reads", arguments: {} });
    expect(repeated.output).toEqual({ runs: 2 });
    expect((await cell.call({ name: "api" })).success).toBe(true);
    expect(server.requests.length).toBe(1);
  });

  test.each(["GET", "POST"] as const)(
    "%s waits for no other call, and no other call waits for it",
    async (method) => {
      const waiting: Socket[] = [];
      const { cell, server } = await openApi((socket) => waiting.push(socket), { method });
      const requested = cell.call({ name: "api" });
      await expect.poll(() => waiting.length).toBe(1);
      expect(await cell.call({ name: "write_file", arguments: { path: "b", content: "" } })).toMatchObject({
        success: true,
        meta: { changes: { count: 1 } },
      });
      waiting[0]!.write(httpAnswer("ok"));
      expect(await requested).toMatchObject({
        success: true,
        output: { body: "ok" },
        meta: { changes: null },
      });
      expect(server.requests.length).toBe(1);
    },
  );

  test("is asked about unless a rule allows it, and has a record", async () => {
    const { cell, server, records } = await openApi(
      (socket) => socket.write(httpAnswer("ok")),
      {},
      { rules: [] },
    );
    expect(await cell.call({ name: "api" })).toMatchObject({ success: false, error: { code: "DENIED" } });
    expect(server.requests).toEqual([]);
    expect(records().at(-1)).toMatchObject({ kind: "tool.exec", toolName: "api" });
  });

  test("ends with its call's time", async () => {
    const { cell } = await openApi(() => {}, { timeoutMs: 100 });
    expect(await cell.call({ name: "api" })).toMatchObject({ success: false, error: { code: "TIMEOUT" } });
  });

  test("to an address that the operator has not listed is refused", async () => {
    const { cell, server } = await openApi(
      (socket) => socket.write(httpAnswer("ok")),
      {},
      { allowedPrivateHosts: [] },
    );
    expect((await cell.call({ name: "api" })).error).toEqual({
      code: "NETWORK_DENIED",
      message: "SSRF: private network access denied for 127.0.0.1 (127.0.0.1)",
    });
    expect(server.open.size).toBe(0);
  });
});

test("a secret is sent, and is in no observation and on no disk", async () => {
  const secret = "s3cret-of-the-api";
  const { cell, server, stateDir } = await openApi(
    (socket, request) => socket.write(httpAnswer(request, `x-echo: ${secret}\r\n`)),
    { headers: { "x-key": "{{KEY}}" }, secrets: { KEY: secret } },
  );
  const observation = await cell.call({ name: "api" });
  expect(server.requests[0]).toContain(secret);
  expect(observation).toMatchObject({ success: true, output: { headers: { "x-echo": "[redacted]" } } });
  expect(JSON.stringify(observation)).not.toContain(secret);
  openWorkDirectories(stateDir);
  const files = fs
    .readdirSync(stateDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile());
  expect(files.length).toBeGreaterThan(1);
  expect(
    files.filter((file) => fs.readFileSync(path.join(file.parentPath, file.name)).includes(secret)),
  ).toEqual([]);
});

/** Reads in a directory that has changed since the call began, the first time. */
function readsTwice(change: () => void) {
  let runs = 0;
  return defineTool({
    name: "reads",
    toolset: "own",
    description: "Reads.",
    input: { type: "object", properties: {}, additionalProperties: false },
    category: "file",
    danger: "safe",
    effect: "read",
    needs: ["workspace"],
    subject: "none",
    run(_args, { workspace }) {
      if (++runs === 1) change();
      workspace.read("d/a");
      return { runs };
    },
  });
}

describe("a secret that a server sends back in a header which an error quotes", () => {
  const secret = "s3cret-of-the-api";
  const redirect = (location: string) => `HTTP/1.1 302 Found\r\nlocation: ${location}\r\n\r\n`;

  test.each([
    ["a redirect to another scheme", (value: string) => redirect(`myapp://cb?v=${value}`), "NETWORK_DENIED"],
    ["a redirect to no URL", (value: string) => redirect(`http://${value}:x/`), "NETWORK_DENIED"],
    [
      "an encoding that there is not",
      (value: string) => httpAnswer("ok", `content-encoding: ${value}\r\n`),
      "NETWORK_ERROR",
    ],
    [
      "an error that cuts it",
      (value: string) => redirect(`myapp://${"x".repeat(40)}${value}`),
      "NETWORK_DENIED",
    ],
  ])("is in no observation and no log: %s", async (_, answer, code) => {
    const fail = async (value: string) => {
      const { cell } = await openApi((socket) => socket.write(answer(value)), {
        headers: { "x-key": "{{KEY}}" },
        secrets: { KEY: secret },
      });
      const { error } = await cell.call({ name: "api" });
      const log = fs.readFileSync(cell.logFile, "utf8");
      await cell.close();
      return { error, log };
    };
    const { error, log } = await fail(secret);
    expect(error).toMatchObject({ code, message: expect.stringContaining("[redacted]") });
    expect(JSON.stringify(error) + log).not.toContain(secret.slice(0, 8));
    // Another text is quoted as it is.
    const other = await fail("0ther-value-of-it");
    expect(JSON.stringify(other.error)).toContain("0ther-va");
    expect(other.log).toContain("0ther-va");
  });
});
