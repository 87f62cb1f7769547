import fs from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { tempDir } from "../../test/kit/worlds/temp-cell.ts";
import { openCell } from "../cell.ts";
import { LIMITS } from "../core/limits.ts";
import { defineTool } from "../tools/define-tool.ts";
import { createToolHost, type ToolHost, type ToolHostOptions } from "./tool-host.ts";

const waiting = (begins: () => void, goOn: Promise<void>) =>
  defineTool({
    name: "own.wait",
    toolset: "mounts",
    description: "Waits.",
    input: { type: "object", properties: {}, additionalProperties: false },
    category: "info",
    danger: "safe",
    effect: "read",
    needs: [],
    subject: "none",
    async run() {
      begins();
      await goOn;
      return { done: true };
    },
  });

function openHost(options: Partial<ToolHostOptions> = {}) {
  const projectRoot = tempDir();
  const pkg = tempDir();
  const stateDir = tempDir();
  fs.writeFileSync(path.join(projectRoot, "a.txt"), "0123456789");
  fs.writeFileSync(path.join(pkg, "p.txt"), "package");
  const host = createToolHost({
    stateDir,
    fs: "host",
    trust: "autonomous",
    packageDir: (id) => (id === "pack-1" ? pkg : null),
    agents: { reader: { maxReadBytes: 4 } },
    ...options,
  });
  onTestFinished(() => host.close());
  const context = { projectRoot, packageId: "pack-1", runId: "run-1", agentId: "sm" };
  let calls = 0;
  const call = (name: string, args: object, more: Partial<typeof context> = {}, signal?: AbortSignal) =>
    host.executeToolCall({
      toolCallId: `call-${++calls}`,
      name,
      argumentsJson: JSON.stringify(args),
      context: { ...context, ...more },
      ...(signal && { signal }),
    });
  return { host, call, context, projectRoot, stateDir };
}

test("an engine written to 002 sees five tools, and calls them by either form of their names", async () => {
  const { host, call } = openHost();
  const names = host
    .getVisibleTools({ packageId: "pack-1", agentId: "sm" })
    .map((tool) => tool.function.name);
  expect(names).toEqual(["fs_list", "fs_read", "fs_search", "fs_write", "fs_apply_patch"]);
  for (const name of ["fs.read", "fs_read"])
    expect(await call(name, { path: "@project/a.txt" })).toMatchObject({ ok: true, content: "0123456789" });
});

test.each([
  [{ packgeDir: () => null }, 'packgeDir is no setting; perhaps "packageDir"'],
  [{ trsut: "guided" }, 'trsut is no setting; perhaps "trust"'],
  [
    { workspace: "/tmp" },
    expect.stringMatching(/: workspace is no setting; the settings are "packageDir", /),
  ],
])("with %j, which it does not have, no tool host is created", (options, problem) => {
  const message = typeof problem === "string" ? `Could not create the tool host: ${problem}.` : problem;
  expect(() => createToolHost(options as ToolHostOptions)).toThrow(
    expect.objectContaining({ code: "CONFIG_INVALID", message }),
  );
});

test.each([
  [{ tools: 5 }, "tools is 5; allowed is a list"],
  [{ tools: [{}] }, "tools[0] is no tool; make it with defineTool"],
  [{ scope: {} }, 'scope has no "permissions"; give it one'],
  [{ packageDir: "packages" }, 'packageDir is "packages"; allowed is a function'],
  [{ commands: "yes" }, 'commands is "yes"; allowed are true, false'],
  [{ mounts: 5 }, "mounts is 5; allowed is an object"],
  [{ trust: "all" }, 'trust is "all"; allowed are "supervised", "guided", "autonomous"'],
])("with %j no tool host is created, and the error names the option", (options, problem) => {
  const refusal = { code: "CONFIG_INVALID", message: `Could not create the tool host: ${problem}.` };
  expect(() => createToolHost(options as never)).toThrow(expect.objectContaining(refusal));
});

