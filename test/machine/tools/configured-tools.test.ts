// Configured tools in the shield: what they are given, what they can't be made to do, and what is seen of them.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { CellOptions } from "../../../src/cell.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import { type CommandToolOptions, commandTool } from "../../../src/tools/configured/command-tool.ts";
import { type InlineToolOptions, inlineTool } from "../../../src/tools/configured/inline-tool.ts";
import type { Tool } from "../../../src/tools/define-tool.ts";
import { openTempCell, type TempCell } from "../../kit/worlds/temp-cell.ts";

const SECRET = "s3cret-7f1c-value";
const TEXT = { type: "object", properties: { text: { type: "string" } }, additionalProperties: false };

/** A command tool whose program is allowed. */
const command = (name: string, options: Partial<CommandToolOptions> = {}): Tool =>
  commandTool({
    name: "tool",
    description: "Runs.",
    command: name,
    parameters: TEXT,
    allowedCommands: [name],
    ...options,
  });
const inline = (
  interpreter: InlineToolOptions["interpreter"],
  script: string,
  options: Partial<InlineToolOptions> = {},
): Tool =>
  inlineTool({ name: "tool", description: "Runs.", interpreter, script, parameters: TEXT, ...options });

const open = (tool: Tool, files: Readonly<Record<string, string>> = {}, options: Partial<CellOptions> = {}) =>
  openTempCell({ tools: [tool], trust: "autonomous", ...options }, files);

async function output({ cell }: TempCell, args: JsonObject = {}, name = "tool"): Promise<JsonObject> {
  const { output, error } = await cell.call({ name, arguments: args });
  expect(error).toBeNull();
  return output!;
}

/** The same in a shell: the control of what could have happened. */
const inShell = (world: TempCell, line: string) => output(world, { command: line }, "run_command");

function plant(root: string, name: string, text: string): void {
  fs.writeFileSync(path.join(root, name), text, { mode: 0o755 });
}

test.each([
  ["a command tool", command("true")],
  ["an inline tool", inline("node", "1")],
])("at trust guided %s asks, also in a session, where run_command need not", async (_, tool) => {
  const asked: string[] = [];
  const onAsk = ({ tool: name }: { readonly tool: string }) => {
    asked.push(name);
    return false;
  };
  const options = { trust: "guided", fs: "overlay", onAsk } as const;
  const { cell } = await open(tool, {}, options);
  const control = await cell.call({ name: "run_command", arguments: { command: "true" } });
  expect([control.meta.outcome, asked]).toEqual(["executed_ok", []]);
  const { error, meta } = await cell.call({ name: "tool", arguments: {} });
  expect([error?.code, meta.outcome, asked]).toEqual(["DENIED", "not_executed", ["tool"]]);
});

