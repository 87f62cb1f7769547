import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import Database from "libsql";
import { expect, test } from "vitest";
import { openCell } from "../../../src/index.ts";
import { ROOT } from "../../kit/worlds/document.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";

const KILLS = 6;

/** Kills the child after so many values. Returns the last that it printed. */
async function killAfter(count: number, session: string, stateDir: string): Promise<number> {
  const program = path.join(ROOT, "test/kit/children/agentfs-values-child.mjs");
  const child = spawn(process.execPath, [program, session, stateDir], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const printed: number[] = [];
  for await (const line of createInterface(child.stdout)) {
    printed.push(Number(line));
    if (printed.length === count) child.kill("SIGKILL");
  }
  expect((await exited)[1]).toBe("SIGKILL");
  return printed.at(-1)!;
}

/** libsql keeps the lock of a file until its statements are collected: the next child could not open it. */
function openCopy(database: string): Database.Database {
  const copy = path.join(tempDir(), "copy.db");
  fs.copyFileSync(database, copy);
  return new Database(copy);
}

test("mode agentfs: a value that was set is in the session and in its database, whenever hotcell is killed", async () => {
  const top = tempDir();
  const [workspace, stateDir, database] = ["project", "state", "session.db"].map((name) =>
    path.join(top, name),
  );
  fs.mkdirSync(workspace!);
  const options = { workspace: workspace!, stateDir: stateDir! };
  const first = await openCell({ ...options, fs: "agentfs", database: database! });
  await first.kv.set("n", 0);
  await first.close();
  for (let kill = 1; kill <= KILLS; kill++) {
    const last = await killAfter(1 + kill * 2, first.session!, stateDir!);
    const cell = await openCell({ ...options, session: first.session! });
    const value = await cell.kv.get<number>("n");
    await cell.close();
    const db = openCopy(database!);
    const row = db.prepare("SELECT value FROM kv_store WHERE key = 'n'").all();
    const calls = db.prepare("SELECT count(*) AS count FROM tool_calls WHERE status = 'pending'").all();
    db.close();
    // The child may have set one more value than it could print.
    expect([last, last + 1]).toContain(value);
    expect([row, calls]).toEqual([[{ value: String(value) }], [{ count: 0 }]]);
  }
});
