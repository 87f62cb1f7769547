// The mask that hides a project's secrets goes with the project: it alters nothing, and what came is hidden.
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { clockStep } from "../../../src/workspace/fs/file-clock.ts";
import { file } from "../../kit/worlds/planted-tree.ts";
import { tempSessionWorld } from "../../kit/worlds/session-world.ts";

async function begin() {
  const world = tempSessionWorld(
    new Map([
      ["d/f.txt", file("one\n")],
      ["d/.env", file("KEY=1")],
      ["e/f.txt", file("one\n")],
    ]),
  );
  const session = await world.create("kernel");
  await session.hideSecrets();
  return {
    session,
    tick: () => clockStep(world.stateDir),
    at: (name: string) => path.join(world.project, name),
    change: (at: string) =>
      session.change({ id: "c", tool: "test" }, async () => void session.workspace.write(at, "agent\n")),
    names: (directory: string) => fs.readdirSync(`/proc/self/fd/${session.view.fd}/${directory}`).sort(),
  };
}

test("a directory that was made private stays so at a commit", async () => {
  const { session, at, change, tick } = await begin();
  fs.chmodSync(at("d"), 0o700);
  await tick();
  await change("d/new");
  expect(await session.commit()).toMatchObject({ committed: ["d/new"] });
  expect(fs.statSync(at("d")).mode & 0o777).toBe(0o700);
});

test("a file in a directory's place is not taken for a directory", async () => {
  const { at, change } = await begin();
  fs.renameSync(at("d"), at("d.old"));
  fs.writeFileSync(at("d"), "the user's\n");
  await expect(change("d/new")).rejects.toMatchObject({ code: "NOT_A_DIRECTORY" });
});

test("secrets that came since are hidden from the next changing call on, and others are seen", async () => {
  const { at, change, names } = await begin();
  fs.writeFileSync(at("e/.env"), "KEY=2");
  fs.writeFileSync(at("e/other"), "");
  await change("new");
  expect([names("d"), names("e")]).toEqual([["f.txt"], ["f.txt", "other"]]);
});

test("secrets that came since are hidden from the next checkpoint on, also where nothing was in the way before", async () => {
  const { session, at, names } = await begin();
  fs.mkdirSync(at("new/.ssh"), { recursive: true });
  fs.writeFileSync(at("new/.ssh/id_rsa"), "key");
  await session.checkpoint();
  expect([names("new"), names("d")]).toEqual([[], ["f.txt"]]);
});
