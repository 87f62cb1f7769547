import fs from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tempDir } from "../test/kit/worlds/temp-cell.ts";
import { type CellOptions, openCell } from "./cell.ts";
import { type KeptCell, keepCell } from "./cells.ts";
import type { Observation } from "./core/types.ts";

function openKept(idleMs: number): { readonly kept: KeptCell; readonly options: CellOptions } {
  const top = tempDir();
  const workspace = path.join(top, "ws");
  fs.mkdirSync(workspace);
  const options: CellOptions = { workspace, stateDir: path.join(top, "state"), strategy: "clone" };
  const kept = keepCell(options, idleMs);
  onTestFinished(() => kept.close());
  return { kept, options };
}

const write = (kept: KeptCell) =>
  kept.use((cell) =>
    cell.call<Observation>({ name: "write_file", arguments: { path: "a", content: "a" } } as never),
  );

const canOpen = async ({ stateDir }: CellOptions, session: string | null) => {
  try {
    const cell = await openCell({ ...(stateDir && { stateDir }), session: session ?? "", waitMs: 1 });
    await cell.close();
    return true;
  } catch {
    return false;
  }
};

test("a cell in use keeps its session from others, and uses at the same time share it", async () => {
  const { kept, options } = openKept(60_000);
  const [first, second] = await Promise.all([write(kept), write(kept)]);
  expect(first.meta.session).toBe(second.meta.session);
  expect(await canOpen(options, first.meta.session)).toBe(false);
});

test("an idle cell releases its session, and the next use continues it", async () => {
  const { kept, options } = openKept(1);
  const { session } = (await write(kept)).meta;
  await expect.poll(() => canOpen(options, session), { timeout: 10_000 }).toBe(true);
  expect((await write(kept)).meta.session).toBe(session);
});

test("a use that comes while the cell is released opens it again", async () => {
  const { kept } = openKept(60_000);
  const { session } = (await write(kept)).meta;
  const [, again] = await Promise.all([kept.release(), write(kept)]);
  expect(again).toMatchObject({ success: true, meta: { session } });
});

test("if an idle cell's session is gone, the next use creates another one", async () => {
  const { kept, options } = openKept(1);
  const sessions = path.join(options.stateDir ?? "", "sessions");
  const unused = await kept.use(async (cell) => cell.session);
  // A session without changes is removed when its cell is closed.
  await expect.poll(() => fs.readdirSync(sessions), { timeout: 10_000 }).toEqual([]);
  const { session } = (await write(kept)).meta;
  expect(session).not.toBe(unused);
});

test("a cell that could not be opened is opened by the next use", async () => {
  const { kept, options } = openKept(60_000);
  fs.rmdirSync(options.workspace ?? "");
  await expect(write(kept)).rejects.toThrow();
  fs.mkdirSync(options.workspace ?? "");
  expect((await write(kept)).success).toBe(true);
});

test("a closed cell is not opened again", async () => {
  const { kept } = openKept(60_000);
  await write(kept);
  await kept.close();
  await expect(write(kept)).rejects.toThrow("the cell is closed");
});
