import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openCliWorld } from "../../../test/kit/worlds/cli-world.ts";

const YES = { interactive: true, ask: async () => "y" };
const NO = { interactive: true, ask: async () => "n" };

const FILES = [
  [
    "claude-code",
    ".mcp.json",
    (args: string[]) => ({ mcpServers: { hotcell: { command: "hotcell", args } } }),
  ],
  [
    "cursor",
    ".cursor/mcp.json",
    (args: string[]) => ({ mcpServers: { hotcell: { command: "hotcell", args } } }),
  ],
  [
    "opencode",
    "opencode.json",
    (args: string[]) => ({
      mcp: { hotcell: { type: "local", command: ["hotcell", ...args], enabled: true } },
    }),
  ],
  [
    "vscode",
    ".vscode/mcp.json",
    (args: string[]) => ({ servers: { hotcell: { type: "stdio", command: "hotcell", args } } }),
  ],
  [
    "zed",
    "../.config/zed/settings.json",
    (args: string[]) => ({ context_servers: { hotcell: { command: "hotcell", args } } }),
  ],
] as const;

describe.each(FILES)("hotcell mcp install %s", (client, name, entryOf) => {
  test("creates the file after a yes, and says what it wrote", async () => {
    const { run, root } = openCliWorld();
    const file = path.join(root, name);
    const { code, out, err } = await run(["mcp", "install", client], YES);
    expect(code).toBe(0);
    expect(out).toContain(`Wrote ${file}.`);
    expect(err).toContain('"hotcell"');
    expect(JSON.parse(fs.readFileSync(file, "utf8"))).toEqual(entryOf(["mcp", "--workspace", root]));
  });

  test("writes nothing after a no, and with --print", async () => {
    const { run, root } = openCliWorld();
    expect((await run(["mcp", "install", client], NO)).code).toBe(1);
    const { code, out } = await run(["mcp", "install", client, "--print"]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual(entryOf(["mcp", "--workspace", root]));
    expect(fs.existsSync(path.join(root, name))).toBe(false);
  });
});

test("other servers and settings stay, and a second time nothing changes", async () => {
  const other = { command: "other" };
  const { run, root } = openCliWorld({ ".mcp.json": JSON.stringify({ a: 1, mcpServers: { other } }) });
  await run(["mcp", "install", "claude-code", "--yes"]);
  const text = fs.readFileSync(path.join(root, ".mcp.json"), "utf8");
  expect(JSON.parse(text)).toMatchObject({ a: 1, mcpServers: { other, hotcell: { command: "hotcell" } } });
  expect((await run(["mcp", "install", "claude-code", "--yes"])).out).toContain("has this entry already");
  expect(fs.readFileSync(path.join(root, ".mcp.json"), "utf8")).toBe(text);
});

test("before a no, the change is shown as a diff without terminal escapes, also what the file loses", async () => {
  const { run, root } = openCliWorld({ ".mcp.json": '{"a": "\\u001b[31m\u009b", "mcpServers": {}}\n' });
  const { err } = await run(["mcp", "install", "claude-code"], NO);
  const file = path.join(root, ".mcp.json");
  expect(err.split("\n")).toEqual(
    expect.arrayContaining([
      `Change ${file}:`,
      `--- ${file}`,
      `+++ ${file}`,
      '-{"a": "\\u001b[31m\\u{9b}", "mcpServers": {}}',
      '+  "mcpServers": {',
    ]),
  );
  expect(fs.readFileSync(file, "utf8")).toContain('"mcpServers": {}}');
});

test("of a file that exists, the diff shows the lines near the new ones; of a new file, all lines", async () => {
  const { run, root } = openCliWorld({ ".codex/config.toml": "a = 1\nb = 2\nc = 3\nd = 4\n" });
  const changed = await run(["mcp", "install", "codex", "--yes"]);
  expect(changed.err).toContain("@@ -2,3 +2,7 @@\n b = 2\n c = 3\n d = 4\n+\n+[mcp_servers.hotcell]\n");
  const created = await run(["mcp", "install", "cursor", "--yes"]);
  const file = path.join(root, ".cursor/mcp.json");
  expect(created.err).toContain(`Create ${file}:\n--- /dev/null\n+++ ${file}\n@@ -0,0 +1,`);
});

test("codex gets a table at the end of its file, once", async () => {
  const { run, root } = openCliWorld({ ".codex/config.toml": 'model = "x"' });
  const file = path.join(root, ".codex/config.toml");
  await run(["mcp", "install", "codex", "--yes"]);
  const args = JSON.stringify(["mcp", "--workspace", root]);
  const text = `model = "x"\n\n[mcp_servers.hotcell]\ncommand = "hotcell"\nargs = ${args}\n`;
  expect(fs.readFileSync(file, "utf8")).toBe(text);
  const { code, err } = await run(["mcp", "install", "codex", "--yes"]);
  expect([code, err]).toEqual([2, expect.stringContaining("it has such an entry already")]);
  expect(fs.readFileSync(file, "utf8")).toBe(text);
});

test("a file with comments is not changed, and the message says what to do", async () => {
  const text = '// mine\n{ "servers": {} }\n';
  const { run, root } = openCliWorld({ ".vscode/mcp.json": text });
  const { code, err } = await run(["mcp", "install", "vscode", "--yes"]);
  expect([code, err]).toEqual([2, expect.stringContaining("Add it yourself; --print shows the entry.")]);
  expect(fs.readFileSync(path.join(root, ".vscode/mcp.json"), "utf8")).toBe(text);
});

test.each([
  ["an unknown client", ["constructor"], "There is no client"],
  ["no terminal and no --yes", ["cursor"], "there is no terminal to ask in. Add --yes."],
])("%s is wrong use", async (_what, args, message) => {
  const { code, err } = await openCliWorld().run(["mcp", "install", ...args]);
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
});

test("--workspace names another project", async () => {
  const { run, root } = openCliWorld({ "sub/f": "" });
  const { out } = await run(["mcp", "install", "cursor", "--print", "--workspace", path.join(root, "sub")]);
  expect(out).toContain(JSON.stringify(path.join(root, "sub")));
});
