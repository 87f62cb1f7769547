import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Config, ConfigSources } from "./config.ts";
import { loadConfig } from "./load-config.ts";

let cwd: string;
beforeEach(() => {
  cwd = fs.mkdtempSync(path.join(os.tmpdir(), "hotcell-config-"));
});
afterEach(() => {
  vi.restoreAllMocks();
  fs.rmSync(cwd, { recursive: true });
});

const DEFAULTS: Config = {
  toolRuntime: "wasm",
  toolMemoryMb: 1024,
  guestProcesses: 4,
  timeoutMs: 60_000,
  toolAllowDirectNetwork: false,
  fs: "overlay",
  trust: "guided",
  approve: "effects",
  rules: [],
  toolsets: ["coding"],
  mounts: {},
  agents: {},
  tools: [],
  allowedCommands: [],
  allowedPrivateHosts: [],
  networkSets: {},
  maxResponseBytes: 10 * 1024 * 1024,
  webSearch: { searxngUrl: "http://localhost:8080", engines: ["bing", "duckduckgo", "brave"] },
  limits: {
    cpuSeconds: 600,
    memoryBytes: 4096 * 1024 * 1024,
    processes: 512,
    fileBytes: 4096 * 1024 * 1024,
    openFiles: 4096,
    homeBytes: 4 * 2 ** 30,
    diskBytes: 8192 * 1024 * 1024,
    outputBytes: 64 * 1024 * 1024,
    maxTimeoutMs: 600_000,
    observationBytes: 32 * 1024,
  },
  toolchains: [],
  model: {},
  profiles: {},
  userToolchains: true,
  env: [],
  secrets: [],
  stateDir: "/home/u/.local/state/hotcell",
  protect: { secrets: [], readonly: [], allow: [] },
};

const TOOL = { name: "count", type: "command", description: "Counts.", command: "wc" };

/** The file in the directory, as a user who trusts it says. */
const NAMED = { file: "hotcell.config.json" };
const load = ({ env, ...sources }: Partial<ConfigSources> = {}): Config =>
  loadConfig({ flags: {}, cwd, env: { HOME: "/home/u", ...env }, ...sources });
const write = (value: unknown, name = "hotcell.config.json") =>
  fs.writeFileSync(path.join(cwd, name), typeof value === "string" ? value : JSON.stringify(value, null, 1));
const invalid = (message: string) => expect.objectContaining({ code: "CONFIG_INVALID", message });

