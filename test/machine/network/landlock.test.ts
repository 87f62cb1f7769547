// The weaker sandbox has no sockets, so rules about hosts open nothing there, and every observation says so.
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { IS_ROOT } from "../../kit/is-root.ts";
import { ROOT } from "../../kit/worlds/document.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";
import { runWithoutNamespaces } from "../../kit/worlds/without-namespaces.ts";

const NOBODY = 65534;
const SAYS_SO = "This sandbox has no sockets: rules about the network have no effect.";

function ownDir(): string {
  const dir = tempDir();
  fs.chownSync(dir, NOBODY, NOBODY);
  return dir;
}

async function callUnderLandlock(rules: readonly string[], env: Record<string, string> = {}) {
  const [home, workspace] = [ownDir(), ownDir()];
  const command = `python3 -c "import socket; socket.socket()" 2>&1 | tail -n 1`;
  const call = ["call", "run_command", JSON.stringify({ command }), "--json", "--workspace", workspace];
  const argv = [process.execPath, path.join(ROOT, "bin/hotcell.js"), ...call];
  const { stdout, stderr } = await runWithoutNamespaces(
    NOBODY,
    [...argv, ...["allow run_command", ...rules].flatMap((rule) => ["--rule", rule])],
    { PATH: process.env.PATH!, HOME: home, HOTCELL_STATE_DIR: path.join(home, "state"), ...env },
  );
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

test.runIf(IS_ROOT).each([
  ["a grant", ["allow network(a.example:443)"], {}],
  ["TOOL_ALLOW_DIRECT_NETWORK", [], { TOOL_ALLOW_DIRECT_NETWORK: "true" }],
])("%s opens nothing under Landlock, and the observation says so", async (_what, rules, env) => {
  expect(await callUnderLandlock(rules, env)).toMatchObject({
    output: { stdout: expect.stringContaining("Address family not supported") },
    meta: { isolation: "landlock", weakened: expect.stringContaining(SAYS_SO) },
  });
});

test.runIf(IS_ROOT)("without a grant nothing is said about the network", async () => {
  const { meta } = await callUnderLandlock([]);
  expect([meta.isolation, meta.weakened.includes(SAYS_SO)]).toEqual(["landlock", false]);
});
