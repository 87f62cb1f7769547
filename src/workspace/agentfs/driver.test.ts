import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { ROOT } from "../../../test/kit/worlds/document.ts";
import { tempDir } from "../../../test/kit/worlds/temp-cell.ts";
import { openDatabase } from "./driver.ts";

const HAS_SQLITE = process.getBuiltinModule("node:sqlite") !== undefined;

test("without libsql, a Node that has no SQLite says what to run, and any other opens the database without a warning", () => {
  const top = tempDir();
  fs.writeFileSync(path.join(top, "package.json"), '{"type":"module"}');
  for (const part of ["core", "workspace/agentfs"])
    fs.cpSync(path.join(ROOT, "dist", part), path.join(top, part), { recursive: true });
  const program = `
    import { openDatabase } from "./workspace/agentfs/driver.js";
    await openDatabase("x.db").then((db) => db.close(), ({ code, message }) => console.log(code, message));`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    cwd: top,
    encoding: "utf8",
  });
  const said = `NOT_SUPPORTED Could not use AgentFS databases: Node ${process.versions.node} has no SQLite. Run: npm install libsql@0.5, or use Node 22.13 or newer.\n`;
  expect({ stdout, stderr }).toEqual({ stdout: HAS_SQLITE ? "" : said, stderr: "" });
});

test("a closed database is free for others, also if a query was not read to its end", async () => {
  const file = path.join(tempDir(), "x.db");
  const db = await openDatabase(file);
  db.exec(
    "PRAGMA journal_mode=WAL; PRAGMA locking_mode=EXCLUSIVE; CREATE TABLE t (n); INSERT INTO t VALUES (1), (2)",
  );
  const rows = db.prepare("SELECT n FROM t").iterate()[Symbol.iterator]();
  expect(rows.next().value).toEqual({ n: 1 });
  db.close();
  await setImmediate();
  const other = await openDatabase(file);
  other.exec("BEGIN IMMEDIATE; COMMIT");
  other.close();
  expect(rows.next).toBeTypeOf("function");
});
