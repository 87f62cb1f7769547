// Everyday commands work, or say at once why not.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { type Cell, type CellOptions, openCell } from "../../../src/cell.ts";
import { LIMITS } from "../../../src/core/limits.ts";
import { readLog } from "../../../src/log/read.ts";
import { openPackageManagers } from "../../kit/worlds/real-project.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";

async function open(files: Readonly<Record<string, string>> = {}, options: Partial<CellOptions> = {}) {
  const top = tempDir();
  const root = path.join(top, "ws");
  fs.mkdirSync(root);
  for (const [name, content] of Object.entries(files)) fs.writeFileSync(path.join(root, name), content);
  const stateDir = path.join(top, "state");
  const cell = await openCell({ workspace: root, stateDir, trust: "autonomous", ...options });
  onTestFinished(() => cell.close());
  return { cell, root, top };
}

const run = (cell: Cell, command: string, more = {}) =>
  cell.call({ name: "run_command", arguments: { command, ...more } });

describe("the time of a command", () => {
  test("may be longer than the usual, up to limits.maxTimeoutMs", async () => {
    const { cell } = await open({}, { timeoutMs: 200, limits: { maxTimeoutMs: 60_000 } });
    expect((await run(cell, "sleep 0.6; echo done", { timeout_ms: 60_000 })).output?.stdout).toBe("done\n");
    expect((await run(cell, "sleep 5")).error?.code).toBe("TIMEOUT");
  });

  test("above the maximum is an error that names the setting; nothing runs", async () => {
    const { cell } = await open();
    const { error, output } = await run(cell, "echo ran > ran", { timeout_ms: 600_001 });
    expect([error, output]).toEqual([
      {
        code: "INVALID_ARGUMENTS",
        message:
          'Could not run the command: it asks for 600001 ms, and limits.maxTimeoutMs is 600000 ms. Ask for less, start it with "background": true, or raise that setting.',
      },
      null,
    ]);
    expect((await cell.diff()).changes).toEqual([]);
  });

  test("can't be extended beyond that of a scope", async () => {
    const permissions = { run_command: { allowed: true, timeout: "1s" } };
    const { cell } = await open({}, { scope: { permissions } });
    const { error } = await run(cell, "true", { timeout_ms: 1001 });
    expect(error?.message).toContain("the timeout of the scope is 1000 ms");
    expect((await run(cell, "true", { timeout_ms: 1000 })).success).toBe(true);
  });
});

describe("git commit", () => {
  let home: string;
  beforeEach(() => {
    home = tempDir();
    vi.stubEnv("HOME", home);
    vi.stubEnv("XDG_CONFIG_HOME", undefined);
    onTestFinished(() => void vi.unstubAllEnvs());
  });
  const COMMIT = "git init -q . && git commit -q --allow-empty -m x && git log --format='%an <%ae>'";

  test.each(["kernel", "clone"] as const)("has the user's name and email (%s)", async (strategy) => {
    fs.writeFileSync(
      path.join(home, ".gitconfig"),
      '[user]\n\tname = "Ada \\"L\\" B"\n\temail = ada@example.org\n',
    );
    const { cell } = await open({}, { strategy });
    expect((await run(cell, COMMIT)).output?.stdout).toBe('Ada "L" B <ada@example.org>\n');
    const own = `git config user.name Bob && ${COMMIT} -1`;
    expect((await run(cell, own)).output?.stdout).toBe("Bob <ada@example.org>\n");
    expect(
      (await run(cell, "git config --global user.name Eve && git -C /tmp config user.name")).output?.stdout,
    ).toBe("Eve\n");
    expect((await cell.diff()).changes.some(({ path: at }) => at.includes("gitconfig"))).toBe(false);
  });

  test("without a name in git's configuration says what to set, and no include is followed", async () => {
    fs.writeFileSync(path.join(home, "more"), "[user]\nname = X\nemail = x@y\n");
    fs.writeFileSync(path.join(home, ".gitconfig"), `[include]\npath = ${home}/more\n`);
    const { cell } = await open();
    const { output } = await run(cell, COMMIT);
    expect(output?.exit_code).toBe(128);
    expect(output?.stderr).toContain("Please tell me who you are");
  });
});

/** How often a command asked the proxy for a host. */
const connectsOf = (cell: Cell, call: string): number =>
  [...readLog(cell.logFile)].filter(
    ({ record }) => record?.kind === "network.connect" && String(record.calls) === call,
  ).length;

