// Which hosts commands reach: none without a rule, and with a rule exactly that name and port.
import { execFile } from "node:child_process";
import dns from "node:dns";
import fs from "node:fs";
import net, { type AddressInfo, type Socket } from "node:net";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { answerQuestion, createDesk, listQuestions } from "../../../src/approval/desk.ts";
import { type Cell, type CellOptions, openCell } from "../../../src/cell.ts";
import { LIMITS } from "../../../src/core/limits.ts";
import type { RefusedHost } from "../../../src/core/types.ts";
import { httpAnswer, type RawServer, startRawServer } from "../../kit/raw-server.ts";
import { removeTree } from "../../kit/remove-tree.ts";

const runOutside = promisify(execFile);
/** The names of these tests are on loopback. */
const NAMES = /\.test$/;
let server: RawServer;
let other: RawServer;
let top: string;
let cell: Cell;

beforeAll(async () => {
  const lookup = dns.promises.lookup.bind(dns.promises) as (
    host: string,
    options: object,
  ) => Promise<unknown>;
  vi.spyOn(dns.promises, "lookup").mockImplementation((async (host: string, options: object) =>
    NAMES.test(host) ? [{ address: "127.0.0.1", family: 4 }] : lookup(host, options)) as never);
  const answer = (socket: Socket, request: string) =>
    socket.write(httpAnswer(`${request.split("\r\n")[0]}\n`));
  server = await startRawServer(answer);
  other = await startRawServer(answer);
  top = fs.mkdtempSync("/var/tmp/hotcell-egress-");
  fs.mkdirSync(`${top}/project`);
  cell = await openWorld({ rules: [`allow network(granted.test:${server.port})`] });
});
afterAll(async () => {
  await cell.close();
  await Promise.all([server.close(), other.close()]);
  vi.restoreAllMocks();
  removeTree(top);
});

function openWorld(options: Partial<CellOptions>): Promise<Cell> {
  const hosts = ["granted.test", "other.test"].flatMap((name) =>
    [server, other].map(({ port }) => `${name}:${port}`),
  );
  return openCell({
    workspace: `${top}/project`,
    stateDir: `${top}/state`,
    allowedPrivateHosts: hosts,
    trust: "autonomous",
    ...options,
    rules: ["allow run_command", ...(options.rules ?? [])],
  });
}

interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
  readonly refused: readonly RefusedHost[];
}

async function run(command: string, where: Cell = cell): Promise<Ran> {
  const { output, error } = await where.call({ name: "run_command", arguments: { command } });
  if (output === null) throw new Error(error?.message);
  const { stdout, stderr, exit_code: code, refused_hosts: refused = [] } = output as typeof output & object;
  return { stdout, stderr, code, refused } as Ran;
}

