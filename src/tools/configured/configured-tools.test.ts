// Configured tools without a shield: what they would run, and what they show of it.
import os from "node:os";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { LIMITS } from "../../core/limits.ts";
import { DEFAULT_LIMITS } from "../../shield/process/limits.ts";
import type { CommandRequest, CommandResult, Commands } from "../commands.ts";
import type { Kit, Tool } from "../define-tool.ts";
import { type CommandToolOptions, commandTool } from "./command-tool.ts";
import { type InlineToolOptions, inlineTool } from "./inline-tool.ts";

const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const PATH_PARAMETER = {
  type: "object",
  properties: { path: { type: "string" } },
  required: ["path"],
  additionalProperties: false,
};

const list = (options: Partial<CommandToolOptions> = {}): Tool =>
  commandTool({
    name: "list",
    description: "Lists.",
    command: "ls",
    args: ["-l", "--", "{{path}}"],
    parameters: PATH_PARAMETER,
    allowedCommands: ["ls"],
    ...options,
  });
const inline = (options: Partial<InlineToolOptions> = {}): Tool =>
  inlineTool({ name: "add", description: "Adds.", interpreter: "sh", script: "echo", ...options });

const ENDED: CommandResult = {
  exitCode: 0,
  signal: null,
  termination: null,
  exceeded: null,
  durationMs: 1.6,
  stdout: "out",
  stderr: "err",
  truncated: false,
  artifact: null,
  notes: [],
  limits: DEFAULT_LIMITS,
  refusedHosts: [],
};

/** Runs it where nothing is run: gives what was asked for, and what the tool made of the end. */
async function run(tool: Tool, args: JsonObject, end: Partial<CommandResult> = {}) {
  const requests: CommandRequest[] = [];
  const commands = {
    run: async (request: CommandRequest) => {
      requests.push(request);
      return { ...ENDED, ...end };
    },
  } as Partial<Commands> as Commands;
  const kit: Kit = {
    commands,
    http: {} as Kit["http"],
    search: {} as Kit["search"],
    guests: {} as Kit["guests"],
    model: {} as Kit["model"],
    workspace: { root: "/project" } as Kit["workspace"],
    session: {} as Kit["session"],
    kv: {} as Kit["kv"],
    clock: () => new Date(0),
    limits: { ...LIMITS.mounts, observationBytes: LIMITS.observationBytes },
    progress: () => {},
  };
  const output = await tool.run(args, kit, new AbortController().signal);
  return { request: requests[0]!, output };
}

describe("003 a command tool", () => {
  test("is a program of the system and its arguments, without a shell", async () => {
    const { request, output } = await run(list(), { path: "; rm -rf $(id)" });
    expect(request.argv).toEqual([expect.stringMatching(/^\/.*\/ls$/), "-l", "--", "; rm -rf $(id)"]);
    expect(output).toEqual({
      exit_code: 0,
      signal: null,
      stdout: "out",
      stderr: "err",
      duration_ms: 2,
      timed_out: false,
      termination: null,
      truncated: false,
    });
  });

  test.each([
    [
      [],
      "command tool execution blocked: no allowlist configured. Configure allowed_commands in agent or server config.",
    ],
    [["cat"], 'binary "ls" not in allowlist'],
  ])(
    "that may not run is refused before anybody is asked, with the allowlist %j",
    (allowedCommands, message) => {
      expect(() => list({ allowedCommands }).subjects({ path: "a" })).toThrow(
        expect.objectContaining({ code: "COMMAND_BLOCKED", message }),
      );
    },
  );

  test("that may not run does not run either", async () => {
    await expect(run(list({ allowedCommands: ["cat"] }), { path: "a" })).rejects.toThrow(
      'binary "ls" not in allowlist',
    );
  });

  test("refuses what would be an option before anybody is asked", () => {
    expect(() => list({ args: ["{{path}}"] }).subjects({ path: "-x" })).toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENTS" }),
    );
  });

  test("Binary not found says so", async () => {
    const tool = list({ command: "custom-tool", allowedCommands: ["custom-tool"] });
    await expect(run(tool, { path: "a" })).rejects.toThrow(
      expect.objectContaining({ code: "NOT_FOUND", message: 'binary "custom-tool" not found on system' }),
    );
  });
});

