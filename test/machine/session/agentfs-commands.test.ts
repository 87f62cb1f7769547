import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openCell } from "../../../src/index.ts";
import { createProtection } from "../../../src/policy/protected.ts";
import { fdPath } from "../../../src/workspace/fs/paths.ts";
import { openSession } from "../../../src/workspace/session/session.ts";
import { readOverlaidCopy } from "../../kit/worlds/agentfs-reader.ts";
import { file, type Planted, plant, survey, symlink } from "../../kit/worlds/planted-tree.ts";
import { STRATEGIES } from "../../kit/worlds/session-world.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";

const FILES = new Map([
  ["dep/package.json", file('{"name":"dep","version":"1.0.0","bin":"x.js"}')],
  ["dep/x.js", file("#!/usr/bin/env node\n", 0o755)],
  ["package.json", file('{"name":"p","version":"1.0.0"}')],
  ["old/a", file("1\n")],
]);

const GIT = "git -c user.name=n -c user.email=e@x";
const COMMANDS = [
  "git init -q -b main . && git add -A",
  `${GIT} commit -qm one`,
  `git checkout -q -b other && git rm -qr old && mkdir old && echo 2 > old/b && git add -A && ${GIT} commit -qm two`,
  "git checkout -q main",
  `${GIT} merge -q --no-ff -m three other && git gc -q`,
  "npm pack --offline ./dep && npm install --package-lock-only --offline ./dep-1.0.0.tgz",
  "npm ci --offline",
  "rm node_modules/dep/x.js && npm ci --offline",
  "git stash -q -u && git status --short",
];

describe.each(STRATEGIES)("P2.6 and P6.5: mode agentfs, by the strategy %s", (strategy) => {
  test("after each command of git and npm the project with the database shows the session's view", async () => {
    const top = tempDir();
    const [workspace, stateDir, database] = ["project", "state", "session.db"].map((name) =>
      path.join(top, name),
    ) as [string, string, string];
    plant(workspace, FILES);
    const options = { workspace, stateDir, trust: "autonomous" } as const;
    let session: string | null = null;
    const seen: ReadonlyMap<string, Planted>[] = [];
    for (const command of COMMANDS) {
      const cell = await openCell(
        session === null ? { ...options, fs: "agentfs", strategy, database } : { ...options, session },
      );
      session = cell.session!;
      const { success, output } = await cell.call({ name: "run_command", arguments: { command } });
      const shown = readOverlaidCopy(workspace, database);
      await cell.close();
      expect([command, success, output]).toEqual([command, true, expect.objectContaining({ exit_code: 0 })]);
      // The next open writes what the database lacks, so the database was read before.
      const again = await openSession(session, {
        stateDir,
        protectionOf: createProtection(),
        waitMs: 10_000,
      });
      expect([command, shown]).toEqual([command, survey(fdPath(again.view.fd))]);
      again.close();
      seen.push(shown);
    }
    const [merged, installed, stashed] = [seen[4]!, seen[7]!, seen[8]!];
    expect([merged.has("old/a"), merged.get("old/b")]).toEqual([false, file("2\n")]);
    expect(installed.get("node_modules/dep/x.js")).toEqual(FILES.get("dep/x.js"));
    expect(installed.get("node_modules/.bin/dep")).toEqual(symlink("../dep/x.js"));
    expect(stashed.has("node_modules")).toBe(false);
    expect(fs.readdirSync(workspace).sort()).toEqual(["dep", "old", "package.json"]);
  });
});
