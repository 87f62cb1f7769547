import { expect, test } from "vitest";
import { openCliWorld } from "../../../test/kit/worlds/cli-world.ts";
import type { ToolConfig } from "../../config/config.ts";
import { configuredTools } from "./configured-tools.ts";

const COUNT: ToolConfig = { name: "count", type: "command", description: "Counts.", command: "wc" };
const ADD: ToolConfig = {
  name: "add",
  type: "inline",
  description: "Adds.",
  interpreter: "node",
  script: "1",
  secrets: ["API_TOKEN", "OTHER"],
  timeoutMs: 3000,
};
const env = { API_TOKEN: "t0ken-value", OTHER: "other-value", UNASKED: "not-for-tools" };

test("tools are made of their configuration, with the values of their secrets for the redactor", () => {
  const { tools, secrets } = configuredTools(
    { tools: [COUNT, ADD], allowedCommands: ["wc"], toolRuntime: "wasm" },
    env,
  );
  expect(tools.map(({ name, toolset, timeoutMs }) => ({ name, toolset, timeoutMs }))).toEqual([
    { name: "count", toolset: "command", timeoutMs: null },
    { name: "add", toolset: "inline", timeoutMs: 3000 },
  ]);
  expect(secrets).toEqual(["t0ken-value", "other-value"]);
});

test.each([[undefined], [""]])("a secret that the environment does not have is named: %j", (value) => {
  expect(() =>
    configuredTools({ tools: [ADD], allowedCommands: [], toolRuntime: "wasm" }, { ...env, OTHER: value }),
  ).toThrow(
    expect.objectContaining({
      code: "CONFIG_INVALID",
      message:
        'Could not give the tool "add" its secret "OTHER": the environment has no such variable. Set the variable, or remove it from the tool\'s "secrets".',
    }),
  );
});

test("a secret's name is no way to what every object has", () => {
  const tool: ToolConfig = { ...ADD, secrets: ["constructor"] };
  expect(() => configuredTools({ tools: [tool], allowedCommands: [], toolRuntime: "wasm" }, env)).toThrow(
    expect.objectContaining({ code: "CONFIG_INVALID" }),
  );
});

test("the list of allowed commands is the configuration's, and empty without it", () => {
  const [blocked] = configuredTools({ tools: [COUNT], allowedCommands: [], toolRuntime: "wasm" }, env).tools;
  expect(() => blocked!.subjects({})).toThrow(/^command tool execution blocked: no allowlist configured\./);
  const [allowed] = configuredTools(
    { tools: [COUNT], allowedCommands: ["wc"], toolRuntime: "wasm" },
    env,
  ).tools;
  expect(allowed!.subjects({})).toEqual([]);
});

test("a named configuration's tools are listed and judged, and one that was found has none", async () => {
  const config = JSON.stringify({ tools: [COUNT], allowedCommands: [], rules: ["deny read_file"] });
  const { run } = openCliWorld({ "hotcell.config.json": config });
  const named = ["--config", "hotcell.config.json"];
  expect((await run(["tools", ...named])).out).toMatch(/^count +Counts\.$/m);
  const explained = await run(["policy", "explain", "count", "{}", "--json", ...named]);
  expect(JSON.parse(explained.out)).toMatchObject({
    decision: "deny",
    reason: expect.stringMatching(/^command tool execution blocked: no allowlist configured\./),
  });
  const found = await run(["tools"]);
  expect([found.code, found.out]).toEqual([2, ""]);
  expect(found.err).toContain('it belongs to the workspace, and it contains "tools".');
});

test("a refusal names a rule that can be written, also where an argument is called path", async () => {
  const parameters = { type: "object", properties: { path: { type: "string" } } };
  const config = JSON.stringify({
    tools: [{ ...COUNT, parameters }],
    allowedCommands: ["wc"],
    toolRuntime: "wasm",
  });
  const { run } = openCliWorld({ "hotcell.config.json": config });
  const named = ["--config", "hotcell.config.json", "--fs", "host", "--json"];
  const { out } = await run(["call", "count", '{"path":"a"}', ...named]);
  const [, rule] = /--rule '([^']+)'/.exec(JSON.parse(out).error.message)!;
  const explained = await run(["policy", "explain", "count", '{"path":"a"}', ...named, "--rule", rule!]);
  expect(JSON.parse(explained.out)).toMatchObject({ decision: "allow" });
});