test.each<[string, (host: ToolHost, context: object) => Promise<unknown>, string]>([
  [
    "executeToolCall",
    (host) => host.executeToolCall(undefined as never),
    "run the call: params is undefined; allowed is an object",
  ],
  [
    "executeToolCall",
    (host) => host.executeToolCall({ toolCallId: "c", name: "fs.list", argumentsJson: "{}" } as never),
    'run the call: params has no "context"; give it one',
  ],
  [
    "executeToolCalls",
    (host, context) => host.executeToolCalls({ calls: [null], context } as never),
    "run the calls: params.calls[0] is null; allowed is an object",
  ],
  [
    "cellOf",
    (host, context) => host.cellOf({ ...context, projectRoot: 5 } as never),
    "open the cell of the run: context.projectRoot is 5; allowed is text that is not empty",
  ],
  [
    "endRun",
    (host) => host.endRun(undefined as never),
    "end the run: context is undefined; allowed is an object",
  ],
])("an argument of %s that has another type is refused by its name", async (_, attempt, problem) => {
  const { host, context } = openHost();
  const refusal = { code: "INVALID_ARGUMENTS", message: `Could not ${problem}.` };
  await expect(attempt(host, context)).rejects.toMatchObject(refusal);
});

test("limits follow the agent that calls, and the log names it", async () => {
  const { host, call, context } = openHost();
  const read = { path: "@project/a.txt" };
  expect(await call("fs.read", read, { agentId: "reader" })).toMatchObject({
    contentPreview: "0123",
    truncated: true,
  });
  expect(await call("fs.read", read)).toMatchObject({ content: "0123456789", truncated: false });
  const { logFile } = await host.cellOf(context);
  const records = fs
    .readFileSync(logFile, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(records.filter(({ kind }) => kind === "tool.exec").map(({ agentId }) => agentId)).toEqual([
    "reader",
    "sm",
  ]);
});

test("each package is @pkg of its runs, and a package that is not there is no mount", async () => {
  const { call } = openHost();
  expect(await call("fs.read", { path: "@pkg/p.txt" })).toMatchObject({ content: "package" });
  expect(await call("fs.read", { path: "@pkg/p.txt" }, { packageId: "none", runId: "run-2" })).toMatchObject({
    ok: false,
    error: { code: "E_SANDBOX_VIOLATION" },
  });
});

test("runs have a state of their own", async () => {
  const { call } = openHost();
  await call("fs.write", { path: "@state/n", content: "1" });
  expect(await call("fs.read", { path: "@state/n" })).toMatchObject({ content: "1" });
  expect(await call("fs.read", { path: "@state/n" }, { runId: "run-2" })).toMatchObject({
    error: { code: "ENOENT" },
  });
});

test.each([
  ["{", "E_INVALID_ARGUMENTS"],
  ['{"path": 1}', "E_INVALID_ARGUMENTS"],
  ['{"path": "@nope/x"}', "E_SANDBOX_VIOLATION"],
])("arguments %s are an answer, not an exception", async (argumentsJson, code) => {
  const { host, context } = openHost();
  const result = await host.executeToolCall({ toolCallId: "c", name: "fs.read", argumentsJson, context });
  expect(result).toMatchObject({ ok: false, error: { code } });
  expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  expect(result).not.toHaveProperty("meta");
});

test("a signal ends a call", async () => {
  const { call } = openHost();
  const gone = AbortSignal.abort();
  expect(await call("fs.read", { path: "@project/a.txt" }, {}, gone)).toMatchObject({ ok: false });
});

test("a project that can't be opened is an error result, leaves nothing open, and is tried again by the next call", async () => {
  const { call, projectRoot } = openHost();
  const missing = path.join(projectRoot, "later");
  const read = () => call("fs.read", { path: "@project/x" }, { projectRoot: missing });
  expect(await read()).toMatchObject({ ok: false, error: { message: expect.stringContaining("later") } });
  const before = fs.readdirSync("/proc/self/fd").length;
  await read();
  expect(fs.readdirSync("/proc/self/fd").length).toBe(before);
  fs.mkdirSync(missing);
  expect(await read()).toMatchObject({ error: { code: "ENOENT" } });
});

test("a run is one, however its project is spelled, and of one package", async () => {
  const { call, host, context, projectRoot } = openHost();
  const cell = await host.cellOf(context);
  expect(await host.cellOf({ ...context, projectRoot: `${projectRoot}/.` })).toBe(cell);
  expect(await call("fs.list", { path: "@project" }, { packageId: "other" })).toMatchObject({
    ok: false,
    error: { code: "E_INVALID_ARGUMENTS", message: expect.stringContaining('"pack-1"') },
  });
});

test("the error for an unknown tool lists the known tools, in the spelling of the call", async () => {
  const { call } = openHost();
  expect(await call("fs_delete", {})).toMatchObject({
    error: {
      message:
        'There is no tool "fs_delete". There are "fs_list", "fs_read", "fs_search", "fs_write", "fs_apply_patch".',
    },
  });
  expect(await call("fs.delete", {})).toMatchObject({
    ok: false,
    error: {
      code: "E_UNKNOWN_TOOL",
      message:
        'There is no tool "fs.delete". There are "fs.list", "fs.read", "fs.search", "fs.write", "fs.apply_patch".',
    },
  });
});

test("a run that is ended holds nothing, and a later call of it opens it again", async () => {
  const { host, call, context } = openHost();
  const descriptors = () => fs.readdirSync("/proc/self/fd").length;
  const before = descriptors();
  await call("fs.write", { path: "@state/n", content: "1" });
  expect(descriptors()).toBeGreaterThan(before);
  await host.endRun(context);
  expect(descriptors()).toBe(before);
  expect(await call("fs.read", { path: "@state/n" })).toMatchObject({ content: "1" });
});

test("a run without a call for a minute leaves its session to others, and its next call opens it again", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { host, call, context, stateDir } = openHost({ fs: "overlay", strategy: "clone" });
  const read = () => call("fs.read", { path: "@project/a.txt" });
  const cell = await host.cellOf(context);
  const session = cell.session!;
  const canOpen = () =>
    openCell({ stateDir, session, waitMs: 0 }).then(
      (opened) => opened.close().then(() => true),
      () => false,
    );
  await call("fs.write", { path: "@project/a.txt", content: "new" });
  vi.advanceTimersByTime(LIMITS.keptCellIdleMs);
  expect(await canOpen(), "cellOf has lent the cell").toBe(false);
  await host.endRun(context);
  expect(await read()).toMatchObject({ content: "new" });
  expect(await canOpen()).toBe(false);
  vi.advanceTimersByTime(LIMITS.keptCellIdleMs);
  await expect.poll(canOpen).toBe(true);
  expect(await read()).toMatchObject({ content: "new" });
  expect((await host.cellOf(context)).session).toBe(session);
});

