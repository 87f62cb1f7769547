// Programs that people use daily, against servers on this machine; and the ways to grant hosts from the command line.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type Cell, openCell } from "../../../src/cell.ts";
import { runCli } from "../../../src/doors/cli/main.ts";
import { removeTree } from "../../kit/remove-tree.ts";

const HOST = "host.hotcell.internal";
let top: string;
let server: http.Server;
let port: number;

/** A package registry and a git server that only serves files. */
beforeAll(async () => {
  top = fs.mkdtempSync("/var/tmp/hotcell-clients-");
  const files = path.join(top, "files");
  fs.mkdirSync(path.join(top, "pkg/package"), { recursive: true });
  fs.mkdirSync(files);
  fs.writeFileSync(path.join(top, "pkg/package/package.json"), '{"name":"left-pad","version":"1.0.0"}');
  fs.writeFileSync(path.join(top, "pkg/package/index.js"), "module.exports = 1;");
  execFileSync("tar", ["-czf", path.join(files, "left-pad.tgz"), "-C", path.join(top, "pkg"), "package"]);
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
      cwd: path.join(top, "pkg"),
      stdio: "ignore",
    });
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "first");
  git("clone", "-q", "--bare", ".", path.join(files, "repo.git"));
  execFileSync("git", ["update-server-info"], { cwd: path.join(files, "repo.git") });
  server = http.createServer((request, response) => {
    const at = decodeURIComponent(request.url!.split("?")[0]!);
    if (at === "/left-pad") return response.end(JSON.stringify(packument(files)));
    const file = path.join(files, path.posix.normalize(at));
    if (!fs.existsSync(file) || fs.statSync(file).isDirectory()) return response.writeHead(404).end();
    return response.end(fs.readFileSync(file));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => {
  server.close();
  removeTree(top);
});

function packument(files: string): object {
  const bytes = fs.readFileSync(path.join(files, "left-pad.tgz"));
  const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
  const dist = { tarball: `http://${HOST}:${port}/left-pad.tgz`, integrity };
  return {
    name: "left-pad",
    "dist-tags": { latest: "1.0.0" },
    versions: { "1.0.0": { name: "left-pad", version: "1.0.0", dist } },
  };
}

function project(name: string): string {
  const at = path.join(top, name);
  fs.mkdirSync(at);
  fs.writeFileSync(path.join(at, "package.json"), "{}");
  return at;
}

async function open(
  name: string,
  rules: readonly string[],
  toolsets: readonly string[] = ["coding"],
): Promise<Cell> {
  const cell = await openCell({
    workspace: project(name),
    stateDir: path.join(top, "state"),
    trust: "autonomous",
    rules: [...rules],
    toolsets: [...toolsets],
    timeoutMs: 120_000,
  });
  onTestFinished(() => cell.close());
  return cell;
}

const run = async (cell: Cell, command: string) =>
  (await cell.call({ name: "run_command", arguments: { command } })).output as Record<string, unknown>;

describe("with a grant for the server", () => {
  test("npm install installs a package", async () => {
    const cell = await open("npm", [`allow network(${HOST}:${port})`]);
    const output = await run(
      cell,
      `npm install left-pad --registry http://${HOST}:${port}/ && node -p "require('left-pad')"`,
    );
    expect(output).toMatchObject({
      exit_code: 0,
      stdout: expect.stringMatching(/added 1 package[\s\S]*\n1\n$/),
    });
  });

  test("git clone clones a repository", async () => {
    const cell = await open("git", [`allow network(${HOST}:${port})`]);
    const output = await run(
      cell,
      `git clone -q http://${HOST}:${port}/repo.git c && cat c/package/index.js`,
    );
    expect(output).toMatchObject({ exit_code: 0, stdout: "module.exports = 1;" });
  });
});

test("without a grant npm install fails, and the observation has the rule to allow", async () => {
  const cell = await open("npm-refused", []);
  const output = await run(cell, `npm install left-pad --registry http://${HOST}:${port}/`);
  expect(output).toMatchObject({
    exit_code: expect.any(Number),
    refused_hosts: [{ host: `${HOST}:${port}`, rule: `allow network(${HOST}:${port})` }],
  });
  expect(output.exit_code).not.toBe(0);
});

describe("on the command line", () => {
  const cli = async (args: readonly string[], env: Record<string, string> = {}) => {
    let out = "";
    let err = "";
    const io = {
      env: { ...process.env, HOTCELL_STATE_DIR: path.join(top, "state"), ...env },
      cwd: top,
      interactive: false,
      outIsTerminal: false,
      errIsTerminal: false,
      out: (text: string | Uint8Array) => {
        out += text;
        return true;
      },
      err: (text: string) => {
        err += text;
      },
      readStdin: async () => Buffer.alloc(0),
      ask: async () => "",
    };
    const code = await runCli(args, io as never);
    return { code, out, err };
  };

  test("--allow-network npm allows the registry that npm is configured for, outside the project", async () => {
    const workspace = project("npm-set");
    fs.writeFileSync(path.join(workspace, ".npmrc"), "registry=http://evil.example/");
    const explain = (host: string) =>
      cli(
        [
          "policy",
          "explain",
          "network",
          JSON.stringify({ host, port: 8443 }),
          "--workspace",
          workspace,
          "--allow-network",
          "npm",
          "--json",
        ],
        {
          NPM_CONFIG_REGISTRY: "https://registry.example.com:8443/",
        },
      );
    expect(JSON.parse((await explain("registry.example.com")).out)).toMatchObject({
      decision: "allow",
      rule: { source: "--allow-network npm" },
    });
    expect(JSON.parse((await explain("evil.example")).out).decision).toBe("deny");
  });

  test("a set of the user's configuration is allowed by its name; another name is exit 2", async () => {
    const config = path.join(top, "sets.json");
    fs.writeFileSync(config, '{ "networkSets": { "work": ["git.example.com:443"] } }');
    const args = [
      "policy",
      "explain",
      "network",
      '{"host":"git.example.com","port":443}',
      "--config",
      config,
      "--workspace",
      project("sets"),
      "--json",
    ];
    expect(JSON.parse((await cli([...args, "--allow-network", "work"])).out).decision).toBe("allow");
    expect(await cli([...args, "--allow-network", "play"])).toMatchObject({
      code: 2,
      err: expect.stringContaining('There is no set of hosts "play"; there are "work", "npm".'),
    });
  });

  test("a place in a set that no rule could name stops the start, also if the set is not used", async () => {
    const config = path.join(top, "wrong-sets.json");
    fs.writeFileSync(config, '{ "networkSets": { "work": ["https://git.example.com/x"] } }');
    expect(await cli(["call", "time.now", "{}", "--config", config])).toMatchObject({
      code: 2,
      err: expect.stringContaining(
        '"https://git.example.com/x" in "work": a rule names a host and a port, no URL',
      ),
    });
  });

  test("network learn prints the rules for what a session was refused", async () => {
    const cell = await open("learn", ["deny network(denied.example:443)"]);
    await run(cell, "curl -s https://b.example/ https://a.example:8443/x; curl -s http://10.0.0.1/");
    await run(cell, "curl -s https://denied.example/");
    const { session } = cell;
    await cell.close();
    expect(await cli(["network", "learn", session!])).toEqual({
      code: 0,
      out: "allow network(a.example:8443)\nallow network(b.example:443)\n",
      err: [
        "2 hosts were refused for a reason that no further rule changes:",
        "  10.0.0.1: commands reach hosts by name, not by address",
        '  denied.example:443: The rule "deny network(denied.example:443)" at options denies this call.\n',
      ].join("\n"),
    });
  });

  test("network learn does not say that no host was refused where no further rule helps", async () => {
    const learn = async (name: string, command: string) => {
      const cell = await open(name, []);
      await run(cell, `${command}; echo > kept`);
      await cell.close();
      return cli(["network", "learn", cell.session!]);
    };
    expect(await learn("learn-address", "curl -s http://10.0.0.1/")).toEqual({
      code: 0,
      out: "",
      err: "1 host was refused for a reason that no further rule changes:\n  10.0.0.1: commands reach hosts by name, not by address\n",
    });
    expect(await learn("learn-none", "true")).toEqual({ code: 0, out: "No host was refused.\n", err: "" });
  });
});

test("TOOL_ALLOW_DIRECT_NETWORK: commands use this machine's network, and the observation says so", async () => {
  const direct = await openCell({
    workspace: project("direct"),
    stateDir: path.join(top, "state"),
    trust: "autonomous",
    toolAllowDirectNetwork: true,
  });
  onTestFinished(() => direct.close());
  const fetchIndex = {
    name: "run_command",
    arguments: { command: `curl -sS http://127.0.0.1:${port}/left-pad` },
  } as const;
  expect(await direct.call(fetchIndex)).toMatchObject({
    output: { stdout: expect.stringContaining("dist-tags") },
    meta: { weakened: expect.stringContaining("Commands use this machine's own network") },
  });
  const cell = await open("not-direct", []);
  expect((await cell.call(fetchIndex)).output).toMatchObject({ stdout: "" });
});

test("TOOL_ALLOW_DIRECT_NETWORK: doctor says so", () => {
  const doctor = (env: Record<string, string>) =>
    spawnSync(process.execPath, ["bin/hotcell.js", "doctor", "--json"], {
      env: { ...process.env, HOTCELL_STATE_DIR: path.join(top, "doctor-state"), ...env },
      encoding: "utf8",
    }).stdout;
  const network = (found: string) =>
    JSON.parse(found).findings.filter(({ name }: { name: string }) => name === "network");
  expect(network(doctor({ TOOL_ALLOW_DIRECT_NETWORK: "true" }))).toMatchObject([
    { ok: false, consequence: expect.stringContaining("Commands use this machine's own network") },
  ]);
  expect(network(doctor({}))).toEqual([]);
});

test("the descriptions of command tools name the hosts that commands reach", async () => {
  const cell = await open("described", ["allow network(a.example:443)", "ask network(*.b.example:443)"]);
  const [tool] = cell.tools("mcp").filter(({ name }) => name === "run_command");
  expect(tool?.description).toContain(
    "the network reaches a.example:443, *.b.example:443 (asks) only and no input",
  );
});

test("bash of the toolset studio names the hosts too: those that commands reach in its description, refused ones in its result", async () => {
  const openStudio = (name: string, rules: readonly string[]) => open(name, rules, ["studio"]);
  const described = (cell: Cell) => cell.tools("mcp").find(({ name }) => name === "bash")?.description;
  const cell = await openStudio("studio", ["allow network(a.example:443)"]);
  expect(described(cell)).toBe(
    "Execute a shell command in the project. The network reaches a.example:443 only and no input.",
  );
  expect(described(await openStudio("studio-closed", []))).toContain("There is no network and no input.");
  const call = { name: "bash", arguments: { command: "curl -s http://b.example:80/" } } as const;
  const reason = expect.stringContaining('No rule is about "b.example:80"');
  const rule = "allow network(b.example:80)";
  expect(await cell.call(call)).toMatchObject({
    output: expect.stringContaining(
      `[The network refused b.example:80: no rule allows it. To allow it: ${rule}]`,
    ),
    metadata: { refusedHosts: [{ host: "b.example:80", reason, rule }] },
  });
});
