// Definitions by callers without a compiler.
import { describe, expect, test } from "vitest";
import { safeBodyString } from "../../net/safe-body-string.ts";
import { envFor, sanitizeEnv } from "../../shield/process/environment.ts";
import { toolInstructions } from "../instructions.ts";
import { runJsTool } from "../wasm/run-js.ts";
import { wasmTool } from "../wasm/wasm-tool.ts";
import { commandTool } from "./command-tool.ts";
import { httpTool } from "./http-tool.ts";
import { inlineTool } from "./inline-tool.ts";

const NAMED = { name: "t", description: "Test." };
const LIST = { ...NAMED, command: "ls", allowedCommands: ["ls"] };
const UPPER = { ...NAMED, interpreter: "sh", script: "echo" };
const GET = { ...NAMED, url: "https://example.com/" };

const METHODS = '"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"';
const TIMES = "allowed are whole numbers from 1 to 2147483647";

describe("a definition that a configuration file may not have fails when it is made", () => {
  test.each<[(definition: never) => unknown, unknown, string]>([
    [commandTool, undefined, "undefined: it is undefined; allowed is an object"],
    [commandTool, {}, 'undefined: it has no "name"; give it one'],
    [commandTool, { ...LIST, description: undefined }, '"t": it has no "description"; give it one'],
    [commandTool, { ...LIST, command: undefined }, '"t": it has no "command"; give it one'],
    [
      commandTool,
      { ...LIST, command: ["ls"] },
      '"t": command is an array of 1; allowed is text that is not empty',
    ],
    [commandTool, { ...LIST, allowedCommands: undefined }, '"t": it has no "allowedCommands"; give it one'],
    [
      commandTool,
      { ...LIST, allowedCommands: "lsblk" },
      '"t": allowedCommands is "lsblk"; allowed is a list',
    ],
    [commandTool, { ...LIST, allowedCommands: [5] }, '"t": allowedCommands[0] is 5; allowed is text'],
    [commandTool, { ...LIST, args: 5 }, '"t": args is 5; allowed is a list of 0 to 1000'],
    [commandTool, { ...LIST, args: [5] }, '"t": args[0] is 5; allowed is text'],
    [commandTool, { ...LIST, arg: [] }, '"t": arg is no setting; perhaps "args"'],
    [commandTool, { ...LIST, secrets: { A: 5 } }, '"t": the value of its secret "A" is no text'],
    [commandTool, { ...LIST, secrets: ["A"] }, '"t": secrets is an array of 1; allowed is an object'],
    [commandTool, { ...LIST, timeoutMs: "5" }, `"t": timeoutMs is "5"; ${TIMES}`],
    [commandTool, { ...LIST, effect: "reads" }, '"t": effect is "reads"; allowed are "read", "change"'],
    [commandTool, { ...LIST, parameters: "x" }, '"t": parameters is "x"; allowed is an object'],
    [inlineTool, undefined, "undefined: it is undefined; allowed is an object"],
    [inlineTool, { ...UPPER, script: undefined }, '"t": it has no "script"; give it one'],
    [
      inlineTool,
      { ...UPPER, inputs: {} },
      '"t": inputs is no setting; the settings are "name", "description", "parameters", "secrets", "timeoutMs", "effect", "interpreter", "script"',
    ],
    [httpTool, {}, 'undefined: it has no "name"; give it one'],
    [httpTool, NAMED, '"t": it has no "url"; give it one'],
    [httpTool, { ...GET, url: 5 }, '"t": url is 5; allowed is text that is not empty'],
    [httpTool, { ...GET, method: "FOO" }, `"t": method is "FOO"; allowed are ${METHODS}`],
    [httpTool, { ...GET, headers: ["a"] }, '"t": headers is an array of 1; allowed is an object'],
    [httpTool, { ...GET, headers: { accept: 5 } }, '"t": headers.accept is 5; allowed is text'],
    [httpTool, { ...GET, header: {} }, '"t": header is no setting; perhaps "headers"'],
    [httpTool, { ...GET, secrets: { A: 5 } }, '"t": the value of its secret "A" is no text'],
    [httpTool, { ...GET, body: () => "" }, '"t": its body is a function, which cannot be written as JSON'],
    [httpTool, { ...GET, body: { n: 5n } }, '"t": its body is an object, which cannot be written as JSON'],
  ])("%o with %o", (make, definition, problem) => {
    const message = `Could not define the tool ${problem}.`;
    expect(() => make(definition as never)).toThrow(
      expect.objectContaining({ code: "CONFIG_INVALID", message }),
    );
  });
});

test.each<[() => unknown, string, string]>([
  [
    () => wasmTool(undefined as never),
    "CONFIG_INVALID",
    "Could not load a wasm tool: it is undefined; allowed is an object.",
  ],
  [
    () => wasmTool({} as never),
    "CONFIG_INVALID",
    'Could not load a wasm tool: it has no "path"; give it one.',
  ],
  [
    () => wasmTool({ path: 5 as never }),
    "CONFIG_INVALID",
    "Could not load a wasm tool: path is 5; allowed is text that is not empty.",
  ],
  [
    () => wasmTool({ path: "x", grants: {} } as never),
    "CONFIG_INVALID",
    'Could not load a wasm tool: grants is no setting; perhaps "grant".',
  ],
  [
    () => runJsTool(null as never),
    "CONFIG_INVALID",
    "Could not make run_js: it is null; allowed is an object.",
  ],
  [
    () => runJsTool({ limit: {} } as never),
    "CONFIG_INVALID",
    'Could not make run_js: limit is no setting; perhaps "limits".',
  ],
  [
    () => envFor(undefined as never),
    "CONFIG_INVALID",
    "Could not give a command its secrets: they are undefined; allowed is an object.",
  ],
  [
    () => envFor({ A: 5 as never }),
    "CONFIG_INVALID",
    'Could not give a command the secret "A": its value is no text.',
  ],
  [
    () => sanitizeEnv(undefined as never),
    "CONFIG_INVALID",
    "Could not clean the environment: it is undefined; allowed is an object.",
  ],
  [
    () => sanitizeEnv({ A: 5 as never }),
    "CONFIG_INVALID",
    'Could not clean the environment: the value of "A" is no text.',
  ],
  [
    () => safeBodyString(undefined as never, "text/html"),
    "INVALID_ARGUMENTS",
    "Could not make a body safe: the body is undefined; allowed are text and bytes.",
  ],
  [
    () => safeBodyString("x", undefined as never),
    "INVALID_ARGUMENTS",
    "Could not make a body safe: the content type is undefined; allowed is text.",
  ],
  [
    () => toolInstructions({} as never),
    "INVALID_ARGUMENTS",
    "Could not write the instructions: the tools are an object; allowed is a list.",
  ],
  [
    () => toolInstructions([5 as never]),
    "INVALID_ARGUMENTS",
    'Could not write the instructions: tools[0] is no tool; take those of cell.tools("mcp").',
  ],
])("%s is an error with a code", (attempt, code, message) => {
  expect(attempt).toThrow(expect.objectContaining({ code, message }));
});
