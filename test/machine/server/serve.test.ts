// The real `hotcell serve`, and another terminal beside it.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { processesNaming } from "../../kit/children/children.ts";
import { openChatSocket } from "../../kit/worlds/chat-socket.ts";
import { ROOT } from "../../kit/worlds/document.ts";
import { createServerPlace, startServer } from "../../kit/worlds/server-process.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";

const CLI = path.join(ROOT, "bin/hotcell.js");

async function serve(...flags: readonly string[]) {
  const { start, ...place } = createPlace(flags);
  return { ...place, start, ...(await start()) };
}

function createPlace(flags: readonly string[]) {
  const top = tempDir();
  const root = path.join(top, "project");
  fs.mkdirSync(root);
  fs.writeFileSync(path.join(root, "a.txt"), "hello\n");
  const env = { ...process.env, HOTCELL_STATE_DIR: path.join(top, "state"), HOME: top };
  const start = () => startServer([CLI, "serve", "--port", "0", "--json", ...flags], { cwd: root, env });
  const hotcell = (...args: readonly string[]) =>
    spawnSync(process.execPath, [CLI, ...args], { cwd: root, env, encoding: "utf8" });
  /** What `hotcell serve` prints until SIGTERM ends it, which is sent when `use` has used what it printed first. */
  const print = async (more: readonly string[], use: (first: string) => Promise<void>) => {
    const args = [CLI, "serve", "--port", "0", ...more];
    const child = spawn(process.execPath, args, { cwd: root, env, stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    let out = "";
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    const exited = once(child, "close");
    await vi.waitUntil(() => out.includes("\n"), { timeout: 60_000 });
    await use(out);
    child.kill("SIGTERM");
    expect(await exited).toEqual([0, null]);
    return out;
  };
  return { start, root, hotcell, print };
}

const write = { name: "write_file", arguments: { path: "b.txt", content: "new\n" } };

/** A call that takes long and has begun. */
async function startSlowCall(
  { api }: Awaited<ReturnType<typeof serve>>,
  command = "touch started; sleep 60",
) {
  const slow = api("POST", "/api/tools/call", { name: "run_command", arguments: { command } });
  for (;;) {
    const { sessions } = (await api("GET", "/api/sessions")).body;
    const { body } =
      sessions.length > 0 ? await api("GET", `/api/sessions/${sessions[0].id}/diff`) : { body: {} };
    if (body.changes?.some(({ path: at }: { path: string }) => at === "started")) return { slow };
  }
}

test("it prints an address whose fragment is the token, with which a browser logs in", async () => {
  const { print } = createPlace([]);
  const out = await print([], async (first) => {
    const printed = new URL(/http:\S+/.exec(first)![0]);
    const token = printed.hash.replace(/^#token=/, "");
    expect((await fetch(new URL("/", printed))).status, "the page that a click opens").toBe(200);
    const login = await fetch(new URL("/api/login", printed), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token }),
    });
    expect(login.status).toBe(200);
    const [cookie = ""] = login.headers.get("set-cookie")!.split(";");
    expect((await fetch(new URL("/api/status", printed), { headers: { cookie } })).status).toBe(200);
    expect((await fetch(new URL("/api/status", printed))).status, "without the cookie").toBe(401);
  });
  expect(out).toMatch(
    /^hotcell serves on http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}\nThe token is in .+\n$/,
  );
});

test("with --json it prints one line, which has no token", async () => {
  const { print } = createPlace([]);
  const out = await print(["--json"], async (first) => {
    const { url, tokenFile } = JSON.parse(first);
    const authorization = `Bearer ${fs.readFileSync(tokenFile, "utf8").trim()}`;
    expect((await fetch(`${url}/api/status`, { headers: { authorization } })).status).toBe(200);
    expect(first).not.toContain(authorization.slice("Bearer ".length));
  });
  expect(out.split("\n")).toEqual([expect.stringMatching(/^\{.*\}$/), ""]);
  expect(Object.keys(JSON.parse(out)).sort()).toEqual(["tokenFile", "url"]);
});

