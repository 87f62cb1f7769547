// Paths are taken out of a session whose layers are deeper than any path can name.
import fs from "node:fs";
import { describe, expect, test } from "vitest";
import { createCursor } from "../../src/workspace/fs/cursor.ts";
import { removeBelow } from "../../src/workspace/fs/tree-change.ts";
import type { Session } from "../../src/workspace/session/session-types.ts";
import { digDown } from "../kit/dig-down.ts";
import { MEMORY_DIR } from "../kit/memory-dir.ts";
import { directory } from "../kit/planted-tree.ts";
import { STRATEGIES, tempSessionWorld } from "../kit/session-world.ts";

/** Together longer than a path may be. */
const DEPTH = 110;
const NAME = "d".repeat(40);

const change = (session: Session, id: string, work: () => void) =>
  session.change({ id, tool: "test" }, async () => work());

/** Works in a view, below this many directories. */
function below<T>({ view }: Session, depth: number, work: (dir: number) => T): T {
  const cursor = createCursor(view.fd);
  try {
    for (let level = 0; level < depth; level++) {
      if (level % 10 === 0) fs.utimesSync(`/proc/self/fd/${cursor.fd}`, 0, 0);
      cursor.down(NAME);
    }
    return work(cursor.fd);
  } finally {
    cursor.close();
  }
}

describe.each(STRATEGIES)("with the strategy %s", (strategy) => {
  test("what is too deep for a path is discarded", async () => {
    const session = await tempSessionWorld(new Map(), MEMORY_DIR).create(strategy);
    await change(session, "c", () => digDown(`/proc/self/fd/${session.view.fd}`, DEPTH, ["f"], NAME));
    await session.discard([NAME]);
    expect(await session.diff(({ changes }) => changes)).toEqual([]);
  });

  test("what is too deep for a path stays as it is when something else is discarded", async () => {
    const fill = (project: string) => digDown(project, DEPTH, ["old"], NAME);
    const world = tempSessionWorld(new Map([[NAME, directory()]]), MEMORY_DIR, fill);
    const session = await world.create(strategy);
    await change(session, "c", () => {
      session.workspace.write("f", "f");
      below(session, DEPTH - 1, (dir) => {
        const bottom = fs.openSync(`/proc/self/fd/${dir}/${NAME}`, fs.constants.O_DIRECTORY);
        removeBelow(bottom);
        fs.closeSync(bottom);
        fs.rmdirSync(`/proc/self/fd/${dir}/${NAME}`);
        fs.mkdirSync(`/proc/self/fd/${dir}/${NAME}`);
        fs.writeFileSync(`/proc/self/fd/${dir}/${NAME}/new`, "");
      });
    });
    await session.discard(["f"]);
    expect(below(session, DEPTH, (dir) => fs.readdirSync(`/proc/self/fd/${dir}`))).toEqual(["new"]);
    expect(fs.readdirSync(`/proc/self/fd/${session.view.fd}`)).toEqual([NAME]);
  });
});
