import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openCliWorld as openWorld } from "../../../test/kit/worlds/cli-world.ts";

const WRITE = ["call", "write_file", '{"path":"b.txt","content":"x"}', "--fs", "host"];
const SEVEN = [
  "read_file",
  "edit_file",
  "write_file",
  "list_directory",
  "find_files",
  "search_files",
  "run_command",
];
const OF_SESSIONS = "create fork shell list show diff commit revert recover rewind discard gc".split(" ");
const COMMANDS = [
  ["call", "tools", "exec", "run", "doctor", "session", ...OF_SESSIONS.map((name) => `session ${name}`)],
  ["audit", "audit show", "audit verify", "policy", "policy explain", "policy test", ""],
].flat();

describe("hotcell call", () => {
  test("prints the observation, indented for people and as one compact document for programs", async () => {
    const { run } = openWorld({ "a.txt": "hi\n" });
    const people = await run(["call", "read_file", '{"path":"a.txt"}']);
    const programs = await run(["call", "read_file", '{"path":"a.txt"}', "--json"]);
    expect([people.code, programs.code]).toEqual([0, 0]);
    expect(programs.out.trimEnd().split("\n").length).toBe(1);
    expect(JSON.parse(people.out).output).toEqual(JSON.parse(programs.out).output);
    expect(Object.keys(JSON.parse(programs.out))).toEqual(["success", "tool", "output", "error", "meta"]);
  });

  test("reads arguments from standard input with -", async () => {
    const { run } = openWorld({ "a.txt": "hi\n" });
    const { code, out } = await run(["call", "read_file", "-", "--json"], {
      readStdin: async () => Buffer.from('{"path":"a.txt"}\n'),
    });
    expect([code, JSON.parse(out).output.content]).toEqual([0, "1\thi"]);
  });

  test("works on another workspace with --workspace", async () => {
    const { run, root } = openWorld({ "a.txt": "hi\n" });
    expect(
      (await run(["call", "read_file", '{"path":"a.txt"}', "--workspace", root], { cwd: "/" })).code,
    ).toBe(0);
  });

  test("keeps the values of the variables in secrets out of the log", async () => {
    const { run, root, stateDir } = openWorld({ "hotcell.json": '{ "secrets": ["MYTOK", "UNSET"] }' });
    const env = { HOTCELL_STATE_DIR: stateDir, HOME: root, MYTOK: "m0untain" };
    const args = JSON.stringify({ path: "b.txt", content: "tok m0untain\n" });
    const write = ["call", "write_file", args, "--fs", "host", "--rule", "allow write_file"];
    const logged = async (...flags: string[]) => {
      expect((await run([...write, ...flags], { env })).code).toBe(0);
      return (await run(["audit", "show", "--json"], { env })).out.includes("m0untain");
    };
    expect(await logged("--config", "hotcell.json")).toBe(false);
    expect(fs.readFileSync(path.join(root, "b.txt"), "utf8")).toBe("tok m0untain\n");
    expect(await logged()).toBe(true);
  });

  test("exits 1 when the tool fails, with the same shape", async () => {
    const { run } = openWorld();
    const { code, out } = await run(["call", "read_file", '{"path":"no"}', "--json"]);
    expect([code, JSON.parse(out).error.code]).toEqual([1, "NOT_FOUND"]);
  });

  test("without a terminal an ask is a denial that says which flag would allow it, and that flag does", async () => {
    const { run, root } = openWorld();
    const denied = await run([...WRITE, "--json"]);
    const message = JSON.parse(denied.out).error.message as string;
    expect([denied.code, fs.readdirSync(root)]).toEqual([1, []]);
    const [, rule] = /--rule '([^']+)'/.exec(message)!;
    expect((await run([...WRITE, "--rule", rule!])).code).toBe(0);
    expect(fs.readFileSync(path.join(root, "b.txt"), "utf8")).toBe("x");
  });

  test.each([
    ["y", 0, ["b.txt"]],
    ["yes", 0, ["b.txt"]],
    ["n", 1, []],
    ["", 1, []],
    ["yup", 1, []],
  ])("in a terminal asks, showing what will run; the answer %j", async (answer, exit, files) => {
    const { run, root } = openWorld();
    const questions: string[] = [];
    const ask = async (question: string) => {
      questions.push(question);
      return answer;
    };
    const { code, err } = await run([...WRITE, "--json"], { interactive: true, ask });
    expect([code, questions, fs.readdirSync(root)]).toEqual([
      exit,
      [expect.stringMatching(/^Run it\? /)],
      files,
    ]);
    expect(err).toContain("+++ b.txt");
  });

  test("shows arguments that try to hide from the person as what they are", async () => {
    const { run } = openWorld();
    const args = JSON.stringify({
      path: "a\u202egnp.exe",
      content: "\u001b[2K\u001b[1Anothing to see\u200b",
    });
    const { err } = await run(["call", "write_file", args, "--fs", "host"], { interactive: true });
    expect(err).toContain("\\u{202e}");
    expect(err).not.toMatch(/[\u001b\u202e\u200b]/);
  });

  test.each([
    ["--trust", "x", 'it is "x"; allowed are "supervised", "guided", "autonomous"'],
    ["--fs", "docker", 'it is "docker"; allowed are "host", "overlay", "agentfs"'],
    ["--session", "none", 'There is no session "none"'],
    ["--strategy", "fuse", '--strategy is "fuse"; allowed are kernel, clone.'],
    ["--toolset", "nope", 'allowed are "coding"'],
    ["--rule", "allow raed_file", 'perhaps "read_file"'],
    ["--workspace", "nowhere", "there is no such directory"],
    ["--config", "none.json", "there is no such file"],
  ])(
    "%s %s is exit 2, names what is allowed, and is one document with --json",
    async (flag, value, message) => {
      const { run } = openWorld();
      const { code, out, err } = await run(["call", "time.now", flag, value, "--json"]);
      expect(code).toBe(2);
      expect(err).toContain(message);
      expect(JSON.parse(out).error.message).toContain(message);
    },
  );

  test.each([
    ["TOOL_RUNTIME", "docker", '"builtin", "wasm"'],
    ["TOOL_MEMORY_MB", "much", "whole numbers"],
    ["WORKSPACE_FS_MODE", "docker", 'allowed are "host", "overlay", "agentfs"'],
    ["TOOL_TIMEOUT_SECS", "soon", "whole numbers"],
    ["TOOL_ALLOW_DIRECT_NETWORK", "yes", "allowed are true, false"],
  ])("%s=%s in the environment is exit 2", async (name, value, message) => {
    const { run, root } = openWorld();
    const env = { HOTCELL_STATE_DIR: `${root}-state`, [name]: value };
    const { code, err } = await run(["call", "time.now"], { env });
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });

  describe.each([
    ["tools"],
    ["policy explain web_search {}"],
    ["serve --port 0"],
    ["mcp"],
    ["mcp --http"],
    ["exec true"],
  ])("hotcell %s", (command) => {
    test.each([
      [{ allowedPrivateHosts: ["a.test:80", "http://b.test"] }, 'allowedPrivateHosts[1] is "http://b.test"'],
      [{ webSearch: { searxngUrl: "localhost:8080" } }, '(SEARXNG_URL) is "localhost:8080"'],
      [{ networkSets: { work: ["https://x.test/y"] } }, 'write "network(x.test:443)"'],
    ])("with %j is exit 2 at the start", async (config, message) => {
      const { run } = openWorld({ "c.json": JSON.stringify(config) });
      const { code, err } = await run([...command.split(" "), "--toolset", "web", "--config", "c.json"]);
      expect([code, err]).toEqual([2, expect.stringContaining(message)]);
    });
  });

  test("exec offers no --json, for what it prints is the command's, and refuses it", async () => {
    const { run } = openWorld();
    expect((await run(["exec", "--help"])).out).not.toContain("--json");
    expect(await run(["exec", "--json", "--", "true"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("unknown option '--json'"),
    });
  });

  test("a configuration with a toolchain that is not there is exit 2, before anything runs", async () => {
    const { run, root } = openWorld({ "c.json": '{"toolchains":["py"]}' });
    expect(await run(["call", "time.now", "--config", "c.json"])).toMatchObject({
      code: 2,
      err: expect.stringContaining(`toolchains[0] is "${root}/py"; allowed is the whole path of a directory`),
    });
  });

  test("a state directory inside the workspace is exit 2 and says what to set", async () => {
    const { run } = openWorld();
    const { code, err } = await run(["call", "time.now", "--state-dir", "state"]);
    expect([code, err]).toEqual([2, expect.stringContaining("Set HOTCELL_STATE_DIR")]);
  });
});

