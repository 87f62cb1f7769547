// A session whose state is on another file system than its project: there the overlay may number directories anew with
// each mount.
import fs from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { createProtection } from "../../../src/policy/protected.ts";
import { openStateDir } from "../../../src/workspace/files/state-dir.ts";
import { createSession } from "../../../src/workspace/session/create-session.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";

const DIRECTORIES = Array.from({ length: 20 }, (_, index) => `d${index}`);

/** All of them have the same times. */
function makeAlike(project: string): void {
  const times = () => DIRECTORIES.map((name) => fs.statSync(path.join(project, name)).ctimeMs);
  do {
    for (const name of DIRECTORIES) {
      fs.rmSync(path.join(project, name), { recursive: true, force: true });
      fs.mkdirSync(path.join(project, name));
    }
    for (const name of DIRECTORIES) fs.writeFileSync(path.join(project, name, `in ${name}`), "");
  } while (new Set(times()).size > 2);
}

test("a walk gives each directory its own names, whatever number it has after a call", async () => {
  const memory = fs.mkdtempSync("/dev/shm/hotcell-test-");
  onTestFinished(() => fs.rmSync(memory, { recursive: true }));
  makeAlike(memory);
  // Long enough ago that names are remembered.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10_000 });
  onTestFinished(() => void vi.useRealTimers());
  const place = { stateDir: openStateDir(tempDir(), memory), protectionOf: createProtection() };
  const session = await createSession(memory, { ...place, strategy: "kernel" });
  onTestFinished(() => session.close());
  const { workspace, view } = session;
  const walk = (names: readonly string[]) =>
    session.read(async () => names.map((name) => Array.from(workspace.walk(name), (entry) => entry.path)));
  const change = (id: string) => session.change({ id, tool: "test" }, async () => workspace.write("f", id));
  const { dev } = fs.fstatSync(view.fd);
  await walk(DIRECTORIES);
  // Until the view is a mount of the same number.
  for (let call = 0; call === 0 || (call < 20 && fs.fstatSync(view.fd).dev !== dev); call++)
    await change(`c${call}`);
  const reversed = DIRECTORIES.toReversed();
  expect(await walk(reversed)).toEqual(reversed.map((name) => [`${name}/in ${name}`]));
});
