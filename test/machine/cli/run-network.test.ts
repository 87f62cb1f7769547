// What a program of `hotcell run` reaches: hosts by name, its own sockets and files, and nothing of the machine.
import { execFile } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import net, { type AddressInfo } from "node:net";
import path from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { tempDir } from "../../kit/worlds/temp-cell.ts";

const CLI = path.join(import.meta.dirname, "../../../bin/hotcell.js");

function openWorld(profiles: object = {}) {
  const top = tempDir();
  const cwd = path.join(top, "project");
  fs.mkdirSync(cwd);
  fs.writeFileSync(path.join(top, "config.json"), JSON.stringify({ profiles }));
  const env = {
    ...process.env,
    HOME: top,
    HOTCELL_STATE_DIR: path.join(top, "state"),
    HOTCELL_CONFIG: path.join(top, "config.json"),
  };
  const hotcell = async (...args: string[]) =>
    promisify(execFile)(process.execPath, [CLI, ...args], { cwd, env });
  return { cwd, hotcell };
}

async function serve(): Promise<string> {
  const server = http.createServer((_, response) => response.end("answered\n")).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `host.hotcell.internal:${(server.address() as AddressInfo).port}`;
}

test("a profile's hosts are reached; any other is refused, and the summary names the rule that would allow it", async () => {
  const host = await serve();
  const { hotcell } = openWorld({ agent: { program: "curl", hosts: [host] } });
  const get = (at: string) => ["--", "sh", "-c", `curl -s http://${at}/ || true`];
  const reached = await hotcell("run", "agent", "--json", ...get(host));
  expect(JSON.parse(reached.stdout)).toMatchObject({ reached: [{ host, connections: 1 }], refused: [] });
  expect(reached.stderr).toContain("answered\n");
  const refused = await hotcell("run", "agent", "--json", ...get("other.example:80"));
  expect(JSON.parse(refused.stdout)).toMatchObject({
    reached: [],
    refused: [{ host: "other.example:80", rule: "allow network(other.example:80)" }],
  });
});

test("an allowed host that nobody serves is neither reached nor refused, and the summary says why", async () => {
  const { hotcell } = openWorld();
  const host = "host.hotcell.internal:1";
  const args = ["--rule", `allow network(${host})`, "--", "sh", "-c", `curl -s http://${host}/`];
  const { stdout } = await hotcell("run", "--json", ...args);
  const reason = `Could not connect to ${host}: the connection was refused.`;
  expect(JSON.parse(stdout)).toMatchObject({ reached: [], unreached: [{ host, reason }], refused: [] });
});

test("a host under an ask rule waits, and is answered from another terminal", async () => {
  const host = await serve();
  const { hotcell } = openWorld();
  const running = hotcell(
    "run",
    "--json",
    "--rule",
    `ask network(${host})`,
    "--",
    "curl",
    "-s",
    `http://${host}/`,
  );
  const findQuestion = async (): Promise<{ id: string; arguments: object }> => {
    const [question] = JSON.parse((await hotcell("approvals", "--json")).stdout);
    return question ?? findQuestion();
  };
  const { id, arguments: asked } = await findQuestion();
  expect(asked).toEqual({ host: "host.hotcell.internal", port: Number(host.split(":")[1]) });
  await hotcell("approvals", "allow", id);
  const { stdout, stderr } = await running;
  expect(JSON.parse(stdout)).toMatchObject({ exitCode: 0, reached: [{ host, connections: 1 }], refused: [] });
  expect(stderr).toContain("answered\n");
});

/** The name of a socket, a port and a directory are its arguments. */
const INSIDE = `
const fs = require("node:fs"), net = require("node:net");
const own = net.createServer((socket) => socket.end("own socket")).listen("/tmp/own.sock", () => {
  net.connect("/tmp/own.sock").on("data", (text) => {
    console.log(String(text));
    own.close();
    const watcher = fs.watch(".", (_, name) => {
      console.log("watched", name);
      watcher.close();
      console.log("memory", new WebAssembly.Memory({ initial: 1, maximum: 65536 }).buffer.byteLength);
      net.connect(process.argv[2]).on("error", ({ code }) => console.log("socket of the host", code));
    });
    fs.writeFileSync("new-file", "");
  });
});`;

test("unix sockets of its own, file watching and large memory maps work; no socket of the host is there", async () => {
  const { cwd, hotcell } = openWorld();
  const socket = path.join(cwd, "host.sock");
  const server = net.createServer((one) => one.end("host")).listen(socket);
  onTestFinished(() => void server.close());
  fs.writeFileSync(path.join(cwd, "inside.cjs"), INSIDE);
  // The control: without a sandbox the socket answers.
  const probe = `require("node:net").connect(${JSON.stringify(socket)}).on("data", (text) => console.log(String(text)))`;
  const control = await promisify(execFile)(process.execPath, ["-e", probe]);
  expect(control.stdout).toBe("host\n");
  const { stdout } = await hotcell("run", "--keep", "--", "node", "inside.cjs", socket);
  expect(stdout).toBe("own socket\nwatched new-file\nmemory 65536\nsocket of the host ECONNREFUSED\n");
});