describe("hotcell tools", () => {
  test("lists the tools, and prints their definitions for each wire", async () => {
    const { run } = openWorld();
    const listed = (await run(["tools"])).out
      .trimEnd()
      .split("\n")
      .map((line) => line.split(" ")[0]);
    expect(listed).toEqual(SEVEN);
    const names = async (format: string, pick: (definition: never) => string) =>
      JSON.parse((await run(["tools", "--format", format])).out).map(pick);
    expect(await names("openai", (tool: { function: { name: string } }) => tool.function.name)).toEqual(
      listed,
    );
    expect(await names("ollama", (tool: { function: { name: string } }) => tool.function.name)).toEqual(
      listed,
    );
    expect(await names("anthropic", (tool: { name: string; input_schema: object }) => tool.name)).toEqual(
      listed,
    );
    expect(await names("mcp", (tool: { name: string; inputSchema: object }) => tool.name)).toEqual(listed);
  });

  test("the description of run_command names network rules of the project's own configuration as such", async () => {
    const rules = ["ask network(*.b.test:443)", "ask network(c.test:443)"];
    const { run } = openWorld({ "hotcell.config.json": JSON.stringify({ rules }) });
    const described = async (...flags: string[]) =>
      (await run(["tools", ...flags])).out.split("\n").find((line) => line.startsWith("run_command"));
    expect(await described()).toContain("there is no network and no input");
    expect(
      await described("--rule", "allow network(*.b.test:*)", "--rule", "ask network(d.test:1)"),
    ).toContain(
      "the network reaches *.b.test:*, d.test:1 (asks) only (the project's own rules ask before *.b.test:443, c.test:443) and no input",
    );
  });

  test("a format that is none is exit 2", async () => {
    expect(await openWorld().run(["tools", "--format", "xml"])).toMatchObject({ code: 2, out: "" });
  });
});

