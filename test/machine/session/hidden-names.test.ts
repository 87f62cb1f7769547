// A directory in a layer may hide what the project has below it. Whether it does is told by the kernel, and a
// diff must never take one for the other.
import { describe, expect, test } from "vitest";
import { LIMITS } from "../../../src/core/limits.ts";
import type { WorkspaceFS } from "../../../src/workspace/files/workspace-fs.ts";
import type { Session } from "../../../src/workspace/session/session-types.ts";
import { file } from "../../kit/worlds/planted-tree.ts";
import { tempSessionWorld } from "../../kit/worlds/session-world.ts";

const FILES = ["d/a", "d/b", "d/e/f", "d/e/g", "other"];

async function begin(): Promise<Session> {
  const world = tempSessionWorld(new Map(FILES.map((at) => [at, file(`the project's ${at}\n`)])));
  return world.create("kernel");
}

type Work = (workspace: WorkspaceFS) => void;

const call = (session: Session, ...works: readonly Work[]) =>
  session.change({ id: "c", tool: "test" }, async () => {
    for (const work of works) work(session.workspace);
  });

const shown = (session: Session): Promise<string[]> =>
  session.diff(({ shown: changes }) => changes.map(({ kind, path: at }) => `${kind} ${at}`));

const remove = (at: string) => (workspace: WorkspaceFS) => workspace.remove(at, { recursive: true });
const write = (at: string) => (workspace: WorkspaceFS) => workspace.write(at, `the session's ${at}\n`);

describe("within one call", () => {
  test.each([
    ["a new file in it is all that changed", [write("d/new")], ["added d/new"]],
    [
      "everything in it is gone when it was removed and recreated",
      [remove("d"), write("d/new")],
      ["deleted d/a", "deleted d/b", "deleted d/e/f", "deleted d/e/g", "added d/new"],
    ],
    [
      "everything below is gone when a parent directory was recreated",
      [remove("d"), write("d/e/f")],
      ["deleted d/a", "deleted d/b", "modified d/e/f", "deleted d/e/g"],
    ],
    [
      "what another directory has not is gone when that one took its place",
      [write("made/a"), remove("d/e"), (ws: WorkspaceFS) => ws.rename("made", "d/e")],
      ["added d/e/a", "deleted d/e/f", "deleted d/e/g"],
    ],
  ])("%s", async (_, works, expected) => {
    const session = await begin();
    await call(session, ...works);
    expect(await shown(session)).toEqual(expected);
  });
});

test("what one call hid stays hidden when later calls write there", async () => {
  const session = await begin();
  await call(session, remove("d"), write("d/one"));
  await call(session, write("d/two"));
  const gone = ["deleted d/a", "deleted d/b", "deleted d/e/f", "deleted d/e/g"];
  expect(await shown(session)).toEqual([...gone, "added d/one", "added d/two"]);
});

test("what was hidden below so many layers that one stands for them stays hidden", {
  timeout: 120_000,
}, async () => {
  const session = await begin();
  await call(session, remove("d"), write("d/one"));
  for (let calls = 0; calls < LIMITS.maxLayers + 2; calls++) await call(session, write("other"));
  expect(session.record.stack.some(({ collapsed }) => collapsed !== undefined)).toBe(true);
  const gone = ["deleted d/a", "deleted d/b", "deleted d/e/f", "deleted d/e/g"];
  expect(await shown(session)).toEqual([...gone, "added d/one", "modified other"]);
});
