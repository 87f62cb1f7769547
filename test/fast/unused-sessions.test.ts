import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { openCell } from "../../src/cell.ts";
import { sessions } from "../../src/doors/sessions.ts";
import { tempDir } from "../kit/worlds/temp-cell.ts";

function makeProject() {
  const top = tempDir();
  const workspace = path.join(top, "project");
  fs.mkdirSync(workspace);
  fs.writeFileSync(path.join(workspace, "a"), "a\n");
  const stateDir = path.join(top, "state");
  const options = { workspace, stateDir, strategy: "clone" } as const;
  const ids = async () => (await sessions.list({ workspace, stateDir })).map(({ id }) => id);
  return { options, ids };
}

const write = (path: string, content = "new\n") =>
  ({ name: "write_file", arguments: { path, content } }) as const;

test("a session that openCell made and that holds nothing is gone when the cell is closed", async () => {
  const { options, ids } = makeProject();
  const cell = await openCell(options);
  await cell.call({ name: "read_file", arguments: { path: "a" } });
  expect(await ids()).toEqual([cell.session]);
  await cell.close();
  expect(await ids()).toEqual([]);
  expect(fs.existsSync(cell.logFile)).toBe(true);
});

test("a session whose changes cancel each other out holds nothing", async () => {
  const { options, ids } = makeProject();
  const cell = await openCell(options);
  await cell.call(write("a", "b\n"));
  await cell.call(write("a", "a\n"));
  await cell.close();
  expect(await ids()).toEqual([]);
});

test.each<[what: string, work: (cell: Awaited<ReturnType<typeof openCell>>) => Promise<unknown>]>([
  ["changes", (cell) => cell.call(write("b"))],
  ["a commit", (cell) => cell.call(write("b")).then(() => cell.commit())],
  ["a rewind", (cell) => cell.call({ ...write("b"), id: "c1" }).then(() => cell.rewind("c1"))],
  ["a fork", (cell) => cell.fork()],
])("a session with %s stays when the cell is closed", async (_, work) => {
  const { options, ids } = makeProject();
  const cell = await openCell(options);
  await work(cell);
  await cell.close();
  expect(await ids()).toContain(cell.session);
});

test("a session that the caller named or chose stays when it is empty", async () => {
  const { options, ids } = makeProject();
  const named = await openCell({ ...options, run: "mine" });
  await named.close();
  const again = await openCell({ ...options, session: "mine" });
  await again.close();
  expect([again.session, await ids()]).toEqual([named.session, [named.session]]);
});

test('openCell({ session: "last" }) continues the newest session of the project with changes', async () => {
  const { options } = makeProject();
  const first = await openCell(options);
  await first.call(write("b"));
  await first.close();
  await (await openCell({ ...options, run: "empty" })).close();
  const last = await openCell({ ...options, session: "last" });
  await last.close();
  expect(last.session).toBe(first.session);
  await expect(openCell({ stateDir: options.stateDir, session: "last" })).rejects.toMatchObject({
    code: "NOT_FOUND",
  });
});