describe("hotcell policy", () => {
  test("explain names the decision, the rule, its file and its line", async () => {
    const { run, root } = openWorld({
      "hotcell.config.json": '{\n  "rules": [\n    "deny write_file(vendor/**)"\n  ]\n}\n',
    });
    fs.mkdirSync(path.join(root, "vendor"));
    const { code, out } = await run(["policy", "explain", "write_file", '{"path":"vendor/a","content":""}']);
    expect([code, out]).toEqual([
      0,
      `deny
  The rule "deny write_file(vendor/**)" at hotcell.config.json:3 denies this call.
  rule: deny write_file(vendor/**) (hotcell.config.json:3)
`,
    ]);
  });

  test("explain knows protected paths, the built-in deny list and trust", async () => {
    const { run } = openWorld();
    const decision = async (tool: string, args: object, ...flags: string[]) =>
      JSON.parse((await run(["policy", "explain", tool, JSON.stringify(args), "--json", ...flags])).out)
        .decision;
    expect(await decision("read_file", { path: ".env" })).toBe("deny");
    expect(await decision("read_file", { path: "../x" })).toBe("deny");
    expect(await decision("run_command", { command: "sudo ls" }, "--trust", "autonomous")).toBe("deny");
    expect(await decision("run_command", { command: "sudo ls" }, "--rule", "allow run_command(sudo *)")).toBe(
      "allow",
    );
    expect(await decision("write_file", { path: "a", content: "" })).toBe("allow");
    expect(await decision("write_file", { path: "a", content: "" }, "--fs", "host")).toBe("ask");
    expect(await decision("write_file", { path: "a", content: "" }, "--trust", "supervised")).toBe("ask");
    expect(await decision("read_file", { path: "a" })).toBe("allow");
  });

  test("explain runs and logs nothing", async () => {
    const { run, root } = openWorld();
    await run(["policy", "explain", "write_file", '{"path":"a","content":""}', "--trust", "autonomous"]);
    expect(fs.readdirSync(root)).toEqual([]);
    expect(JSON.parse((await run(["audit", "show", "--json"])).out)).toEqual([]);
  });

  test("test runs a file of expected decisions: exit 0 when all hold, 1 with each that does not", async () => {
    const tests = [
      { tool: "write_file", arguments: { path: "src/a", content: "" }, expect: "allow" },
      { tool: "read_file", arguments: { path: ".env" }, expect: "deny" },
    ];
    const file = (entries: object[]) =>
      JSON.stringify({ rules: ["allow write_file(src/**)"], tests: entries });
    const { run } = openWorld({
      "good.json": file(tests),
      "bad.json": file([...tests, { tool: "time.now", expect: "deny" }]),
    });
    expect(await run(["policy", "test", "good.json"])).toEqual({ code: 0, out: "2 of 2 hold\n", err: "" });
    const bad = await run(["policy", "test", "bad.json"]);
    expect([bad.code, bad.out]).toEqual([
      1,
      'FAILED time.now {}: expected deny, got allow by "trust level guided"\n2 of 3 hold\n',
    ]);
  });

  test("takes approve and protect from the file", async () => {
    const write = { tool: "write_file", arguments: { path: "a.key", content: "" } };
    const file = (settings: object, expect: string) =>
      JSON.stringify({ ...settings, tests: [{ ...write, expect }] });
    const { run } = openWorld({
      "session.json": file({ protect: { allow: ["*.key"] } }, "allow"),
      "calls.json": file({ protect: { allow: ["*.key"] }, approve: "calls" }, "ask"),
      "secret.json": file({ protect: { secrets: ["*.key"] } }, "deny"),
    });
    for (const name of ["session", "calls", "secret"])
      expect(await run(["policy", "test", `${name}.json`])).toMatchObject({ code: 0, out: "1 of 1 hold\n" });
  });
});

