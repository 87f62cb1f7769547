// A session's view does not contain the project's secrets, for any kind of access.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { createProtection } from "../../../src/policy/protected.ts";
import { createCursor } from "../../../src/workspace/fs/cursor.ts";
import { osPath } from "../../../src/workspace/fs/names.ts";
import { openRoot } from "../../../src/workspace/fs/paths.ts";
import { sessionDir } from "../../../src/workspace/layers/record.ts";
import { makeSession, removeDirectory } from "../../../src/workspace/layers/session-dirs.ts";
import { newRecord } from "../../../src/workspace/layers/stack.ts";
import { createWhiteouts } from "../../../src/workspace/layers/whiteout.ts";
import { openKernelView } from "../../../src/workspace/overlay/kernel-view.ts";
import { createMask, type Mask } from "../../../src/workspace/overlay/mask.ts";
import { digDown } from "../../kit/dig-down.ts";
import { IS_ROOT } from "../../kit/is-root.ts";
import { MEMORY_DIR } from "../../kit/memory-dir.ts";
import { directory, file, type Planted, plant, survey } from "../../kit/worlds/planted-tree.ts";

const SECRETS = [
  ".env",
  ".ssh/id_rsa",
  "config/credentials.json",
  "packages/odd\uDCFF/.env.local",
  "packages/closed/deep/server.KEY",
];
const OTHERS = [
  ".env.example",
  "config/app.json",
  "packages/odd\uDCFF/a",
  "packages/closed/b",
  "src/secrets.ts",
];

const PROJECT = new Map<string, Planted>([
  ...[...SECRETS, ...OTHERS].map((name): [string, Planted] => [name, file(`content of ${name}`)]),
  ["packages/closed/deep", directory(0o555)],
  ["packages/closed", directory(0o750)],
]);

function makeWorld(base = os.tmpdir()) {
  const top = fs.realpathSync(fs.mkdtempSync(path.join(base, "hotcell-mask-")));
  onTestFinished(() => removeDirectory(top));
  plant(`${top}/project`, PROJECT);
  const project = openRoot(`${top}/project`);
  onTestFinished(() => fs.closeSync(project.fd));
  const record = newRecord("one", project.path, "kernel", 0);
  makeSession(record, `${top}/state`);
  const dir = sessionDir(`${top}/state`, record.id);
  const hiding = (mask: Mask) => async () => {
    mask.hide();
    return !(await mask.fit());
  };
  const mask = createMask(dir, project, createProtection());
  return {
    dir,
    project,
    /** True if views may have to be mounted again. */
    hide: hiding(mask),
    follow: mask.fit,
    /** As another process has it. */
    other: (protectionOf = createProtection()) => ({ hide: hiding(createMask(dir, project, protectionOf)) }),
    /** The way to a new view. */
    async view(): Promise<string> {
      const view = await openKernelView(dir, record, () => null);
      onTestFinished(() => view.close());
      return `/proc/self/fd/${view.root.fd}`;
    },
  };
}

const found = (root: string, names: readonly string[]) =>
  names.filter((name) => fs.existsSync(osPath(`${root}/${name}`)));

const isHidden = (name: string) => SECRETS.includes(name) || name === ".ssh";

/** What `survey` says, and the owner and time of directories. */
function seen(root: string, hides: (name: string) => boolean) {
  return [...survey(root)]
    .filter(([name]) => !hides(name))
    .map(([name, what]) => {
      const { uid, gid, mtimeMs } = fs.lstatSync(osPath(`${root}/${name}`));
      return [name, what, uid, gid, Math.floor(mtimeMs / 1000)];
    })
    .sort();
}

test("secrets are not found in the view, and without the mask they would be", async () => {
  const world = makeWorld();
  expect(found(await world.view(), [...SECRETS, ...OTHERS])).toEqual([...SECRETS, ...OTHERS]);
  expect(await world.hide()).toBe(true);
  const view = await world.view();
  expect(found(view, [...SECRETS, ...OTHERS])).toEqual(OTHERS);
  for (const name of SECRETS) expect(() => fs.readFileSync(osPath(`${view}/${name}`))).toThrow("ENOENT");
});

test("all but the secrets is as it is in the project, the directories that hold them too", async () => {
  const world = makeWorld();
  if (IS_ROOT) fs.chownSync(`${world.project.path}/config`, 1234, 5678);
  fs.utimesSync(`${world.project.path}/config`, 1000, 2000);
  await world.hide();
  expect(seen(await world.view(), () => false)).toEqual(seen(world.project.path, isHidden));
});

test("the mask follows the project and the rules", async () => {
  const world = makeWorld();
  const at = (name: string) => path.join(world.project.path, name);
  await world.hide();
  fs.renameSync(at(".env"), at("env"));
  fs.rmSync(at("config"), { recursive: true });
  fs.writeFileSync(at("config"), "a file now");
  fs.writeFileSync(at("src/.netrc"), "new");
  await world.hide();
  expect(found(await world.view(), ["env", "config", "src/.netrc", ".ssh"])).toEqual(["env", "config"]);
  fs.chmodSync(at("packages"), 0o700);
  await world.hide();
  fs.utimesSync(at("packages"), 1000, 2000);
  await world.hide();
  await world.other(createProtection({ allow: ["**"] })).hide();
  expect(fs.readdirSync(path.join(world.dir, "mask"))).toEqual([]);
  expect(seen(await world.view(), () => false)).toEqual(seen(world.project.path, () => false));
});