test("to end a run that there is not is nothing", async () => {
  const { host, context } = openHost();
  await host.endRun({ ...context, runId: "never" });
});

test("a run ends after the calls that it has, and other runs go on", async () => {
  let goOn = () => {};
  const told = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let begins = () => {};
  const began = new Promise<void>((resolve) => {
    begins = resolve;
  });
  const { host, call, context } = openHost({ tools: [waiting(() => begins(), told)] });
  const slow = call("own.wait", {});
  await began;
  const other = await host.cellOf({ ...context, runId: "run-2" });
  let ended = false;
  const ending = host.endRun(context).then(() => {
    ended = true;
  });
  const later = call("fs.read", { path: "@project/a.txt" });
  await call("fs.list", { path: "@project" }, { runId: "run-2" });
  expect(ended).toBe(false);
  goOn();
  expect(await slow).toMatchObject({ ok: true, done: true });
  await ending;
  expect(await later).toMatchObject({ ok: true });
  expect(await host.cellOf({ ...context, runId: "run-2" })).toBe(other);
});

test("closing the host does not wait for the calls of a run that is about to end", async () => {
  let begins = () => {};
  const began = new Promise<void>((resolve) => {
    begins = resolve;
  });
  const { host, call, context } = openHost({ tools: [waiting(() => begins(), new Promise(() => {}))] });
  const endless = call("own.wait", {});
  await began;
  const ending = host.endRun(context);
  await host.close();
  await ending;
  expect(await endless).toMatchObject({ ok: false });
});

test("a cell that its owner closes by hand is opened again by the next call", async () => {
  const { host, call, context } = openHost();
  const cell = await host.cellOf(context);
  await cell.close();
  expect(await call("fs.read", { path: "@project/a.txt" })).toMatchObject({ ok: true });
  const again = await host.cellOf(context);
  expect(again).not.toBe(cell);
  await cell.close();
  expect(await host.cellOf(context)).toBe(again);
});

test("a host that is closed says so, and opens nothing", async () => {
  const { call, host } = openHost();
  await host.close();
  expect(await call("fs.list", { path: "@project" })).toMatchObject({
    ok: false,
    error: { message: expect.stringContaining("closed") },
  });
});
