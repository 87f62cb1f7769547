// A session, and a user who edits the files of its project meanwhile.
import fs from "node:fs";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { createProtection } from "../../../src/policy/protected.ts";
import { openStateDir } from "../../../src/workspace/files/state-dir.ts";
import { fileClock } from "../../../src/workspace/fs/file-clock.ts";
import { createSession } from "../../../src/workspace/session/create-session.ts";
import { openSession } from "../../../src/workspace/session/session.ts";
import type { Session } from "../../../src/workspace/session/session-types.ts";
import { tempDir } from "./temp-cell.ts";

const protectionOf = createProtection();

export async function begin(strategy: "kernel" | "clone", files: Readonly<Record<string, string>>) {
  const top = tempDir();
  const project = path.join(top, "project");
  const inProject = (name: string) => path.join(project, name);
  fs.mkdirSync(project);
  for (const [name, content] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(inProject(name)), { recursive: true });
    fs.writeFileSync(inProject(name), content);
  }
  const place = { stateDir: openStateDir(path.join(top, "state"), project), protectionOf };
  const closing = async (opening: Promise<Session>) => {
    const session = await opening;
    onTestFinished(() => session.close());
    return session;
  };
  /** Waits until the next change will have a later time than the previous one. */
  const tick = async () => {
    const before = fileClock(place.stateDir);
    while (fileClock(place.stateDir) <= before) await setImmediate();
  };
  // A file as new as the session has an unknown base, which a commit would report as a conflict.
  await tick();
  const session = await closing(createSession(project, { ...place, strategy }));
  await tick();
  return {
    session,
    inProject,
    tick,
    place,
    reopen: () => closing(openSession(session.record.id, place)),
    /** A call that runs this work. The user edits during or after it. */
    async call(work: (workspace: Session["workspace"]) => void, id = "c") {
      await session.change({ id, tool: "test" }, async () => work(session.workspace));
      await tick();
    },
    async edit(name: string, content: string) {
      fs.writeFileSync(inProject(name), content);
      await tick();
    },
    read: (name: string) => fs.readFileSync(inProject(name), "utf8"),
    shown: () => session.diff(({ shown }) => shown.map(({ path: at, kind }) => `${kind} ${at}`)),
  };
}