const readLog = ({ logFile }: Cell) =>
  fs
    .readFileSync(logFile, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

const node = (program: string) =>
  `node -e ${JSON.stringify(program.replaceAll("\n", " ")).replaceAll("$", "\\$")}`;
/** Prints what a TCP connection says, or its error. */
const dial = (host: string, port: number, first = "") =>
  node(`const s = require('net').connect(${port}, '${host}', () => s.write(${JSON.stringify(first).replaceAll('"', "'")}));
    s.on('data', (d) => { console.log(String(d)); s.destroy(); }); s.on('error', (e) => console.log(e.code));
    s.on('close', () => console.log('closed')); s.setTimeout(5000, () => s.destroy());`);
const PROXY = ["127.64.0.1", 3128] as const;
const throughProxy = (text: string) => dial(...PROXY, text);

describe("without a grant", () => {
  test("this machine's loopback is not reached; outside a sandbox the same program reaches it", async () => {
    const program = dial("127.0.0.1", server.port, "GET / HTTP/1.1\r\n\r\n");
    expect((await runOutside("bash", ["-c", program])).stdout).toContain("200 OK");
    expect((await run(program)).stdout).toBe("ECONNREFUSED\nclosed\n");
  });

  test("a host is refused at once, and named with the rule that would allow it", async () => {
    const { stdout, code, refused } = await run("curl -sS https://example.com/secret?x=1");
    expect([stdout, code]).toEqual(["", 56]);
    expect(refused).toEqual([
      {
        host: "example.com:443",
        reason: expect.stringContaining('No rule is about "example.com:443"'),
        rule: "allow network(example.com:443)",
      },
    ]);
    const record = readLog(cell).at(-2)!;
    expect(record).toMatchObject({
      kind: "network.connect",
      host: "example.com",
      port: 443,
      decision: "deny",
      rule: "no network",
      sentBytes: 0,
      calls: [expect.any(String)],
    });
    expect(JSON.stringify(record)).not.toContain("secret");
  });
});

describe("with a grant for one name and port", () => {
  test.each([
    ["curl", "curl -sS URL"],
    ["curl without its proxy", "curl -sS --noproxy '*' URL"],
    ["curl through a tunnel", "curl -sSp URL"],
    ["wget", "wget -qO- URL"],
    ["python3", `python3 -c "import urllib.request as u; print(u.urlopen('URL').read().decode())"`],
    [
      "python3 without its proxy",
      `python3 -c "import urllib.request as u; u.install_opener(u.build_opener(u.ProxyHandler({}))); print(u.urlopen('URL').read().decode())"`,
    ],
    ["node", node("fetch('URL').then((r) => r.text()).then(console.log)")],
  ])("%s reaches it", async (_client, command) => {
    const { stdout, stderr } = await run(command.replace("URL", `http://granted.test:${server.port}/x`));
    expect([stdout.trim(), stderr]).toEqual(["GET /x HTTP/1.1", ""]);
  });

  test("the log has host, port, rule, bytes and the call, and no URL", async () => {
    const logging = await openWorld({ rules: [`allow network(granted.test:${server.port})`] });
    onTestFinished(() => logging.close());
    const before = server.requests.length;
    const { stdout } = await run(`curl -sS http://granted.test:${server.port}/some/path`, logging);
    const connections = () => readLog(logging).filter(({ kind }) => kind === "network.connect");
    await expect.poll(connections, { timeout: 20_000 }).toEqual([
      {
        seq: expect.any(Number),
        ts: expect.any(String),
        prev: expect.any(String),
        hash: expect.any(String),
        kind: "network.connect",
        host: "granted.test",
        port: server.port,
        decision: "allow",
        rule: `allow network(granted.test:${server.port})`,
        sentBytes: `${server.requests[before]}\r\n\r\n`.length,
        receivedBytes: httpAnswer(stdout).length,
        durationMs: expect.any(Number),
        calls: [expect.any(String)],
      },
    ]);
    expect(JSON.stringify(connections())).not.toContain("some/path");
  });

  const refusals = (text: string) => async () => {
    const before = server.requests.length + other.requests.length;
    const { stdout, refused } = await run(throughProxy(text));
    expect(stdout).toMatch(/^(HTTP\/1\.1 (403|400)|ECONNRESET|closed)/);
    expect(server.requests.length + other.requests.length).toBe(before);
    return refused;
  };
  const LINE = "\r\n";
  const END = `${LINE}${LINE}`;

  test("the proxy gives a tunnel to it, and to it only: the requests below are refused for what they name", async () => {
    const { stdout, refused } = await run(throughProxy(`CONNECT granted.test:${server.port} HTTP/1.1${END}`));
    expect([stdout.split("\r\n")[0], refused]).toEqual(["HTTP/1.1 200 Connection established", []]);
  });
  test("another port of the name is refused", async () => {
    await refusals(`CONNECT granted.test:${other.port} HTTP/1.1${END}`)();
  });
  test.each(["other.test", "sub.granted.test", "granted.test.evil.example", "xgranted.test"])(
    "another name, %s, is refused",
    async (name) => void (await refusals(`CONNECT ${name}:${server.port} HTTP/1.1${END}`)()),
  );
  test.each([
    "127.0.0.1",
    "127.0.0.1.",
    "[::1]",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "127.1",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[fe80::1%lo]",
    "[fe80::1%25lo]",
  ])("the address %s is refused", async (address) => {
    await refusals(`CONNECT ${address}:${server.port} HTTP/1.1${END}`)();
    await refusals(
      `GET http://${address}:${server.port}/ HTTP/1.1${LINE}Host: ${address}:${server.port}${END}`,
    )();
  });
  test.each([
    "granted.test\u0000.example",
    "evil.example\u0000granted.test",
    "granted.test ",
    "granted.test%00",
    "user@granted.test",
  ])(
    "the name %j is refused",
    async (name) => void (await refusals(`CONNECT ${name}:${server.port} HTTP/1.1${END}`)()),
  );
  test("a Host header that differs from the URL is refused", async () => {
    await refusals(`GET http://granted.test:${server.port}/ HTTP/1.1${LINE}Host: other.test${END}`)();
  });
  test("a request with two lengths is refused", async () => {
    const head = `POST http://granted.test:${server.port}/ HTTP/1.1${LINE}Host: granted.test:${server.port}${LINE}`;
    await refusals(
      `${head}Content-Length: 5${LINE}Transfer-Encoding: chunked${END}0${END}GET /smuggled HTTP/1.1${END}`,
    )();
  });

  test("a second request in a connection that names another host is refused", async () => {
    const request = (name: string) => `GET /a HTTP/1.1${LINE}Host: ${name}:${server.port}${END}`;
    const both = request("granted.test") + request("other.test");
    const before = server.requests.length;
    const { refused } = await run(dial("granted.test", server.port, both));
    expect(refused).toEqual([
      expect.objectContaining({
        reason: `its request names another host (Host "other.test:${server.port}")`,
      }),
    ]);
    expect(server.requests.slice(before).filter((text) => text.includes("other.test"))).toEqual([]);
  });

  test.each([
    ["a whole URL in its request line", (port: number) => `GET http://other.test:${port}/ HTTP/1.1`],
    ["a byte that no URL has", () => "GET /\u00e9 HTTP/1.1"],
    ["tabs", () => "GET\t/\tHTTP/1.1"],
    ["a space before it", () => " GET / HTTP/1.1"],
    ["a line without end", () => `GET /${"x".repeat(70_000)} HTTP/1.1`],
  ])("a request for another host is not sent in disguise: %s", async (_disguise, line) => {
    const { port } = server;
    const host = line(port).includes("://") ? "granted.test" : "other.test";
    const request = `${line(port)}${LINE}Host: ${host}:${port}${END}`;
    expect((await runOutside("bash", ["-c", dial("127.0.0.1", port, request)])).stdout).toContain("200 OK");
    const before = server.requests.length;
    await run(dial("granted.test", port, request));
    await run(throughProxy(`CONNECT granted.test:${port} HTTP/1.1${END}${request}`));
    expect(server.requests.slice(before)).toEqual([]);
  });

  test.each([
    ["Transfer-Encoding: chunked", (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`],
    ["Connection: content-length\r\nContent-Length: 44", (body: string) => body],
  ])("the body of a GET stays a body, and no further request: %s", async (head, frame) => {
    const body = `GET /smuggled HTTP/1.1${LINE}Host: other.test${END}`;
    expect(body.length).toBe(44);
    const host = `granted.test:${server.port}`;
    const before = server.requests.length;
    await run(
      throughProxy(`GET http://${host}/a HTTP/1.1${LINE}Host: ${host}${LINE}${head}${END}${frame(body)}`),
    );
    expect(server.requests[before]).toMatch(/^GET \/a /);
    expect(server.requests[before]).toMatch(/transfer-encoding: chunked|content-length: 44/i);
  });

  test("an upgrade of plain HTTP does not pass: nobody would read what follows it", async () => {
    const upgrade = `Connection: Upgrade${LINE}Upgrade: websocket${LINE}Sec-WebSocket-Key: x`;
    const request = `GET /ws HTTP/1.1${LINE}Host: granted.test:${server.port}${LINE}${upgrade}${END}`;
    const before = server.requests.length;
    await run(dial("granted.test", server.port, request));
    expect(server.requests.slice(before)).toEqual([expect.not.stringMatching(/upgrade/i)]);
  });

  const tls = (servername: string, host = "granted.test") =>
    node(`const s = require('tls').connect({ port: ${server.port}, host: '${host}', servername: '${servername}', rejectUnauthorized: false });
      s.on('error', (e) => console.log(e.code)); s.on('close', () => console.log('closed'));`);

  test("TLS that names the host passes; TLS that names another, or none, is refused", async () => {
    const hellos: number[] = [];
    const listening = net.createServer((socket) =>
      socket
        .on("error", () => {})
        .on("data", (bytes) => {
          hellos.push(bytes[0]!);
          socket.destroy();
        }),
    );
    await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void listening.close());
    const { port } = listening.address() as { port: number };
    const granted = await openWorld({
      rules: [`allow network(granted.test:${port})`],
      allowedPrivateHosts: [`granted.test:${port}`],
    });
    onTestFinished(() => granted.close());
    const at = (program: string) => program.replaceAll(`port: ${server.port}`, `port: ${port}`);
    expect((await run(at(tls("granted.test")), granted)).refused).toEqual([]);
    expect(hellos).toEqual([0x16]);
    expect((await run(at(tls("other.test")), granted)).refused).toMatchObject([
      { reason: "its TLS names another host (SNI other.test)" },
    ]);
    expect((await run(at(tls("")), granted)).refused).toMatchObject([
      { reason: "its TLS names no host (SNI)" },
    ]);
    expect(
      (
        await run(
          `curl -sSk --connect-to other.test:${port}:granted.test:${port} https://other.test:${port}/`,
          granted,
        )
      ).code,
    ).not.toBe(0);
    expect(hellos).toEqual([0x16]);
  });

  test("another cell does not have the grant", async () => {
    const without = await openWorld({});
    onTestFinished(() => without.close());
    expect((await run(`curl -sS http://granted.test:${server.port}/`, without)).refused).toMatchObject([
      { host: `granted.test:${server.port}` },
    ]);
    expect((await run("cat /etc/hosts", without)).stdout).not.toContain("granted.test");
    expect((await run(`curl -sS http://granted.test:${server.port}/`)).stdout).toBe("GET / HTTP/1.1\n");
  });
});

describe("a granted name with a private address", () => {
  test("is refused unless the operator lists it", async () => {
    const guarded = await openWorld({
      rules: [`allow network(granted.test:${server.port})`],
      allowedPrivateHosts: [],
    });
    onTestFinished(() => guarded.close());
    const { refused } = await run(`curl -sS http://granted.test:${server.port}/`, guarded);
    expect(refused).toEqual([
      {
        host: `granted.test:${server.port}`,
        reason: "SSRF: private network access denied for granted.test (127.0.0.1)",
      },
    ]);
  });

  test("host.hotcell.internal is this machine, by an exact rule only", async () => {
    const exact = await openWorld({ rules: [`allow network(host.hotcell.internal:${server.port})`] });
    onTestFinished(() => exact.close());
    expect((await run(`curl -sS http://host.hotcell.internal:${server.port}/m`, exact)).stdout).toBe(
      "GET /m HTTP/1.1\n",
    );
    const wide = await openWorld({ rules: ["allow network"] });
    onTestFinished(() => wide.close());
    expect((await run(`curl -sS http://host.hotcell.internal:${server.port}/m`, wide)).refused.length).toBe(
      1,
    );
  });
});

test("the output of a background process names the hosts that were refused to it", async () => {
  const closed = await openWorld({ toolsets: ["coding", "processes"] });
  onTestFinished(() => closed.close());
  const command = `curl -sS http://other.test:${server.port}/; sleep 60`;
  const started = await closed.call({ name: "run_command", arguments: { command, background: true } });
  const look = () =>
    closed.call({ name: "process_output", arguments: { process_id: started.output!.process_id } });
  await vi.waitUntil(async () => (await look()).output!.refused_hosts !== undefined, { timeout: 20_000 });
  expect((await look()).output!.refused_hosts).toEqual([
    {
      host: `other.test:${server.port}`,
      reason: expect.stringContaining("No rule is about"),
      rule: `allow network(other.test:${server.port})`,
    },
  ]);
});

describe("ask network", () => {
  const fetchTwice = () =>
    `curl -sS http://granted.test:${server.port}/1; curl -sS http://granted.test:${server.port}/2`;

  test("asks once for a call, with host and port, and again for the next call", async () => {
    const asked: unknown[] = [];
    const asking = await openWorld({
      rules: ["ask network"],
      onAsk({ tool, arguments: args }) {
        asked.push([tool, args]);
        return true;
      },
    });
    onTestFinished(() => asking.close());
    expect((await run(fetchTwice(), asking)).stdout).toBe("GET /1 HTTP/1.1\nGET /2 HTTP/1.1\n");
    expect(asked).toEqual([["network", { host: "granted.test", port: server.port }]]);
    await run(fetchTwice(), asking);
    expect(asked.length).toBe(2);
  });

  test("a background process, which was allowed to connect, takes no question from later calls", async () => {
    const asked: string[] = [];
    const asking = await openWorld({
      rules: ["ask network"],
      toolsets: ["coding", "processes"],
      onAsk({ callId }) {
        asked.push(callId);
        return true;
      },
    });
    onTestFinished(() => asking.close());
    const command = `${fetchTwice()}; sleep 600`;
    const started = await asking.call({ name: "run_command", arguments: { command, background: true } });
    const process_id = started.output!.process_id;
    const look = () => asking.call({ name: "process_output", arguments: { process_id } });
    await vi.waitUntil(async () => String((await look()).output!.stdout).includes("GET /2"), {
      timeout: 20_000,
    });
    const calls = [];
    for (let count = 0; count < 2; count++)
      calls.push(await asking.call({ name: "run_command", arguments: { command: fetchTwice() } }));
    expect(calls.map(({ output }) => output?.stdout)).toEqual(
      Array(2).fill("GET /1 HTTP/1.1\nGET /2 HTTP/1.1\n"),
    );
    expect(asked).toEqual([started, ...calls].map(({ meta }) => meta.callId));
  });

  test("a yes for the session holds for the next call, also after the session was closed and opened again", async () => {
    let asked = 0;
    const options: Partial<CellOptions> = {
      rules: ["ask network"],
      onAsk() {
        asked++;
        return { approved: true, remember: { for: "session" } };
      },
    };
    const asking = await openWorld(options);
    await run(fetchTwice(), asking);
    // A session without changes would go when it is closed.
    await run(`${fetchTwice()}; echo > kept`, asking);
    await asking.close();
    const again = await openWorld({ ...options, session: asking.session! });
    onTestFinished(() => again.close());
    expect((await run(fetchTwice(), again)).stdout).toBe("GET /1 HTTP/1.1\nGET /2 HTTP/1.1\n");
    expect(asked).toBe(1);
  });

  test("two hosts of one command are two questions at the desk, answered in any order", async () => {
    const stateDir = `${top}/state`;
    const asking = await openWorld({
      rules: ["ask network"],
      onAsk: createDesk({ stateDir, client: () => new Promise(() => {}) }),
    });
    onTestFinished(() => asking.close());
    const fetchFrom = (name: string) => `curl -sS http://${name}.test:${server.port}/${name}`;
    const ran = run(`${fetchFrom("granted")} & ${fetchFrom("other")} & wait`, asking);
    await vi.waitUntil(() => listQuestions(stateDir).length === 2, { timeout: 20_000 });
    for (const { id, digest, arguments: args } of listQuestions(stateDir).reverse())
      answerQuestion(stateDir, id, { approved: args.host === "other.test", digest });
    const { stdout, refused } = await ran;
    expect(stdout).toContain("GET /other HTTP/1.1\n");
    expect(refused.map(({ host }) => host)).toEqual([`granted.test:${server.port}`]);
  });

  test("the command's own time runs while a connection waits for the answer", async () => {
    let asked = 0;
    const asking = await openWorld({
      rules: ["ask network"],
      onAsk() {
        asked++;
        return new Promise(() => {});
      },
    });
    onTestFinished(() => asking.close());
    const command = `curl -sS http://granted.test:${server.port}/`;
    const call = (timeout_ms: number) =>
      asking.call({ name: "run_command", arguments: { command, timeout_ms } });
    expect(await call(5000)).toMatchObject({ output: { timed_out: true } });
    expect(asked).toBe(1);
  });

  test.each([
    ["a no", () => false],
    ["nobody to ask", undefined],
  ])("%s refuses, and names the rule that asks", async (_who, onAsk) => {
    const asking = await openWorld({ rules: ["ask network"], ...(onAsk && { onAsk }) });
    onTestFinished(() => asking.close());
    const { stdout, refused } = await run(`curl -sS http://granted.test:${server.port}/`, asking);
    expect(stdout).toContain("network was not run: it needs approval");
    // An allow rule would not help: the rule that asks is stronger.
    expect(refused).toEqual([
      {
        host: `granted.test:${server.port}`,
        reason: expect.stringContaining('The rule "ask network" at options asks before this call.'),
      },
    ]);
  });
});

test("an allowed host that nobody serves is not refused: 502, a note, and decision allow with the reason", async () => {
  const down = await openWorld({ rules: ["allow network(host.hotcell.internal:1)"] });
  onTestFinished(() => down.close());
  const status = (host: string) => `curl -s -o /dev/null -w '%{http_code}' http://${host}/`;
  const unreached = await down.call({
    name: "run_command",
    arguments: { command: status("host.hotcell.internal:1") },
  });
  const reason = "Could not connect to host.hotcell.internal:1: the connection was refused.";
  expect(unreached.output).toMatchObject({
    stdout: "502",
    note: `The rules allow host.hotcell.internal:1, but it could not be reached: ${reason}`,
  });
  expect(unreached.output).not.toHaveProperty("refused_hosts");
  expect(readLog(down).find(({ kind }) => kind === "network.connect")).toMatchObject({
    decision: "allow",
    rule: "allow network(host.hotcell.internal:1)",
    reason,
  });
  const { stdout, refused } = await run(status("host.hotcell.internal:2"), down);
  expect([stdout, refused.map(({ host }) => host)]).toEqual(["403", ["host.hotcell.internal:2"]]);
});

test("a deny rule is named, and no rule is proposed", async () => {
  const denying = await openWorld({ rules: ["allow network", "deny network(other.test:*)"] });
  onTestFinished(() => denying.close());
  expect((await run(`curl -sS http://other.test:${server.port}/`, denying)).refused).toEqual([
    {
      host: `other.test:${server.port}`,
      reason: 'The rule "deny network(other.test:*)" at options denies this call.',
    },
  ]);
  expect((await run(`curl -sS http://granted.test:${server.port}/x`, denying)).stdout).toBe(
    "GET /x HTTP/1.1\n",
  );
});

test("close ends every connection, also of a background process", async () => {
  const waiting = await startRawServer(() => {});
  onTestFinished(() => waiting.close());
  const closing = await openWorld({
    rules: [`allow network(granted.test:${waiting.port})`],
    allowedPrivateHosts: [`granted.test:${waiting.port}`],
  });
  await closing.call({
    name: "run_command",
    arguments: { command: `curl -sS http://granted.test:${waiting.port}/`, background: true },
  });
  await expect.poll(() => waiting.requests.length, { timeout: 20_000 }).toBe(1);
  await closing.close();
  await expect.poll(() => waiting.open.size, { timeout: 20_000 }).toBe(0);
  expect(readLog(closing).filter(({ kind }) => kind === "network.connect")).toMatchObject([
    {
      host: "granted.test",
      decision: "allow",
      sentBytes: `${waiting.requests[0]}\r\n\r\n`.length,
      receivedBytes: 0,
    },
  ]);
});

describe("a server that sends and closes", () => {
  const BYTES = 8_000_000;
  /** Reads slowly, so that the server has closed long before the end is read. */
  const slowReader = (host: string, port: number, first: string, ends = "") => `python3 - <<'EOF'
import socket
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
s.connect(("${host}", ${port}))
s.sendall(${JSON.stringify(first)}.encode())
${ends}
count = 0
while True:
  data = s.recv(1024)
  if not data: break
  count += data.count(b"x")
print(count)
EOF`;

  test.each([
    ["another protocol", (port: number) => slowReader("granted.test", port, "PING\n")],
    [
      "a client that has ended its side",
      (port: number) => slowReader("granted.test", port, "PING\n", "s.shutdown(socket.SHUT_WR)"),
    ],
    [
      "HTTP by name",
      (port: number) =>
        slowReader(
          "granted.test",
          port,
          `GET / HTTP/1.1\r\nHost: granted.test:${port}\r\nConnection: close\r\n\r\n`,
        ),
    ],
  ])("is read to its end: %s", async (_protocol, program) => {
    const sending = net.createServer({ allowHalfOpen: true }, (socket) => {
      socket
        .on("error", () => {})
        .once("data", (request) => {
          if (request.includes("HTTP/1.1"))
            socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${BYTES}\r\n\r\n`);
          socket.end("x".repeat(BYTES));
        });
    });
    await new Promise<void>((resolve) => sending.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void sending.close());
    const { port } = sending.address() as AddressInfo;
    const granted = await openWorld({
      rules: [`allow network(granted.test:${port})`],
      allowedPrivateHosts: [`granted.test:${port}`],
    });
    onTestFinished(() => granted.close());
    expect((await run(program(port), granted)).stdout).toBe(`${BYTES}\n`);
  });
});

test("connections above the limit are closed, and the observation and the log say so once", async () => {
  const logging = await openWorld({});
  onTestFinished(() => logging.close());
  const excess = 88;
  const many = node(`const net = require('net'); let left = ${excess};
    for (let i = 0; i < ${LIMITS.maxEgressConnections + excess}; i++)
      net.connect(${PROXY[1]}, '${PROXY[0]}').on('error', () => {}).on('close', () => { if (--left === 0) process.exit(); });`);
  const reason = `more than ${LIMITS.maxEgressConnections} connections at once`;
  expect((await run(many, logging)).refused).toEqual([{ host: "further connections", reason }]);
  expect(readLog(logging).filter(({ kind }) => kind === "network.connect")).toMatchObject([
    { host: "further connections", port: null, decision: "deny", reason },
  ]);
});

test("1,000 connections at once end in bounded time, and the cell goes on", async () => {
  const many = node(`const net = require('net'); let left = 1000;
    for (let i = 0; i < 1000; i++) { const s = net.connect(${PROXY[1]}, '${PROXY[0]}', () => s.write('CONNECT example.com:443 HTTP/1.1\\r\\n\\r\\n'));
      s.on('error', () => {}); s.on('data', () => {}); s.on('close', () => { if (--left === 0) console.log('all closed'); }); }`);
  expect((await run(many)).stdout).toBe("all closed\n");
  expect((await run(`curl -sS http://granted.test:${server.port}/after`)).stdout).toBe(
    "GET /after HTTP/1.1\n",
  );
});