describe("003 a configured tool runs in the shield", () => {
  test("a command tool is a program of the system on the project's files", async () => {
    const tool = command("wc", { args: ["-l", "--", "{{text}}"] });
    const { cell } = await open(tool, { "-a b": "1\n2\n" });
    const { meta, ...observation } = await cell.call({ name: "tool", arguments: { text: "-a b" } });
    expect(observation).toEqual({
      success: true,
      tool: "tool",
      output: {
        exit_code: 0,
        signal: null,
        stdout: "2 -a b\n",
        stderr: "",
        duration_ms: expect.any(Number),
        timed_out: false,
        termination: null,
        truncated: false,
      },
      error: null,
    });
    expect(meta).toMatchObject({ outcome: "executed_ok", isolation: "full" });
  });

  test.each([
    ["python3", "import json, sys; print(json.loads(sys.argv[1])['text'])"],
    ["node", "console.log(JSON.parse(process.argv[1]).text)"],
    ["perl", "use JSON::PP; binmode STDOUT, ':utf8'; print decode_json($ARGV[0])->{text}, qq(\\n)"],
  ] as const)("an inline tool is a script with the call's arguments: %s", async (interpreter, script) => {
    const world = await open(inline(interpreter, script));
    const text = `it's "é" -x $HOME`;
    expect(await output(world, { text })).toMatchObject({ exit_code: 0, stdout: `${text}\n`, stderr: "" });
  });

  test.each(["bash", "sh"] as const)(
    "an inline tool is a script with the call's arguments: %s",
    async (interpreter) => {
      const world = await open(inline(interpreter, 'echo "$0 $# $1"; exit 3'));
      expect(await output(world, { text: "$(id)" })).toMatchObject({
        exit_code: 3,
        stdout: 'tool 1 {"text":"$(id)"}\n',
      });
    },
  );

  test("in a session what it changed is known, and the project is left alone", async () => {
    const tool = command("touch", { args: ["{{text}}"] });
    const { cell, root } = await open(tool, {}, { fs: "overlay" });
    const { meta } = await cell.call({ name: "tool", arguments: { text: "new" } });
    expect(meta.changes).toMatchObject({ count: 1, paths: ["new"] });
    expect(fs.readdirSync(root)).toEqual([]);
  });

  test.each(["host", "overlay"] as const)("one that only reads can't write: %s", async (mode) => {
    const args = ["{{text}}"];
    const reading = command("touch", { args, effect: "read" });
    const changing = command("touch", { args, name: "control" });
    const world = await open(reading, { a: "" }, { tools: [reading, changing], fs: mode });
    expect(await output(world, { text: "new" }, "control")).toMatchObject({ exit_code: 0 });
    expect(await output(world, { text: "newer" })).toMatchObject({
      exit_code: 1,
      stderr: expect.stringContaining("Read-only file system"),
    });
  });

  test("its own time limit ends it, and what it wrote is kept", async () => {
    const { cell } = await open(inline("bash", "echo begun; sleep 100", { timeoutMs: 500 }));
    const { output: kept, error } = await cell.call({ name: "tool" });
    expect(error).toMatchObject({ code: "TIMEOUT" });
    expect(kept).toMatchObject({ stdout: "begun\n", timed_out: true, termination: "timeout" });
  });

  test("secrets of the project are not there for it", async () => {
    const tool = command("cat", { args: ["{{text}}"] });
    const world = await open(tool, { ".env": "KEY=canary", "plain.txt": "canary" });
    expect(await output(world, { text: "plain.txt" })).toMatchObject({ stdout: "canary" });
    expect(JSON.stringify(await output(world, { text: ".env" }))).not.toContain("canary");
  });
});

describe("003 the allowlist in a cell", () => {
  test("a binary that is not in it is refused before anybody is asked, and nothing runs", async () => {
    const asked: string[] = [];
    const { cell, records } = await open(
      command("touch", { args: ["new"], allowedCommands: ["ls"] }),
      {},
      {
        trust: "supervised",
        onAsk: async ({ tool, digest }) => {
          asked.push(tool);
          return { approved: true, digest };
        },
      },
    );
    const { error, meta } = await cell.call({ name: "tool" });
    expect(error).toEqual({ code: "COMMAND_BLOCKED", message: 'binary "touch" not in allowlist' });
    expect(meta).toMatchObject({ outcome: "not_executed", why: "denied" });
    expect(asked).toEqual([]);
    expect(records().map(({ kind }) => kind)).toEqual(["tool.exec"]);
  });

  test("rules name a configured tool like any other", async () => {
    const { cell } = await open(command("true"), {}, { rules: ["deny tool"] });
    expect((await cell.call({ name: "tool" })).error?.code).toBe("DENIED");
  });
});

