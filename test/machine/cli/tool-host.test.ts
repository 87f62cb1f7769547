// An engine's runs are sessions: they go on after a restart, and what they did waits for a commit.
import fs from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createToolHost } from "../../../src/doors/tool-host.ts";
import { removeSession } from "../../../src/workspace/layers/session-dirs.ts";
import { collectGarbage } from "../../../src/workspace/session/registry/gc.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";

function openWorld() {
  const top = tempDir();
  const projectRoot = path.join(top, "project");
  fs.mkdirSync(projectRoot);
  fs.writeFileSync(path.join(projectRoot, "a.txt"), "old\n");
  const stateDir = path.join(top, "state");
  const context = { projectRoot, packageId: "none", runId: "run/1 (a)", agentId: "sm" };
  const start = () => {
    const host = createToolHost({ stateDir });
    onTestFinished(() => host.close());
    const call = (name: string, args: object, runId = context.runId) =>
      host.executeToolCall({
        toolCallId: "c",
        name,
        argumentsJson: JSON.stringify(args),
        context: { ...context, runId },
      });
    return { host, call };
  };
  return { projectRoot, stateDir, context, start };
}

test("a run goes on with its session, its state and its log after a restart", async () => {
  const { start, projectRoot, context } = openWorld();
  const first = start();
  expect(await first.call("fs.write", { path: "@project/a.txt", content: "new\n" })).toMatchObject({
    ok: true,
  });
  await first.call("fs.write", { path: "@state/n.md", content: "noted" });
  const { logFile } = await first.host.cellOf(context);
  await first.host.close();

  const again = start();
  expect(await again.call("fs.read", { path: "@project/a.txt" })).toMatchObject({ content: "new\n" });
  expect(await again.call("fs.search", { path: "@project", pattern: "new" })).toMatchObject({
    matches: [{ path: "@project/a.txt", line: 1 }],
  });
  expect(await again.call("fs.read", { path: "@state/n.md" })).toMatchObject({ content: "noted" });
  const cell = await again.host.cellOf(context);
  expect(cell.logFile).toBe(logFile);
  expect(fs.readFileSync(path.join(projectRoot, "a.txt"), "utf8")).toBe("old\n");

  expect((await cell.diff()).changes.map(({ path: at }) => at)).toEqual(["a.txt"]);
  await cell.commit();
  expect(fs.readFileSync(path.join(projectRoot, "a.txt"), "utf8")).toBe("new\n");
});

test("a run that was ended, or whose cell was closed, goes on with its session at the next call", async () => {
  const { start, context } = openWorld();
  const { host, call } = start();
  await call("fs.write", { path: "@project/a.txt", content: "new\n" });
  const { session } = await host.cellOf(context);
  const ending = host.endRun(context);
  expect(await call("fs.read", { path: "@project/a.txt" })).toMatchObject({ content: "new\n" });
  await ending;
  const cell = await host.cellOf(context);
  const closing = [cell.close(), cell.close()];
  expect(await call("fs.read", { path: "@project/a.txt" })).toMatchObject({ content: "new\n" });
  await Promise.all(closing);
  expect((await host.cellOf(context)).session).toBe(session);
});

test("runs of one project do not see each other's changes", async () => {
  const { start } = openWorld();
  const { call } = start();
  await call("fs.write", { path: "@project/a.txt", content: "mine\n" });
  expect(await call("fs.read", { path: "@project/a.txt" }, "run/2")).toMatchObject({ content: "old\n" });
});

test("a run whose session is gone begins with a new session", async () => {
  const { start, context, stateDir } = openWorld();
  const first = start();
  await first.call("fs.write", { path: "@project/a.txt", content: "mine\n" });
  const { session } = await first.host.cellOf(context);
  await first.host.close();
  removeSession(session!, stateDir);
  expect(await start().call("fs.read", { path: "@project/a.txt" })).toMatchObject({ content: "old\n" });
});

test("what a run keeps in @state keeps its session from being collected", async () => {
  const { start, stateDir } = openWorld();
  const first = start();
  await first.call("fs.write", { path: "@state/n.md", content: "noted" });
  await first.call("fs.list", { path: "@project" }, "empty");
  await first.host.close();
  const { removed } = await collectGarbage({ stateDir, protectionOf: () => null });
  expect(removed.length).toBe(1);
  expect(await start().call("fs.read", { path: "@state/n.md" })).toMatchObject({ content: "noted" });
});

test("two processes that begin a run at once get one session of that name", async () => {
  const { start, stateDir } = openWorld();
  const hosts = [start(), start()];
  const results = await Promise.all(hosts.map(({ call }) => call("fs.list", { path: "@project" })));
  expect(results.map(({ ok }) => ok).sort()).toEqual([false, true]);
  expect(results.find(({ ok }) => !ok)).toMatchObject({
    error: { message: expect.stringContaining("lock") },
  });
  expect(fs.readdirSync(path.join(stateDir, "sessions")).length).toBe(1);
});

test("with commands, an engine runs the calls of a turn as a batch, and hears a command's output as it comes", async () => {
  const { stateDir, context } = openWorld();
  const host = createToolHost({ stateDir, commands: true });
  onTestFinished(() => host.close());
  expect(host.getVisibleTools(context).map((tool) => tool.function.name)).toContain("run_command");
  const call = (toolCallId: string, name: string, args: object) => ({
    toolCallId,
    name,
    argumentsJson: JSON.stringify(args),
  });
  const heard: string[] = [];
  const results = await host.executeToolCalls({
    calls: [
      call("c1", "fs.write", { path: "@project/b.txt", content: "b\n" }),
      call("c2", "run_command", { command: "cat a.txt b.txt; exit 3" }),
      call("c3", "fs_read", { path: "@project/none" }),
    ],
    context,
    onEvent: (event) => {
      if (event.kind === "output") heard.push(Buffer.from(event.bytes).toString());
    },
  });
  expect(results).toMatchObject([
    { ok: true },
    { ok: true, exit_code: 3, stdout: "old\nb\n" },
    { ok: false, error: { code: "ENOENT" } },
  ]);
  expect(heard.join("")).toBe("old\nb\n");
});