const NO_NETWORK =
  /^(?:Commands have no network: |The network refused [\w.-]+:\d+: no rule allows it\. To allow it: allow network\()/;

describe("without a network", () => {
  const has = (program: string) => {
    try {
      execFileSync("sh", ["-c", `PATH=/usr/local/bin:/usr/bin:/bin command -v ${program}`]);
      return true;
    } catch {
      return false;
    }
  };
  const MANAGERS: readonly (readonly [program: string, before: string, command: string])[] = [
    ["npm", "true", "npm install left-pad"],
    ["pip", "python3 -m venv v", "v/bin/pip install six"],
    ["cargo", "cargo init -q --name x .", "cargo add serde && cargo build"],
    ["go", "go mod init x", "go get golang.org/x/text"],
  ];

  test.each(MANAGERS.filter(([program]) => program === "npm" || has(program)))(
    "%s fails at once, with the reason for the model",
    async (_, before, command) => {
      const { cell } = await open({ "package.json": "{}" });
      await run(cell, before, { timeout_ms: 120_000 });
      // npm alone would take more than 60 seconds.
      const { output } = await run(cell, command, { timeout_ms: 50_000 });
      expect(output?.exit_code).not.toBe(0);
      expect(output?.timed_out).toBe(false);
      expect(output?.note).toMatch(NO_NETWORK);
    },
  );

  /** The last argument makes the program try again, to show that the test would see it. */
  const RETRYING: readonly (readonly [program: string, before: string, command: string, again: string])[] = [
    [
      "npm",
      "true",
      "npm install left-pad --loglevel http",
      "--fetch-retries 2 --fetch-retry-mintimeout 1 --fetch-retry-maxtimeout 2",
    ],
    ["pip", "python3 -m venv v", "v/bin/pip install six", "--retries 2"],
  ];
  const DIRECTLY = "unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY";

  test.each(RETRYING.filter(([program]) => program === "npm" || has(program)))(
    "%s tries once and not again, whether the proxy refuses it or the lookup fails",
    async (_, before, command, again) => {
      const { cell } = await open({ "package.json": "{}" });
      await run(cell, before, { timeout_ms: 120_000 });
      const triesOf = async (line: string) => {
        const { output } = await run(cell, line, { timeout_ms: 120_000 });
        expect(output?.exit_code).not.toBe(0);
        const said = `${output?.stdout}${output?.stderr}`;
        return 1 + (said.match(/attempt (?!1 )\d+ failed|Retrying \(/g)?.length ?? 0);
      };
      const { meta } = await run(cell, command, { timeout_ms: 120_000 });
      expect(connectsOf(cell, meta.callId)).toBe(1);
      expect(await triesOf(`${DIRECTLY}; ${command}`)).toBe(1);
      expect(await triesOf(`${DIRECTLY}; ${command} ${again}`)).toBe(3);
    },
  );

  /** The last text takes our settings back: the program then tries more often. pnpm asks twice for a package. */
  test.each([
    ["yarn 1", "yarn/bin/yarn.js", 0, "unset yarn_https_proxy"],
    [
      "yarn 4",
      "@yarnpkg/cli-dist/bin/yarn.js",
      0,
      "unset yarn_https_proxy; export YARN_ENABLE_NETWORK=1 YARN_HTTPS_PROXY=$https_proxy",
    ],
    [
      "pnpm",
      "pnpm/bin/pnpm.mjs",
      2,
      "export pnpm_config_fetch_retries=2 pnpm_config_fetch_retry_mintimeout=1 pnpm_config_fetch_retry_maxtimeout=2",
    ],
  ])(
    "%s fails at once and does not try again, with the reason for the model",
    async (_, program, tries, again) => {
      const managers = openPackageManagers();
      const files = { "package.json": '{ "dependencies": { "left-pad": "1.3.0" } }', "yarn.lock": "" };
      const { cell } = await open(files, { readable: [managers] });
      const install = `node ${managers}/node_modules/${program} install`;
      const { output, meta } = await run(cell, install, { timeout_ms: 50_000 });
      expect(output).toMatchObject({ exit_code: 1, timed_out: false });
      const said = `${output?.stdout}${output?.stderr}`;
      expect(said).toMatch(/left-pad|registry\.yarnpkg\.com/);
      expect(said).not.toMatch(/retry|try again/i);
      expect(output?.note).toMatch(NO_NETWORK);
      expect(connectsOf(cell, meta.callId)).toBe(tries);
      const control = await run(cell, `${again}; ${install}`, { timeout_ms: 120_000 });
      expect(control.output?.exit_code).toBe(1);
      expect(connectsOf(cell, control.meta.callId)).toBeGreaterThan(tries);
    },
  );

  test.each([
    "node -e \"fetch('http://example.org').catch((e) => console.log(e.cause))\"",
    "python3 -c 'import urllib.request; urllib.request.urlopen(\"http://example.org\")'",
    "git clone https://example.org/x.git",
    "curl -s -S https://example.org/",
    "node -e \"require('net').connect(80, '192.0.2.1').on('error', console.log)\"",
  ])("a failed lookup or connection is explained: %s", async (command) => {
    const { cell } = await open({}, { rules: ["allow run_command"] });
    expect((await run(cell, command)).output?.note).toMatch(NO_NETWORK);
  });

  test("other output has no note", async () => {
    const { cell } = await open();
    for (const command of ["echo ok; echo ECONNREFUSED 127.0.0.1:80 >&2; false", "env"])
      expect((await run(cell, command)).output).not.toHaveProperty("note");
  });

  test("the toolset studio has the note in its text", async () => {
    const { cell } = await open({}, { toolsets: ["studio"] });
    const { output } = await cell.call({
      name: "bash",
      arguments: { command: "git clone https://example.org/x" },
    });
    expect(output).toContain(
      "[The network refused example.org:443: no rule allows it. To allow it: allow network(example.org:443)]",
    );
  });
});

describe("hard links with fs host", () => {
  test("change under both names, which the observation tells", async () => {
    const top = tempDir();
    const root = path.join(top, "ws");
    fs.mkdirSync(root);
    fs.writeFileSync(path.join(top, "store"), "one\n");
    fs.linkSync(path.join(top, "store"), path.join(root, "linked"));
    const options = { workspace: root, stateDir: path.join(top, "state"), trust: "autonomous" } as const;
    const host = await openCell({ ...options, fs: "host" });
    onTestFinished(() => host.close());
    const { output, meta } = await run(host, "echo two >> linked");
    expect(fs.readFileSync(path.join(top, "store"), "utf8")).toBe("one\ntwo\n");
    expect(meta.hardLinked).toBe("linked");
    expect(output?.note).toMatch(
      /^"linked" has another name too \(a hard link\), maybe outside the project: /,
    );
  });

  test("are not known beyond the entries that hotcell looks at, which the first observation tells", async () => {
    const top = tempDir();
    const root = path.join(top, "ws");
    fs.mkdirSync(root);
    for (let n = 0; n < LIMITS.maxHardLinkEntries; n++) fs.writeFileSync(path.join(root, `a${n}`), "");
    const options = { workspace: root, stateDir: path.join(top, "state"), trust: "autonomous" } as const;
    const noteIn = async () => {
      const host = await openCell({ ...options, fs: "host" });
      onTestFinished(() => host.close());
      const notes = [await run(host, "true"), await run(host, "true")].map(({ output }) => output?.note);
      return notes.map((note) => note?.split(":")[0]);
    };
    expect(await noteIn()).toEqual([undefined, undefined]);
    fs.writeFileSync(path.join(root, "z"), "");
    expect(await noteIn()).toEqual([
      "hotcell looked for files with another name too (hard links) among the first 20000 entries of the project only, and found none",
      undefined,
    ]);
  });

  test("are not mentioned in a session, which has its own files, nor for git's objects", async () => {
    const { cell, root, top } = await open({ a: "one\n" });
    fs.linkSync(path.join(root, "a"), path.join(root, "b"));
    const { output, meta } = await run(cell, "echo two >> a");
    expect([output?.note, meta.hardLinked]).toEqual([undefined, undefined]);
    expect(fs.readFileSync(path.join(root, "b"), "utf8")).toBe("one\n");
    fs.rmSync(path.join(root, "b"));
    fs.mkdirSync(path.join(root, ".git"));
    fs.linkSync(path.join(root, "a"), path.join(root, ".git/a"));
    fs.rmSync(path.join(root, "a"));
    fs.linkSync(path.join(root, ".git/a"), path.join(root, ".git/b"));
    const host = await openCell({
      workspace: root,
      stateDir: path.join(top, "s2"),
      fs: "host",
      trust: "autonomous",
    });
    onTestFinished(() => host.close());
    expect((await run(host, "true")).meta.hardLinked).toBeUndefined();
  });
});