describe("settings", () => {
  test("P0.1 P0.2 P0.3 P0.4 P0.5 have defaults", () => {
    expect(load()).toEqual(DEFAULTS);
  });

  test.each([
    [
      "P0.1",
      "TOOL_RUNTIME",
      "toolRuntime",
      [
        ["builtin", "builtin"],
        ["wasm", "wasm"],
      ],
    ],
    [
      "P0.2",
      "TOOL_TIMEOUT_SECS",
      "timeoutMs",
      [
        ["1", 1000],
        ["300", 300_000],
        ["2147483", 2_147_483_000],
      ],
    ],
    ["P0.3", "TOOL_MEMORY_MB", "toolMemoryMb", [["64", 64]]],
    [
      "P0.4",
      "TOOL_ALLOW_DIRECT_NETWORK",
      "toolAllowDirectNetwork",
      [
        ["true", true],
        ["1", true],
        ["false", false],
        ["0", false],
      ],
    ],
    [
      "P0.5",
      "WORKSPACE_FS_MODE",
      "fs",
      [
        ["host", "host"],
        ["overlay", "overlay"],
      ],
    ],
    [
      "SPEC 12",
      "HOTCELL_TRUST",
      "trust",
      [
        ["supervised", "supervised"],
        ["autonomous", "autonomous"],
      ],
    ],
    ["SPEC 4", "HOTCELL_STATE_DIR", "stateDir", [["/var/x", "/var/x"]]],
  ] as const)("%s come from the environment: %s", (_, variable, key, cases) => {
    for (const [text, value] of cases) {
      expect(load({ env: { [variable]: text } })).toEqual({ ...DEFAULTS, [key]: value });
    }
    expect(load({ env: { [variable]: "" } })).toEqual(DEFAULTS);
  });

  const RUNTIMES = 'allowed are "builtin", "wasm"';
  const SECONDS = "allowed are whole numbers from 1 to 2147483";
  const MODES = 'allowed are "host", "overlay", "agentfs"';
  test.each([
    ["P0.1", "TOOL_RUNTIME", "docker", `"docker"; ${RUNTIMES}`],
    ["P0.1", "TOOL_RUNTIME", "WASM", `"WASM"; ${RUNTIMES}`],
    ["P0.2", "TOOL_TIMEOUT_SECS", "0", `0; ${SECONDS}`],
    ["P0.2", "TOOL_TIMEOUT_SECS", "60s", `"60s"; ${SECONDS}`],
    ["P0.2", "TOOL_TIMEOUT_SECS", "-1", `"-1"; ${SECONDS}`],
    ["P0.2", "TOOL_TIMEOUT_SECS", "1.5", `"1.5"; ${SECONDS}`],
    ["P0.2", "TOOL_TIMEOUT_SECS", "1e3", `"1e3"; ${SECONDS}`],
    ["P0.2", "TOOL_TIMEOUT_SECS", "2147484", `2147484; ${SECONDS}`],
    ["P0.3", "TOOL_MEMORY_MB", "0", "0; allowed are whole numbers from 1 to 4096"],
    ["P0.3", "TOOL_MEMORY_MB", "1G", '"1G"; allowed are whole numbers from 1 to 4096'],
    ["P0.4", "TOOL_ALLOW_DIRECT_NETWORK", "yes", '"yes"; allowed are true, false'],
    ["P0.5", "WORKSPACE_FS_MODE", "docker", `"docker"; ${MODES}`],
    ["SPEC 12", "HOTCELL_TRUST", "full", '"full"; allowed are "supervised", "guided", "autonomous"'],
  ])(
    "%s that are wrong name the variable, the value and what is allowed: %s=%s",
    (_, variable, text, problem) => {
      expect(() => load({ env: { [variable]: text } })).toThrow(
        invalid(`Could not use the variable ${variable}: it is ${problem}.`),
      );
    },
  );

  test("come from the file", () => {
    const file = {
      $schema: "x",
      toolRuntime: "builtin",
      toolMemoryMb: 256,
      guestProcesses: 2,
      timeoutMs: 5000,
      toolAllowDirectNetwork: true,
      fs: "host",
      trust: "autonomous",
      approve: "calls",
      toolsets: ["sidecar", "mounts"],
      mounts: { pkg: { path: "pkg" } },
      storage: "storage",
      agents: { sm: { maxReadBytes: 9 } },
      tools: [TOOL],
      allowedCommands: ["wc"],
      allowedPrivateHosts: ["localhost:3000"],
      networkSets: { work: ["git.example.com:443"] },
      maxResponseBytes: 5,
      webSearch: { engines: [] },
      limits: { processes: 9 },
      toolchains: ["py"],
      userToolchains: false,
      env: ["CI"],
      secrets: ["MYTOK"],
      model: { provider: "ollama", name: "x", prices: { input: 0.5, output: 2 }, budget: { tokens: 9 } },
      profiles: { mine: { program: "mine", hosts: ["api.example.com:443"] } },
      stateDir: "state",
      protect: { secrets: ["config/**"] },
    };
    write(file);
    const { $schema: _, ...settings } = file;
    expect(load(NAMED)).toEqual({
      ...settings,
      stateDir: path.join(cwd, "state"),
      storage: path.join(cwd, "storage"),
      mounts: { pkg: { path: path.join(cwd, "pkg") } },
      rules: [],
      protect: { secrets: ["config/**"], readonly: [], allow: [] },
      webSearch: { ...DEFAULTS.webSearch, engines: [] },
      limits: { ...DEFAULTS.limits, processes: 9 },
      toolchains: [path.join(cwd, "py")],
    });
  });

  test("SEARXNG_URL beats the file, and keeps its engines", () => {
    write({ webSearch: { searxngUrl: "http://file.example", engines: ["x"] } });
    expect(load({ ...NAMED, env: { SEARXNG_URL: "http://env.example" } }).webSearch).toEqual({
      searxngUrl: "http://env.example",
      engines: ["x"],
    });
  });

  test("the environment beats the file, and flags beat both", () => {
    write({
      fs: "host",
      trust: "supervised",
      timeoutMs: 1,
      stateDir: "s",
      toolsets: ["a"],
    });
    const env = { WORKSPACE_FS_MODE: "overlay", HOTCELL_TRUST: "autonomous", HOTCELL_STATE_DIR: "e" };
    const given = { ...DEFAULTS, timeoutMs: 1 };
    expect(load({ ...NAMED, env })).toEqual({
      ...given,
      fs: "overlay",
      trust: "autonomous",
      stateDir: path.join(cwd, "e"),
      toolsets: ["a"],
    });
    const flags = { fs: "host", trust: "guided", stateDir: "f", toolset: ["mounts"] };
    expect(load({ ...NAMED, env, flags })).toEqual({
      ...given,
      fs: "host",
      trust: "guided",
      stateDir: path.join(cwd, "f"),
      toolsets: ["mounts"],
    });
  });

  test.each([
    [{ fs: "docker" }, `--fs: it is "docker"; ${MODES}`],
    [{ fs: "" }, `--fs: it is ""; ${MODES}`],
    [{ trust: "x" }, '--trust: it is "x"; allowed are "supervised", "guided", "autonomous"'],
    [{ toolset: ["a", "a"] }, '--toolset: it has "a" twice; give each value once'],
    [{ stateDir: "" }, '--state-dir: it is ""; allowed is text that is not empty'],
  ])("of flags that are wrong name the flag: %j", (flags, problem) => {
    expect(() => load({ flags })).toThrow(invalid(`Could not use ${problem}.`));
  });
});