test("a mask that hides follows also to new secrets; one that was not told to hides what it did, and alters nothing", async () => {
  const world = makeWorld();
  const at = (name: string) => path.join(world.project.path, name);
  await world.hide();
  fs.chmodSync(at("packages/closed"), 0o700);
  fs.rmSync(at("config"), { recursive: true });
  fs.writeFileSync(at("config"), "a file now");
  fs.writeFileSync(at("src/.netrc"), "new");
  const names = [...SECRETS, "config", "src/.netrc"];
  const modeOf = (root: string) => fs.statSync(`${root}/packages/closed`).mode & 0o777;
  const one = await world.view();
  expect([modeOf(one), found(one, names)]).toEqual([0o700, ["config", "src/.netrc"]]);
  await world.follow();
  expect(found(await world.view(), names)).toEqual(["config"]);
});

test("names are read again only in directories that changed", async () => {
  const world = makeWorld();
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
  onTestFinished(() => void vi.useRealTimers());
  const judged: string[] = [];
  const rules = createProtection();
  const { hide } = world.other((name) => {
    judged.push(name);
    return rules(name);
  });
  const judgedBy = async (work: () => void) => {
    judged.splice(0);
    work();
    return [await hide(), [...judged].sort()];
  };
  await hide();
  expect(await judgedBy(() => {})).toEqual([false, []]);
  const add = () => fs.writeFileSync(`${world.project.path}/config/.netrc`, "new");
  const names = [".netrc", "app.json", "credentials.json"].map((name) => `config/${name}`);
  expect(await judgedBy(add)).toEqual([true, names]);
  expect(await judgedBy(() => {})).toEqual([false, []]);
});

test("what changes while it may have the same time as before is seen", async () => {
  const world = makeWorld();
  for (let round = 0; round < 20; round++) {
    await world.hide();
    fs.writeFileSync(`${world.project.path}/src/${round}.pem`, "new");
    expect(await world.hide()).toBe(true);
  }
});

test("a session may have a file of its own where the project has a secret", async () => {
  const world = makeWorld();
  await world.hide();
  const view = await world.view();
  fs.writeFileSync(`${view}/.env`, "the session's");
  fs.writeFileSync(`${view}/config/credentials.json`, "the session's");
  expect(fs.readFileSync(`${await world.view()}/.env`, "utf8")).toBe("the session's");
  expect(fs.readFileSync(`${world.project.path}/.env`, "utf8")).toBe("content of .env");
});

test("the event loop runs during the scan of a large project", async () => {
  const world = makeWorld(MEMORY_DIR);
  for (let index = 0; index < 20_000; index++) {
    if (index % 100 === 0) fs.mkdirSync(`${world.project.path}/d${index}`);
    fs.writeFileSync(`${world.project.path}/d${index - (index % 100)}/${index}`, "");
  }
  let turns = 0;
  const take = () => {
    turns++;
    next = setImmediate(take);
  };
  let next = setImmediate(take);
  await world.hide();
  clearImmediate(next);
  expect(turns).toBeGreaterThan(2);
});

test("secrets deeper than any path leads are hidden with the directory above them", async () => {
  const world = makeWorld(MEMORY_DIR);
  const depth = 2100;
  digDown(world.project.path, depth, [".env", "other"]);
  await world.hide();
  const { fd } = openRoot(path.join(world.dir, "mask"));
  const cursor = createCursor(fd);
  let level = 0;
  const stat = () => fs.lstatSync(`/proc/self/fd/${cursor.fd}/d`);
  for (; stat().isDirectory(); level++) cursor.down("d");
  expect([stat().isCharacterDevice(), stat().rdev]).toEqual([true, 0]);
  expect(level).toBeGreaterThan(1000);
  expect(level).toBeLessThan(depth);
  cursor.close();
  fs.closeSync(fd);
});

test("there may be more whiteouts than names for one file", () => {
  const world = makeWorld();
  const { fd } = openRoot(path.join(world.dir, "mask"));
  const makeWhiteout = createWhiteouts(world.dir);
  for (let index = 0; index < 66_000; index++) makeWhiteout(fd, String(index));
  fs.closeSync(fd);
  const isWhiteout = (name: string) => {
    const stat = fs.statSync(path.join(world.dir, "mask", name));
    return stat.isCharacterDevice() && stat.rdev === 0;
  };
  expect(["0", "65999"].map(isWhiteout)).toEqual([true, true]);
});

test.runIf(!IS_ROOT)("a directory of one's own that can't be looked through is refused", async () => {
  const world = makeWorld();
  fs.chmodSync(`${world.project.path}/config`, 0o300);
  await expect(world.hide()).rejects.toMatchObject({
    code: "WORKSPACE_UNUSABLE",
    details: { path: "config" },
  });
  fs.chmodSync(`${world.project.path}/config`, 0o700);
});
