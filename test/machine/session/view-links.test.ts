// No link in a session's view is followed by the kernel, whoever asks: that is why a path of many names may be
// opened at once.
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { HotcellError } from "../../../src/core/errors.ts";
import type { Session } from "../../../src/workspace/session/session-types.ts";
import { IS_ROOT } from "../../kit/is-root.ts";
import { compile } from "../../kit/native/compile.ts";
import { file, symlink } from "../../kit/worlds/planted-tree.ts";
import { tempSessionWorld } from "../../kit/worlds/session-world.ts";

const ROUNDS = 20_000;

const inView = (session: Session, at: string) => `/proc/${process.pid}/fd/${session.view.fd}/${at}`;

async function begin() {
  const links = { out: "../outside", leak: "../outside/f", in: "d" };
  const planted = Object.entries(links).map(([at, target]) => [at, symlink(target)] as const);
  const world = tempSessionWorld(new Map([["d/f", file("inside")], ...planted]));
  fs.mkdirSync(path.join(world.top, "outside"));
  fs.writeFileSync(path.join(world.top, "outside/f"), "OUTSIDE");
  return { ...world, session: await world.create("kernel") };
}

test.each([
  ["out/f", "OUTSIDE"],
  ["leak", "OUTSIDE"],
  ["in/f", "inside"],
])("the kernel does not follow %s in the view, as it does in the project", async (at, content) => {
  const { session, project } = await begin();
  expect(fs.readFileSync(path.join(project, at), "utf8")).toBe(content);
  expect(() => fs.readFileSync(inView(session, at))).toThrow("ELOOP");
  expect(fs.readFileSync(inView(session, "d/f"), "utf8")).toBe("inside");
});

test("links that lead inside are followed by the session itself", async () => {
  const { workspace } = (await begin()).session;
  expect(String(workspace.read("in/f"))).toBe("inside");
  expect(workspace.stat("in/f").size).toBe(6);
  expect(workspace.resolve("in/f")).toEqual({ path: "d/f", kind: "file" });
});

test.runIf(IS_ROOT)("a device of the project is not opened, and told as such", async () => {
  const { session, project } = await begin();
  await makeNull(path.join(project, "null"));
  expect(fs.readFileSync(path.join(project, "null"), "utf8")).toBe("");
  await session.read(async () => {
    expect(() => session.workspace.read("null")).toThrow("it is a device");
    expect(() => fs.readFileSync(inView(session, "null"))).toThrow("EACCES");
  });
});

async function makeNull(at: string): Promise<void> {
  await once(spawn("mknod", [at, "c", "1", "3"]), "close");
}

test(`${ROUNDS} reads below a name that is exchanged with a link outside never lead there`, async () => {
  const { session, top } = await begin();
  const { workspace } = session;
  await session.change({ id: "c", tool: "test" }, async () => {
    workspace.write("own/f", "inside");
    fs.symlinkSync(path.join(top, "outside"), inView(session, "swapped"));
  });
  const naive = followed(top);
  const stop = await exchange(inView(session, "own"), inView(session, "swapped"));
  const seen = new Set<string>();
  // On a busy machine the attacker may have to be waited for.
  const isMet = () => seen.has("inside") && seen.has("SYMLINK_OUTSIDE_WORKSPACE");
  for (let round = 0; round < ROUNDS || (!isMet() && round < 20 * ROUNDS); round++)
    seen.add(tryRead(() => workspace.read("own/f")));
  await stop();
  expect(naive).toBe("OUTSIDE");
  expect(isMet()).toBe(true);
  // The last is what is said of a name that was exchanged in the very moment.
  const fine = ["inside", "SYMLINK_OUTSIDE_WORKSPACE", "EXECUTION_ERROR"];
  expect([...seen].filter((what) => !fine.includes(what))).toEqual([]);
});

/** The control: out of the view, what was exchanged leads outside. */
function followed(top: string): string {
  fs.symlinkSync("outside", path.join(top, "link"));
  return fs.readFileSync(path.join(top, "link/f"), "utf8");
}

function tryRead(read: () => Buffer): string {
  try {
    return read().toString();
  } catch (error) {
    if (error instanceof HotcellError) return error.code;
    throw error;
  }
}

/** An attacker exchanges two names until it is stopped. */
async function exchange(...names: readonly [string, string]): Promise<() => Promise<void>> {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), "hotcell-exchange-"));
  onTestFinished(() => fs.rmSync(home, { recursive: true }));
  const child = spawn(compile("swap", home), names, { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  return async () => {
    child.kill("SIGKILL");
    await once(child, "close");
  };
}