describe("rules", () => {
  test("know their file and line, and those of flags come after them", () => {
    write(
      '{\n  "trust": "guided",\n  "rules": [\n    "ask *",\n\n    "allow read_file", "deny bash"\n  ]\n}\n',
    );
    expect(load({ ...NAMED, flags: { rule: ["allow time.now"] } }).rules).toEqual([
      { text: "ask *", source: "hotcell.config.json", line: 4 },
      { text: "allow read_file", source: "hotcell.config.json", line: 6 },
      { text: "deny bash", source: "hotcell.config.json", line: 6 },
      { text: "allow time.now", source: "--rule" },
    ]);
  });
});

describe("the user's own file", () => {
  const user = (settings: object, name = "user.json") => {
    fs.writeFileSync(path.join(cwd, name), JSON.stringify(settings));
    return { env: { HOTCELL_CONFIG: name } };
  };

  test("is at HOTCELL_CONFIG, else in XDG's directory, and need not be there", () => {
    expect(load({ env: { XDG_CONFIG_HOME: path.join(cwd, "none") } }).trust).toBe("guided");
    expect(load(user({ trust: "autonomous" })).trust).toBe("autonomous");
    fs.mkdirSync(path.join(cwd, "xdg/hotcell"), { recursive: true });
    user({ trust: "supervised", toolchains: ["py"] }, "xdg/hotcell/config.json");
    const { trust, toolchains } = load({ env: { XDG_CONFIG_HOME: path.join(cwd, "xdg") } });
    expect([trust, toolchains]).toEqual(["supervised", [path.join(cwd, "xdg/hotcell/py")]]);
    expect(() => load({ env: { HOTCELL_CONFIG: "nowhere.json" } })).toThrow(
      'Could not read the configuration "nowhere.json": there is no such file.',
    );
  });

  test("may loosen; a project's file only tightens it, and lists are joined", () => {
    const given = user({
      ...{
        trust: "autonomous",
        timeoutMs: 5000,
        approve: "calls",
        rules: ["allow write_file", "deny fs.write"],
      },
      limits: { processes: 20, memoryBytes: 2 ** 30 },
      protect: { secrets: ["a/**"], allow: ["b/**"] },
      toolchains: ["/opt/x"],
    });
    write({
      ...{ trust: "guided", timeoutMs: 9000, approve: "effects", rules: ["deny fs.write", "deny bash"] },
      limits: { processes: 10, memoryBytes: 2 ** 31 },
      protect: { secrets: ["c/**"] },
      userToolchains: false,
    });
    expect(load(given)).toMatchObject({
      ...{
        trust: "guided",
        timeoutMs: 5000,
        approve: "calls",
        userToolchains: false,
        toolchains: ["/opt/x"],
      },
      limits: { processes: 10, memoryBytes: 2 ** 30 },
      protect: { secrets: ["a/**", "c/**"], allow: ["b/**"] },
    });
    expect(load(given).rules.map(({ text }) => text)).toEqual([
      "allow write_file",
      "deny fs.write",
      "deny bash",
    ]);
    const named = load({ ...given, ...NAMED });
    expect([named.trust, named.timeoutMs, named.approve]).toEqual(["guided", 9000, "effects"]);
  });

  test("keeps its secrets if a named file has others", () => {
    write({ secrets: ["B"] });
    expect(load({ ...user({ secrets: ["A"] }), ...NAMED }).secrets).toEqual(["A", "B"]);
  });

  test("is below the environment and flags", () => {
    const { env } = user({ trust: "autonomous", toolsets: ["studio"] });
    const flags = { toolset: ["mounts"] };
    const { trust, toolsets } = load({ env: { ...env, HOTCELL_TRUST: "supervised" }, flags });
    expect([trust, toolsets]).toEqual(["supervised", ["mounts"]]);
  });
});