describe("003 safe environment", () => {
  const secrets = { API_TOKEN: SECRET };
  const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

  test.each([
    ["command", command("env", { secrets })],
    ["inline", inline("perl", 'print "$_=$ENV{$_}\\n" for sort keys %ENV', { secrets })],
  ])("is exactly PATH, HOME and the configured secrets: %s", async (_, tool) => {
    const world = await open(tool, {}, { env: { FOR_ALL: "x" } });
    const { stdout } = await output(world);
    expect(String(stdout).trim().split("\n").sort()).toEqual([
      "API_TOKEN=[redacted]",
      `HOME=${os.homedir()}`,
      `PATH=${PATH}`,
    ]);
    const others = String((await inShell(world, "env")).stdout);
    expect(others).toContain("FOR_ALL=x");
    expect(others).not.toContain("API_TOKEN");
  });

  test("out-050: a secret's value reaches the tool, and neither the log nor the observation", async () => {
    const script = 'echo "$API_TOKEN"; echo "$API_TOKEN" >&2; echo "${#API_TOKEN}"';
    const world = await open(inline("bash", script, { secrets }));
    const observation = await world.cell.call({ name: "tool" });
    expect(observation.output).toMatchObject({
      stdout: `[redacted]\n${SECRET.length}\n`,
      stderr: "[redacted]\n",
    });
    expect(JSON.stringify(observation)).not.toContain(SECRET);
    expect(world.records().length).toBe(2);
    expect(fs.readFileSync(world.cell.logFile, "utf8")).not.toContain(SECRET);
  });
});

describe("a project can't put its own program in the place of the system's", () => {
  const PLANTED = "#!/bin/sh\necho planted\n";

  test("by its name, by a search path, or by what the cell's commands have as PATH", async () => {
    const before = process.env.PATH;
    const tool = command("wc", { args: ["-l", "a"] });
    const world = await open(tool, { a: "1\n" });
    plant(world.root, "wc", PLANTED);
    const own = await openTempCell({
      workspace: world.root,
      tools: [tool],
      trust: "autonomous",
      env: { PATH: `${world.root}:/usr/bin:/bin` },
    });
    process.env.PATH = `.:${world.root}:${before}`;
    try {
      expect((await inShell(own, "wc -l a")).stdout).toBe("planted\n");
      expect((await output(own)).stdout).toBe("1 a\n");
    } finally {
      process.env.PATH = before;
    }
  });

  test("nor a module that a script imports", async () => {
    const world = await open(inline("python3", "import json; print(json.loads('1'))"));
    plant(world.root, "json.py", "print('planted')\ndef loads(x): return x\n");
    expect((await inShell(world, "/usr/bin/python3 -c 'import json'")).stdout).toBe("planted\n");
    expect((await output(world)).stdout).toBe("1\n");
  });

  test("nor a start-up file in the home that commands of the cell can write", async () => {
    const tool = command("git", { args: ["config", "--get", "user.name"] });
    const world = await open(tool);
    const control = "git config --global user.name planted; git config --get user.name";
    expect((await inShell(world, control)).stdout).toBe("planted\n");
    expect((await output(world)).stdout).toBe("");
  });
});

describe("what a call gives stays data", () => {
  const tool = command("printf", { args: ["%s|", "{{text}}", "x={{text}}"] });

  test.each([
    "; touch pwned",
    "$(touch pwned)",
    "`touch pwned`",
    "a\ntouch pwned\n",
    "' ; touch pwned; '",
    "& touch pwned &",
    "> pwned",
    "*",
    "{{text}}",
    "%s%n",
    "a  b",
    "\u001b[31m",
    "é\u{1f600}",
  ])("%j", async (text) => {
    const world = await open(tool, { a: "" });
    expect((await output(world, { text })).stdout).toBe(`${text}|x=${text}|`);
    expect(fs.readdirSync(world.root)).toEqual(["a"]);
  });

  test("control: a shell would have obeyed", async () => {
    const world = await open(tool);
    await inShell(world, "printf %s ; touch pwned");
    expect(fs.readdirSync(world.root)).toEqual(["pwned"]);
  });

  test.each([
    ["-v", 'begins with "-"'],
    ["--output=pwned", 'begins with "-"'],
    ["a\0b", "its arguments contain a NUL"],
  ])("%j is refused, and nothing runs", async (text, why) => {
    const { cell } = await open(tool);
    const { error, meta } = await cell.call({ name: "tool", arguments: { text } });
    expect(error).toMatchObject({ code: "INVALID_ARGUMENTS", message: expect.stringContaining(why) });
    expect(meta).toMatchObject({ outcome: "not_executed", why: "invalid_args" });
  });
});
