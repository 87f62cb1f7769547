// Without user namespaces there is no sandbox for guests: wasm tools are refused where commands still run under Landlock.
// Only root can simulate such a machine; the calls run as an ordinary user.
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { IS_ROOT } from "../../kit/is-root.ts";
import { ROOT } from "../../kit/worlds/document.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";
import { runWithoutNamespaces } from "../../kit/worlds/without-namespaces.ts";

const NOBODY = 65534;
const TOOL = path.join(ROOT, "tools/text-stats");
const CONFIG = {
  toolsets: ["coding", "js"],
  tools: [{ type: "wasm", path: TOOL }],
  rules: ["allow run_command"],
};

async function runHotcell(...args: readonly string[]) {
  const top = tempDir();
  const workspace = path.join(top, "ws");
  const config = path.join(top, "config.json");
  fs.mkdirSync(workspace);
  fs.writeFileSync(config, JSON.stringify(CONFIG));
  for (const each of [top, workspace, config]) fs.chownSync(each, NOBODY, NOBODY);
  const flags = ["--json", "--workspace", workspace, "--config", config];
  const { stdout } = await runWithoutNamespaces(
    NOBODY,
    [process.execPath, path.join(ROOT, "bin/hotcell.js"), ...args, ...flags],
    { HOME: top, HOTCELL_STATE_DIR: path.join(top, "state") },
  );
  return JSON.parse(stdout);
}

const call = (tool: string, args: object) => runHotcell("call", tool, JSON.stringify(args));

test.runIf(IS_ROOT).each([
  ["a wasm tool", "text_stats", { text: "a b" }],
  ["run_js", "run_js", { code: "return 1" }],
])(
  "NO_SANDBOX without a shield: %s does not run under Landlock, and no isolation is claimed",
  async (_name, tool, args) => {
    const { output, error, meta } = await call(tool, args);
    expect([output, error.code, error.message]).toEqual([
      null,
      "NO_SANDBOX",
      expect.stringContaining("Could not start the sandbox of a wasm tool."),
    ]);
    expect([meta.outcome, meta.isolation]).toEqual(["executed_error", "none"]);
    expect(meta.wasm).toMatchObject({ fuel: null, memoryBytes: null, hostCalls: 0 });
  },
);

test.runIf(IS_ROOT)("commands of the same cell run under Landlock", async () => {
  const { output, meta } = await call("run_command", { command: "echo ran" });
  expect([output.stdout, meta.isolation]).toEqual(["ran\n", "landlock"]);
});

test.runIf(IS_ROOT)("P4.2.b tool run runs a tool in the sandbox or not at all", async () => {
  const { output, error } = await runHotcell("tool", "run", TOOL, "--input", '{"text":"a b"}');
  expect([output, error.code]).toEqual([null, "NO_SANDBOX"]);
});