describe("the state directory", () => {
  test.each([
    [{ XDG_STATE_HOME: "/xdg" }, "/xdg/hotcell"],
    [{ XDG_STATE_HOME: "relative" }, "/home/u/.local/state/hotcell"],
    [{ XDG_STATE_HOME: "" }, "/home/u/.local/state/hotcell"],
    [{ XDG_STATE_HOME: "/xdg", HOTCELL_STATE_DIR: "/own" }, "/own"],
    [{ HOME: "" }, path.join(os.homedir(), ".local/state/hotcell")],
  ])("is found from the environment: %j", (env, stateDir) => {
    expect(load({ env }).stateDir).toBe(stateDir);
  });
});

describe("the file", () => {
  test("is the named file, or the one in the workspace", () => {
    fs.mkdirSync(path.join(cwd, "ws"));
    write({ trust: "supervised" }, "ws/hotcell.config.json");
    write({ trust: "autonomous" }, "mine.json");
    expect(load().trust).toBe("guided");
    expect(load({ workspace: "ws" }).trust).toBe("supervised");
    expect(load({ workspace: "ws", file: "mine.json" }).trust).toBe("autonomous");
  });

  test.each([
    [{ rules: ["deny bash", " allow write_file"] }, '" allow write_file"'],
    [{ trust: "autonomous" }, '"trust": "autonomous"'],
    [{ protect: { allow: [".env"] } }, '"protect.allow"'],
    [{ allowedPrivateHosts: ["localhost:1"] }, '"allowedPrivateHosts"'],
    [{ networkSets: { npm: ["evil.example:443"] } }, '"networkSets"'],
    [{ profiles: { codex: { program: "codex" } } }, '"profiles"'],
    [{ webSearch: { searxngUrl: "https://evil.example" } }, '"webSearch"'],
    [{ toolsets: ["sidecar", "web"] }, '"toolsets": ["web"]'],
    [{ toolsets: ["studio"] }, '"toolsets": ["studio"]'],
    [{ maxResponseBytes: 10 * 1024 * 1024 + 1 }, '"maxResponseBytes"'],
    [{ toolAllowDirectNetwork: true }, '"toolAllowDirectNetwork"'],
    [{ timeoutMs: 60_001 }, '"timeoutMs"'],
    [{ fs: "host" }, '"fs": "host"'],
    [{ stateDir: "/elsewhere" }, '"stateDir"'],
    [{ tools: [TOOL] }, '"tools"'],
    [{ tools: [{ ...TOOL, secrets: ["API_TOKEN"] }] }, '"tools"'],
    [{ allowedCommands: ["curl"] }, '"allowedCommands"'],
    [{ mounts: { home: { path: "/root" } } }, '"mounts"'],
    [{ storage: "/root" }, '"storage"'],
    [{ agents: { a: { maxReadBytes: 1_000_000 } } }, '"agents"'],
    [{ toolchains: ["/root"] }, '"toolchains"'],
    [{ env: ["AWS_SECRET_ACCESS_KEY"] }, '"env"'],
    [{ secrets: ["PWD"] }, '"secrets"'],
    [{ limits: { memoryBytes: 2 ** 36 } }, '"limits.memoryBytes"'],
  ])("that a hostile project brings along can't allow itself anything: %j", (file, found) => {
    write(file);
    const message = `Could not use hotcell.config.json: it belongs to the workspace, and it contains ${found}.`;
    expect(() => load()).toThrow(
      invalid(`${message} If you trust it, pass it explicitly: --config hotcell.config.json`),
    );
    expect(() => load(NAMED)).not.toThrow();
  });

  test("that a project brings along may make the policy stricter", () => {
    const rules = ["deny bash", "ask run_command(git push *)"];
    write({ rules, trust: "supervised", protect: { secrets: ["x"] }, limits: { processes: 64 } });
    expect(load().rules).toEqual([
      { text: rules[0], source: "hotcell.config.json", line: 3, ofProject: true },
      { text: rules[1], source: "hotcell.config.json", line: 4, ofProject: true },
    ]);
  });

  test("that is named must be there", () => {
    expect(() => load({ file: "mine.json" })).toThrow(
      invalid('Could not read the configuration "mine.json": there is no such file.'),
    );
  });

  test.each([
    [{ toolRuntime: "docker" }, '"toolRuntime" at line 2 is "docker"; allowed are "builtin", "wasm"'],
    [
      { trust: "guided", timeoutMs: "60" },
      '"timeoutMs" at line 3 is "60"; allowed are whole numbers from 1 to 2147483647',
    ],
    [
      { toolAllowDirectNetwork: "true" },
      '"toolAllowDirectNetwork" at line 2 is "true"; allowed are true, false',
    ],
    [{ rules: "ask *" }, '"rules" at line 2 is "ask *"; allowed is a list of 0 to 1000'],
    [{ rules: ["ask *", 1] }, '"rules[1]" at line 4 is 1; allowed is text that is not empty'],
    [{ protect: { secret: [] } }, '"protect.secret" at line 3 is no setting; perhaps "secrets"'],
    [{ timeoutMS: 1 }, '"timeoutMS" at line 2 is no setting; perhaps "timeoutMs"'],
    [
      { constructor: 1 },
      expect.stringContaining('"constructor" at line 2 is no setting; the settings are "$schema",'),
    ],
    [{ tools: [{ name: "x" }] }, '"tools[0]" at line 3 has no "type"; give it one'],
    [
      { tools: [{ type: "shell" }] },
      '"tools[0].type" at line 4 is "shell"; allowed are "command", "inline", "http", "wasm", "js"',
    ],
    [
      { tools: [{ ...TOOL, script: "ls" }] },
      expect.stringContaining('"tools[0].script" at line 8 is no setting; '),
    ],
    [
      { tools: [{ name: "x", type: "inline", description: "X.", interpreter: "cobol", script: "x" }] },
      '"tools[0].interpreter" at line 7 is "cobol"; allowed are "python3", "python", "node", "bash", "sh", "perl", "ruby"',
    ],
    [
      { tools: [{ ...TOOL, secrets: { A: "value" } }] },
      '"tools[0].secrets" at line 8 is an object; allowed is a list of 0 to 1000',
    ],
    [
      { limits: { memoryBytes: 1 } },
      '"limits.memoryBytes" at line 3 is 1; allowed are whole numbers from 16777216 to 9007199254740991',
    ],
    [
      { limits: { processes: 1e300 } },
      '"limits.processes" at line 3 is 1e+300; allowed are whole numbers from 8 to 4194304',
    ],
    [{ env: ["A=B"] }, '"env[0]" at line 3 is "A=B"; allowed is text that fits ^[^=]+$'],
    [[], "it at line 1 is an array of 0; allowed is an object"],
  ])(
    "that says something wrong is refused with key, line, value and what is allowed: %j",
    (file, problem) => {
      write(file);
      const message =
        typeof problem === "string" ? `Could not use "hotcell.config.json": ${problem}.` : problem;
      expect(() => load()).toThrow(invalid(message));
    },
  );

  test("may begin with a byte order mark", () => {
    write('\ufeff{"trust": "supervised"}');
    expect(load().trust).toBe("supervised");
  });

  test("that is no UTF-8 is refused", () => {
    fs.writeFileSync(path.join(cwd, "hotcell.config.json"), Buffer.from([0x22, 0xff, 0x22]));
    expect(() => load()).toThrow(
      invalid(
        'Could not read the configuration "hotcell.config.json": it is not UTF-8 text. Save it as UTF-8.',
      ),
    );
  });

  test("that is a directory or a device is refused", () => {
    const message = (name: string) =>
      `Could not read the configuration "${name}": it is not a regular file. Give a file.`;
    expect(() => load({ file: "." })).toThrow(invalid(message(".")));
    expect(() => load({ file: "/dev/zero" })).toThrow(invalid(message("/dev/zero")));
  });

  test("above 1 MiB is refused, and of 1 MiB is read", () => {
    write(`{}${" ".repeat(1024 * 1024 - 2)}`);
    expect(load()).toEqual(DEFAULTS);
    write(`{}${" ".repeat(1024 * 1024 - 1)}`);
    expect(() => load()).toThrow(
      invalid(
        'Could not read the configuration "hotcell.config.json": it is larger than 1048576 bytes. Give a smaller file.',
      ),
    );
  });
});