describe("hotcell audit", () => {
  test("shows what was called and verifies the chain; after an edit it says where", async () => {
    const { run, root } = openWorld({ "a.txt": "hi\n" });
    await run(["call", "read_file", '{"path":"a.txt"}', "--fs", "host"]);
    await run(["call", "read_file", '{"path":"../x"}', "--fs", "host"]);
    const shown = JSON.parse((await run(["audit", "show", "--json"])).out) as {
      kind: string;
      log: string;
      why?: string;
    }[];
    expect(shown.map(({ kind, why }) => [kind, why])).toEqual([
      ["tool.intent", undefined],
      ["tool.exec", undefined],
      ["tool.exec", "denied"],
    ]);
    expect((await run(["audit", "show"])).out).toContain("PATH_OUTSIDE_WORKSPACE");
    const log = shown[0]!.log;
    expect(await run(["audit", "verify"])).toMatchObject({
      code: 0,
      out: expect.stringContaining("intact: 3 records"),
    });
    const text = fs.readFileSync(log, "utf8");
    fs.writeFileSync(log, text.replace("../x", "../y"));
    expect(await run(["audit", "verify", "--log", path.relative(root, log)])).toMatchObject({
      code: 1,
      out: expect.stringMatching(/BROKEN \(edited\) at execution\.jsonl:3/),
    });
    fs.writeFileSync(log, text.slice(0, text.lastIndexOf('{"seq":3')));
    expect(await run(["audit", "verify"])).toMatchObject({
      code: 1,
      out: expect.stringContaining("truncated"),
    });
  });
});

describe("the command line", () => {
  test.each([
    [["nope"], "unknown command 'nope'. Run hotcell --help for the commands.\n"],
    [["audit", "verfy"], "unknown command 'verfy' (Did you mean verify?)\n"],
    [["call"], "missing required argument 'tool'"],
    [["call", "time.now", "--nope"], "unknown option '--nope'"],
    [["call", "time.now", "{}", "more"], "too many arguments"],
    [["call", "time.now", "--session", "last", "--strategy", "clone"], "Omit one of them"],
  ])("%j is exit 2 and says what is wrong", async (args, message) => {
    expect(await openWorld().run(args)).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringContaining(message),
    });
  });

  test.each([
    [[]],
    [["policy"]],
    [["--help"]],
    [["call", "--help"]],
    [["policy", "--help"]],
    [["audit", "verify", "--help"]],
  ])("%j is exit 0 and goes to standard output", async (args) => {
    expect(await openWorld().run(args)).toMatchObject({
      code: 0,
      out: expect.stringContaining("Usage: hotcell"),
      err: "",
    });
  });

  test.each(COMMANDS)(
    "the help of %j has one line for each command and option, with a capital and without a full stop",
    async (name) => {
      const { out } = await openWorld().run([...name.split(" "), "--help"].filter((word) => word !== ""));
      const lines = out.split("\n").filter((line) => line.startsWith("  ") && !line.startsWith("  hotcell "));
      expect(lines.filter((line) => !/^ {2}\S.* {2}[A-Z].*[^.]$/.test(line))).toEqual([]);
      expect(lines.length).toBeGreaterThan(0);
    },
  );
});
