// A tour without a model: a script repairs a failing test in a copy of examples/fix-test, tries forbidden calls, and leaves
// its changes in a session.
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { runCli } from "../dist/doors/cli/main.js";
import { createNodeIo } from "../dist/doors/cli/node-io.js";

const home = mkdtempSync(path.join(tmpdir(), "hotcell-tour-"));
const workspace = path.join(home, "fix-test");
const io = {
  ...createNodeIo(),
  cwd: workspace,
  env: { ...process.env, HOTCELL_STATE_DIR: path.join(home, "state") },
  // The tour asks nothing: it runs the same with and without a terminal.
  interactive: false,
};

const run = async (shown, args) => {
  console.log(`\n$ hotcell ${shown}`);
  const code = await runCli(args, io);
  if (code !== 0) process.exitCode = 1;
};

try {
  cpSync(fileURLToPath(new URL("../examples/fix-test", import.meta.url)), workspace, { recursive: true });
  console.log(
    "A script plays a model that repairs a failing test. Its calls, the sandbox and the session are real.",
  );
  const script = path.join(workspace, "script.json");
  await run("chat --model scripted/script.json 'Fix the failing test'", [
    "chat",
    "Fix the failing test",
    "--model",
    `scripted/${script}`,
  ]);
  console.log("\nThe project is unchanged. This is what the session holds:");
  await run("session diff last", ["session", "diff", "last"]);
  await run("session commit last --yes", ["session", "commit", "last", "--yes"]);
  await run("audit verify", ["audit", "verify"]);
  console.log(
    "\nNext: hotcell chat --model ollama/qwen3:8b in a project of yours, or docs/getting-started.md.",
  );
} finally {
  rmSync(home, { recursive: true, force: true });
}
