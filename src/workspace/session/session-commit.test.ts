import fs from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { interruptCommit } from "../../../test/kit/interrupt-commit.ts";
import { tempDir } from "../../../test/kit/worlds/temp-cell.ts";
import { createProtection } from "../../policy/protected.ts";
import { recoverCommit } from "../commit/recover.ts";
import { openStateDir } from "../files/state-dir.ts";
import { sessionDir } from "../layers/record.ts";
import { withCommitLock } from "./commit-lock.ts";
import { unfinishedCommits } from "./commits.ts";
import { createSession } from "./create-session.ts";
import { recoverSessions } from "./registry/recover-sessions.ts";
import type { Session } from "./session-types.ts";

/** Two sessions of one project: a commit of the first was interrupted, the second has something to commit. */
async function makeWorld() {
  const top = tempDir();
  const project = path.join(top, "project");
  fs.mkdirSync(project);
  const stateDir = openStateDir(path.join(top, "state"), project);
  const protection = createProtection();
  let onPlan = () => {};
  const protectionOf = (at: string) => {
    onPlan();
    return protection(at);
  };
  const make = async (name: string): Promise<Session> => {
    const session = await createSession(project, { stateDir, protectionOf, strategy: "clone" });
    onTestFinished(() => session.close());
    await session.change({ id: name, tool: "write_file" }, async () => session.workspace.write(name, name));
    return session;
  };
  const [first, second] = [await make("first"), await make("second")];
  // The first change after the point of no return.
  await interruptCommit(first, stateDir, (n) => n === 5);
  const [unfinished] = unfinishedCommits(sessionDir(stateDir, first.record.id));
  return {
    stateDir,
    first,
    second,
    unfinished: unfinished!,
    files: () => fs.readdirSync(project).sort(),
    /** When a session next plans. */
    planned: () => new Promise<void>((resolve) => (onPlan = resolve)),
  };
}

test("a commit is refused while another session's to the same project is interrupted", async () => {
  const { first, second } = await makeWorld();
  await expect(second.commit()).rejects.toMatchObject({
    code: "COMMIT_INTERRUPTED",
    details: { session: first.record.id },
  });
});

test("a recovery that waits for the project's lock ends when its signal aborts", async () => {
  const { stateDir, first, unfinished } = await makeWorld();
  const reason = new Error("aborted");
  await withCommitLock(first.record, { stateDir }, async () => {
    const aborting = new AbortController();
    const store = { stateDir, waitMs: 2000, signal: aborting.signal };
    const recovering = recoverSessions(store, first.record.id);
    aborting.abort(reason);
    await expect(recovering).rejects.toBe(reason);
  });
  expect(unfinishedCommits(sessionDir(stateDir, first.record.id))).toEqual([unfinished]);
});

test("a commit waits for another session's that is being finished, and goes through then", async () => {
  const { stateDir, first, second, unfinished, files, planned } = await makeWorld();
  const committing = await withCommitLock(first.record, { stateDir }, async (project) => {
    const planning = planned();
    const commit = second.commit();
    await Promise.race([planning, commit]);
    await recoverCommit(unfinished, project);
    return { commit };
  });
  expect(await committing.commit).toMatchObject({ committed: ["second"] });
  expect(files()).toEqual(["first", "second"]);
});

test("a base's text that a power failure cut is not merged with: the path is a conflict", async () => {
  const top = tempDir();
  const [project, state] = [path.join(top, "project"), path.join(top, "state")];
  fs.mkdirSync(project);
  fs.writeFileSync(path.join(project, "f"), "1\n2\n3\n4\n");
  const stateDir = openStateDir(state, project);
  const session = await createSession(project, {
    stateDir,
    protectionOf: createProtection(),
    strategy: "clone",
  });
  onTestFinished(() => session.close());
  await session.change({ id: "1", tool: "write_file" }, async () =>
    session.workspace.write("f", "one\n2\n3\n4\n"),
  );
  fs.writeFileSync(path.join(project, "f"), "1\n2\n");
  const texts = path.join(sessionDir(stateDir, session.record.id), "base");
  for (const name of fs.readdirSync(texts)) fs.truncateSync(path.join(texts, name), "1\n2\n".length);
  // By the text that is left, only the session would have changed the end.
  expect(await session.commit({ onConflict: "merge" })).toMatchObject({
    committed: [],
    conflicts: [{ path: "f" }],
  });
  expect(fs.readFileSync(path.join(project, "f"), "utf8")).toBe("1\n2\n");
});
