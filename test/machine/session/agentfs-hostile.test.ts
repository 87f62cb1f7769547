// Hostile databases in place of the file of a session in mode agentfs.
import fs from "node:fs";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import Database from "libsql";
import { expect, test } from "vitest";
import { fdPath } from "../../../src/workspace/fs/paths.ts";
import type { Session } from "../../../src/workspace/session/session-types.ts";
import { readOverlaidCopy } from "../../kit/worlds/agentfs-reader.ts";
import { HARMLESS, HOSTILE_DATABASES } from "../../kit/worlds/hostile-databases.ts";
import { file, survey } from "../../kit/worlds/planted-tree.ts";
import { tempSessionWorld } from "../../kit/worlds/session-world.ts";

const viewOf = (session: Session) => survey(fdPath(session.view.fd));

test("a hostile file in place of a session's own is refused, or what is not whole in it is told and removed; nothing outside is touched", async () => {
  const world = tempSessionWorld(new Map([["kept", file("kept\n")]]));
  const outside = path.join(world.top, "outside");
  fs.mkdirSync(outside);
  fs.writeFileSync(`${outside}/canary`, "alive");
  for (const { name, sql, refused, leftOut = [], selfRunning = [] } of HOSTILE_DATABASES) {
    const session = await world.create("clone", { fs: "agentfs" });
    const { id } = session.record;
    const write = (to: Session, at: string) =>
      to.change({ id: at, tool: "test" }, async () => to.workspace.write(at, "good"));
    await write(session, "dir/good");
    session.close();
    await setImmediate();
    const at = path.join(world.stateDir, "sessions", id, "agentfs.db");
    const db = new Database(at);
    db.exec(sql);
    db.close();
    const opened = await world.open(id).catch((error: Error) => error.message);
    if (refused !== undefined || typeof opened === "string") {
      expect([name, opened]).toEqual([name, expect.stringMatching(refused ?? /^$/)]);
      continue;
    }
    const shown = viewOf(opened);
    expect([name, readOverlaidCopy(world.project, at)]).toEqual([name, shown]);
    expect([name, [...shown.keys()].filter((one) => !HARMLESS.has(one))]).toEqual([name, []]);
    const { warning } = await write(opened, "dir/good");
    const told = [...leftOut, ...selfRunning.map((one) => `${one} (it executes automatically`)];
    for (const one of told) expect([name, warning]).toEqual([name, expect.stringContaining(one)]);
    if (told.length === 0) expect([name, warning]).toEqual([name, null]);
    expect([name, readOverlaidCopy(world.project, at)]).toEqual([name, viewOf(opened)]);
    const view = viewOf(opened);
    opened.close();
    await setImmediate();
    const again = await world.open(id);
    expect([name, viewOf(again)]).toEqual([name, view]);
    again.close();
  }
  expect(survey(outside)).toEqual(new Map([["canary", file("alive")]]));
  expect(survey(world.project)).toEqual(new Map([["kept", file("kept\n")]]));
}, 300_000);