test("another terminal commits while the server is idle, and the server goes on with the session", async () => {
  const { api, hotcell, root, stop } = await serve();
  const { session } = (await api("POST", "/api/tools/call", write)).body.meta;
  const committed = hotcell("session", "commit", session, "--yes");
  expect(committed.stderr).toBe("");
  expect(committed.status).toBe(0);
  expect(fs.readFileSync(path.join(root, "b.txt"), "utf8")).toBe("new\n");
  expect((await api("POST", "/api/tools/call", { ...write, session })).body.success).toBe(true);
  expect(await stop()).toBe(0);
});

test("while a call runs, another terminal is told who holds the session", async () => {
  const server = await serve("--rule", "allow run_command");
  const { slow } = await startSlowCall(server);
  const refused = server.hotcell("session", "commit", "last", "--yes", "--wait", "0");
  expect(refused.status).toBe(1);
  expect(refused.stderr).toContain("another process uses it");
  expect(refused.stderr).toContain(`process ${server.child.pid} (hotcell serve) holds it`);
  await server.stop();
  await slow.catch(() => {});
});

test("SIGTERM lets nobody in, ends calls within seconds, and exits with 0", async () => {
  const server = await serve("--rule", "allow run_command");
  const { slow } = await startSlowCall(server);
  const ended = server.stop();
  const { body } = await slow;
  expect(body.error.code).toBe("CANCELLED");
  expect(await ended).toBe(0);
});

test("SIGTERM also ends a command that ignores it", async () => {
  const server = await serve("--rule", "allow run_command");
  const unique = `60.${server.child.pid}`;
  const { slow } = await startSlowCall(server, `trap '' TERM INT HUP; touch started; sleep ${unique}; true`);
  await vi.waitUntil(() => processesNaming(unique).length > 0, { timeout: 60_000 });
  expect(await server.stop()).toBe(0);
  await vi.waitUntil(() => processesNaming(unique).length === 0, { timeout: 10_000 });
  await slow.catch(() => {});
});

test("SIGTERM with a call that ignores cancellation exits with 0 before ten seconds are over", async () => {
  const place = createServerPlace();
  const server = await place.start();
  const call = server.api("POST", "/api/tools/call", { name: "stay" }).catch(() => null);
  await vi.waitUntil(() => place.marks().includes("stays"), { timeout: 60_000 });
  expect(await server.stop()).toBe(0);
  expect(place.marks(), "the server's own timer came later").toEqual(["stays"]);
  await call;
});

test("SIGTERM with a client that does not read its socket exits with 0 before ten seconds are over", async () => {
  const place = createServerPlace();
  const server = await place.start();
  const reading = await openChatSocket(server);
  const { socket } = await openChatSocket(server);
  socket.pause();
  expect(await server.stop()).toBe(0);
  expect(place.marks(), "the server's own timer came later").toEqual([]);
  expect(await reading.closed, "others are told").toBe(1001);
});

test("a question whose server was killed waits until somebody answers it; the answer runs nothing, unless the same call is sent again", async () => {
  const { start, root } = createPlace(["--rule", "ask run_command"]);
  const first = await start();
  const { id: session } = (await first.api("POST", "/api/sessions", {})).body;
  const touch = { name: "run_command", arguments: { command: "touch made" }, session, id: "c1" };
  const killed = first.api("POST", "/api/tools/call", touch).catch(() => null);
  const questions = async ({ api }: typeof first) => (await api("GET", "/api/approvals")).body.questions;
  await vi.waitUntil(async () => (await questions(first)).length === 1, { timeout: 60_000 });
  await first.kill();
  await killed;

  const second = await start();
  const [{ id, digest }] = await questions(second);
  expect((await second.api("POST", `/api/approvals/${id}`, { approved: true, digest })).status).toBe(200);
  expect(await questions(second)).toEqual([]);
  const changes = async () => (await second.api("GET", `/api/sessions/${session}/diff`)).body.changes;
  expect(await changes()).toEqual([]);
  expect((await second.api("POST", "/api/tools/call", touch)).body.success).toBe(true);
  expect(await changes()).toMatchObject([{ path: "made" }]);
  const asked = second.api("POST", "/api/tools/call", { ...touch, id: "c2" });
  await vi.waitUntil(async () => (await questions(second)).length === 1, { timeout: 60_000 });
  expect(await second.stop()).toBe(0);
  await asked.catch(() => null);
  expect(fs.existsSync(path.join(root, "made"))).toBe(false);
});
