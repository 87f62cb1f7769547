// A session that was open in a container. A PID namespace is what hides the holder from everybody outside.
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { isLockHeld } from "../../../src/core/lock.ts";
import { openSessionCliWorld } from "../../kit/worlds/session-cli-world.ts";

const CHILD = path.resolve(import.meta.dirname, "../../kit/children/session-child.mjs");
const kills: (() => void)[] = [];
afterEach(() => {
  for (const kill of kills.splice(0)) kill();
});

/** Opens the session as the first process of a PID namespace; returns a function that kills it. */
async function openInContainer(stateDir: string, id: string): Promise<() => Promise<unknown>> {
  const args = ["--user", "--map-current-user", "--pid", "--fork", "--kill-child", process.execPath, CHILD];
  const unshare = spawn("unshare", [...args, stateDir, id], { stdio: ["ignore", "pipe", "inherit"] });
  kills.push(() => unshare.kill("SIGKILL"));
  await once(unshare.stdout, "data");
  return () => {
    const closed = once(unshare, "close");
    unshare.kill("SIGKILL");
    return closed;
  };
}

test("issue-17-7: a session that was killed with its container opens at once; while it lives, LOCKED names it and the file", async () => {
  const { id, run, stateDir } = await openSessionCliWorld({ a: "a\n" });
  const lock = path.join(stateDir, "sessions", id, "lock");
  const kill = await openInContainer(stateDir, id);
  const held = await run(["session", "discard", id, "--yes", "--wait", "0"]);
  expect([held.code, isLockHeld(lock)]).toEqual([1, true]);
  expect(held.err).toMatch(
    `Could not lock "${lock}": process 1 in another container (session-child.mjs) holds it.`,
  );
  await kill();
  expect([isLockHeld(lock), (await run(["session", "discard", id, "--yes", "--wait", "0"])).code]).toEqual([
    false,
    0,
  ]);
});

test("issue-17-7: parallel commands on one session wait their turn", async () => {
  const world = await openSessionCliWorld({ a: "a\n" });
  const runs = Array.from({ length: 8 }, () => world.run(["session", "fork", world.id]));
  expect((await Promise.all(runs)).map(({ code }) => code)).toEqual(Array(8).fill(0));
});