describe("crash-032: a file that breaks fails closed", () => {
  const RULES = '{"rules": ["deny write_file"], "trust": "supervised"}';
  const changed =
    'Could not read the configuration "hotcell.config.json": it changed during the read. Try again when its writer has finished.';

  test("at whatever byte it was cut off, nothing is loaded", () => {
    for (let length = 0; length < RULES.length; length++) {
      write(RULES.slice(0, length));
      expect(() => load(), `${length} bytes`).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
    }
  });

  /** Does something to the file after its first bytes were read. */
  const duringRead = (change: () => void) => {
    const { readSync } = fs;
    const read = (fd: number, buffer: Buffer, offset: number, length: number, position: number) =>
      readSync(fd, buffer, offset, Math.min(length, 8), position);
    vi.spyOn(fs, "readSync")
      .mockImplementation(read as typeof fs.readSync)
      .mockImplementationOnce(((...args: Parameters<typeof read>) => {
        const count = read(...args);
        change();
        return count;
      }) as typeof fs.readSync);
  };

  test.each([
    ["truncated", ""],
    ["overwritten by as many bytes", '{"trust": "supervised", "rules": ["deny write_file"]}'],
    ["made longer", `${RULES}    `],
    ["made shorter", "{}"],
  ])("when it is %s meanwhile, nothing is loaded", (_, text) => {
    write(RULES);
    duringRead(() => write(text));
    expect(() => load()).toThrow(invalid(changed));
  });

  test("when another takes its place meanwhile, the one that was opened counts as a whole", () => {
    write(RULES);
    duringRead(() => {
      write("{}", "new.json");
      fs.renameSync(path.join(cwd, "new.json"), path.join(cwd, "hotcell.config.json"));
    });
    expect(load()).toEqual({
      ...DEFAULTS,
      trust: "supervised",
      rules: [{ text: "deny write_file", source: "hotcell.config.json", line: 1, ofProject: true }],
    });
  });

  test("what was loaded before stays as it was, and can't be changed", () => {
    write(RULES);
    const config = load();
    const before = structuredClone(config);
    write('{"trust": "autonomous"}');
    expect(config).toEqual(before);
    const targets = [
      config,
      config.rules,
      config.rules[0]!,
      config.toolsets,
      config.protect,
      config.protect.allow,
    ];
    expect(targets.map((target) => Reflect.set(target, "0", "x"))).toEqual(targets.map(() => false));
  });
});
