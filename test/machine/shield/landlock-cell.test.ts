// A cell on a machine without user namespaces: commands run under Landlock, and every observation says so.
// Only root can simulate such a machine; the commands run as an ordinary user.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { IS_ROOT } from "../../kit/is-root.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";
import { runWithoutNamespaces } from "../../kit/worlds/without-namespaces.ts";

const NOBODY = 65534;
const CLI = path.join(import.meta.dirname, "../../../bin/hotcell.js");

test.runIf(IS_ROOT)(
  "never silently: a call says that its shield is weaker and why, and its changes are in the session",
  async () => {
    const top = tempDir();
    const workspace = path.join(top, "ws");
    fs.mkdirSync(workspace);
    fs.writeFileSync(path.join(workspace, ".env"), "CANARY");
    const env = { HOTCELL_STATE_DIR: path.join(top, "state"), HOME: top };
    execFileSync("chown", ["-R", `${NOBODY}:${NOBODY}`, top]);
    const command = "echo x > made; cat .env; pwd";
    const argv = [process.execPath, CLI, "call", "run_command", JSON.stringify({ command }), "--json"];
    const { stdout } = await runWithoutNamespaces(NOBODY, [...argv, "--workspace", workspace], env);
    const { output, meta } = JSON.parse(stdout);
    expect(output.stdout).not.toContain("CANARY");
    expect(meta).toMatchObject({
      isolation: "landlock",
      strategy: "clone",
      changes: { count: 1, paths: ["made"] },
    });
    expect(meta.weakened).toContain("Only Landlock");
    expect(fs.readdirSync(workspace)).toEqual([".env"]);
  },
);