describe("003 an inline tool", () => {
  const script = "the script";
  test.each<[InlineToolOptions["interpreter"], readonly string[]]>([
    ["python3", ["-I", "-c", script]],
    ["bash", ["-c", script, "add"]],
    ["sh", ["-c", script, "add"]],
    ["node", ["-e", script, "--"]],
    ["perl", ["-e", script, "--"]],
  ])("hands its script to %s, and the arguments as JSON", async (interpreter, wrapped) => {
    const { request } = await run(inline({ interpreter, script }), { a: "-x", b: "\0" });
    expect(request.argv).toEqual([
      expect.stringMatching(new RegExp(`^/.*/${interpreter}$`)),
      ...wrapped,
      '{"a":"-x","b":"\\u0000"}',
    ]);
  });

  test("Interpreter not found: interpreter not found: python3", async () => {
    // Nothing of the system is outside a workspace that is all of it.
    const tool = inline({ interpreter: "python3" });
    const kit = { workspace: { root: "/" }, commands: {} } as unknown as Kit;
    await expect(async () => tool.run({}, kit, new AbortController().signal)).rejects.toThrow(
      expect.objectContaining({ code: "NOT_FOUND", message: "interpreter not found: python3" }),
    );
  });

  test.each(["cobol", "/usr/bin/python3", "constructor"])(
    "has an interpreter that is known, not %j",
    (name) => {
      expect(() => inline({ interpreter: name as "sh" })).toThrow(
        expect.objectContaining({
          code: "CONFIG_INVALID",
          message: `Could not define the tool "add": interpreter is "${name}"; allowed are "python3", "python", "node", "bash", "sh", "perl", "ruby".`,
        }),
      );
    },
  );
});

describe.each([
  ["command", (options: Partial<CommandToolOptions>) => list({ args: [], ...options })],
  ["inline", inline],
] as const)("003 safe environment: a tool of type %s", (toolset, make) => {
  test("has PATH, HOME and its configured secrets, and nothing of the cell's", async () => {
    const { request } = await run(make({ secrets: { API_TOKEN: "t0ken-value" } }), {});
    expect(request.bareEnv).toBe(true);
    expect(request.env).toEqual({ PATH, HOME: os.homedir(), API_TOKEN: "t0ken-value" });
  });

  test.each(["PATH", "HOME", "LD_PRELOAD", "PYTHONPATH", "NODE_OPTIONS", "A B"])(
    "can't have the secret %j",
    (name) => {
      expect(() => make({ secrets: { [name]: "x" } })).toThrow(
        expect.objectContaining({ code: "CONFIG_INVALID" }),
      );
    },
  );

  test("has its secrets removed from its output, where it runs", async () => {
    const { request } = await run(make({ secrets: { API_TOKEN: "t0ken-value" } }), {});
    expect(request.secrets).toEqual(["t0ken-value"]);
  });

  test("that was ended keeps what it wrote", async () => {
    const ended = { termination: "timeout", exitCode: null, signal: "SIGKILL", stdout: "part" } as const;
    await expect(run(make({}), {}, ended)).rejects.toThrow(
      expect.objectContaining({
        code: "TIMEOUT",
        output: expect.objectContaining({ stdout: "part", timed_out: true }),
      }),
    );
  });

  test("is dangerous, changes things, and is known to rules by its name", () => {
    expect(make({})).toMatchObject({
      toolset,
      danger: "dangerous",
      effect: "change",
      subject: "none",
      timeoutMs: null,
    });
  });

  test("that only reads can't write", async () => {
    expect((await run(make({}), {})).request.readOnly).toBe(false);
    const tool = make({ effect: "read" });
    expect(tool.effect).toBe("read");
    expect((await run(tool, {})).request.readOnly).toBe(true);
  });

  test("has a time of its own, and ends itself", () => {
    expect(make({ timeoutMs: 5 })).toMatchObject({ timeoutMs: 5, keepsTime: true });
  });

  test("has parameters that are an object", () => {
    expect(() => make({ parameters: { type: "string" } })).toThrow(
      expect.objectContaining({
        code: "CONFIG_INVALID",
        message: expect.stringContaining('the type of its parameters is "string"; allowed is "object".'),
      }),
    );
  });
});

describe("arguments that no program can be given", () => {
  test.each([
    ["a\0b", "its arguments contain a NUL character, which no program can receive. Remove it."],
    [
      "x".repeat(LIMITS.maxCommandBytes),
      "its arguments are longer than the 131072 bytes that a program can receive. Give less, or the path of a file.",
    ],
  ])("are refused before anybody is asked", (path, problem) => {
    expect(() => list().subjects({ path })).toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENTS", message: `Could not call list: ${problem}` }),
    );
  });
});
