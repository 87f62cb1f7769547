// A diff is taken from the session's own view where that is sure to show the project as it is now.
import fs from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { createProtection } from "../../src/policy/protected.ts";
import { fileClock, TIME_STEP_MS } from "../../src/workspace/file-clock.ts";
import { openRoot } from "../../src/workspace/paths.ts";
import { withDiff } from "../../src/workspace/session/session-diff.ts";
import type { ShownView } from "../../src/workspace/session/session-view.ts";
import type { Session } from "../../src/workspace/session/session-words.ts";
import { file } from "../kit/planted-tree.ts";
import { type SessionWorld, tempSessionWorld } from "../kit/session-world.ts";

const LATER_MS = 3_600_000;

/** A directory that two calls have changed: whether it hides something has to be looked for. */
async function begin(world: SessionWorld): Promise<Session> {
  const session = await world.create("kernel");
  for (const name of ["a", "b"])
    await session.change({ id: name, tool: "test" }, async () =>
      session.workspace.write(`d/${name}`, "new\n"),
    );
  await session.read(async () => session.workspace.list("d"));
  return session;
}

const beginWorld = () =>
  tempSessionWorld(
    new Map([
      ["d/a", file("old\n")],
      ["d/z", file("z")],
    ]),
  );

function diffBy(session: Session, { stateDir }: SessionWorld, shown: ShownView | null): Promise<string[]> {
  const options = { stateDir, protectionOf: createProtection(), shown };
  return withDiff(session.record.id, options, ({ changes }) =>
    changes.map(({ kind, path: at }) => `${kind} ${at}`),
  );
}

const CHANGED = ["modified d/a", "added d/b"];

test("a view that may not show the names of the project is not used", async () => {
  const world = beginWorld();
  const session = await begin(world);
  const until = fileClock(world.stateDir);
  const directory = path.join(world.project, "d");
  fs.renameSync(directory, path.join(world.project, "elsewhere"));
  fs.mkdirSync(directory);
  fs.writeFileSync(path.join(directory, "of-the-user"), "");
  const changed = ["added d/a", "added d/b"];
  const control = await diffBy(session, world, { root: session.view });
  expect(control).toEqual([...changed, "deleted d/of-the-user", "added d/z"]);
  expect(await diffBy(session, world, { root: session.view, until })).toEqual(changed);
  expect(await session.diff(({ changes }) => changes.length)).toBe(changed.length);
});

test("one that shows the project as it has been for some time is used", async () => {
  const world = beginWorld();
  const session = await begin(world);
  fs.mkdirSync(path.join(world.top, "other/d"), { recursive: true });
  const other = openRoot(path.join(world.top, "other"));
  const until = fileClock(world.stateDir) + LATER_MS;
  expect(await diffBy(session, world, { root: other, until })).toEqual(["deleted d/a", "deleted d/z"]);
  fs.closeSync(other.fd);
});

test("in an old project a diff in the session says what one from outside says, also after an edit of the user", async () => {
  const world = beginWorld();
  const made = fileClock(world.project);
  while (fileClock(world.stateDir) < made + TIME_STEP_MS) await setTimeout(100);
  const session = await begin(world);
  const both = async () => [
    await session.diff(({ changes }) => changes.map(({ kind, path: at }) => `${kind} ${at}`)),
    await diffBy(session, world, null),
  ];
  expect(await both()).toEqual([CHANGED, CHANGED]);
  fs.renameSync(path.join(world.project, "d", "z"), path.join(world.project, "d", "b"));
  const edited = ["modified d/a", "modified d/b"];
  expect(await both()).toEqual([edited, edited]);
});
