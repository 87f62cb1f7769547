// How the processes that search begin and end.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { SearchQuery } from "../../../src/workspace/files/search-query.ts";
import type { WorkspaceFS } from "../../../src/workspace/files/workspace-fs.ts";
import { childrenOf, isRunning } from "../../kit/children/children.ts";
import { IS_ROOT } from "../../kit/is-root.ts";
import { queryFor } from "../../kit/search-query.ts";
import { ROOT } from "../../kit/worlds/document.ts";
import { type HostWorld, makeHostWorld } from "../../kit/worlds/host-workspace.ts";

const PATIENCE = { timeout: 60_000 };
const CHILD = path.join(import.meta.dirname, "../../kit/children/search-processes-child.mjs");
const MIB = 1024 * 1024;
const NOBODY = 65534;
/** Matched for ever, by V8. */
const ENDLESS = { text: `${"a".repeat(40)}c ab`, query: queryFor("^(a+)+(?!a)b", { regex: true }) };
const ANY = queryFor("x", { regex: true });

let world: HostWorld;
let workspace: WorkspaceFS;
/** What others have started, and may still be there. */
let others: readonly number[];
beforeEach(() => {
  others = childrenOf("self");
  world = makeHostWorld();
  fs.writeFileSync(`${world.root}/f`, "x");
  workspace = world.open();
  onTestFinished(() => {
    workspace.close();
    world.remove();
  });
});

const started = (): number[] => childrenOf("self").filter((pid) => !others.includes(pid));

/** All ways to search; gives the processes that do it. */
async function searched(): Promise<number[]> {
  await Promise.all(["f", ".", "f", "."].map((at) => workspace.search(at, ANY)));
  const processes = started();
  expect([1, 2]).toContain(processes.length);
  return processes;
}

const ended = () => vi.waitFor(() => expect(started()).toEqual([]), PATIENCE);

test("what is found at once needs no process", async () => {
  // On a busy machine little is found at once: then it is tried again, when the processes have ended.
  await vi.waitFor(async () => {
    expect(started()).toEqual([]);
    const { matches } = await workspace.search(".", queryFor("x"));
    expect([matches.length, started()]).toEqual([1, []]);
  }, PATIENCE);
});

test("a search starts two processes at most, which end with the workspace", async () => {
  await searched();
  workspace.close();
  await ended();
});

test("the processes of a search end when there was none for a while", async () => {
  await searched();
  await ended();
});

test("they are used for the next search, and keep nothing of the one before", async () => {
  const processes = await searched();
  for (const pid of processes) {
    const open = [fs.readlinkSync(`/proc/${pid}/cwd`), ...openIn(pid)];
    expect(open.filter((at) => at.startsWith(world.top))).toEqual([]);
  }
  expect(await searched()).toEqual(processes);
});

test("what a terminal says does not reach them, and they know nothing of the environment", async () => {
  for (const pid of await searched()) {
    const [, fields] = fs.readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
    expect(Number(fields!.split(" ")[3]), "session").toBe(pid);
    expect(fs.readFileSync(`/proc/${pid}/environ`, "utf8")).toBe("");
  }
});

describe("when a process is killed", () => {
  beforeEach(async () => {
    fs.writeFileSync(`${world.root}/g`, ENDLESS.text);
    await searched();
  });
  const killed = {
    code: "EXECUTION_ERROR",
    message: "Could not search: a search process ended (SIGKILL). Try again.",
  };

  test.each([0, 1])("at work, the search says so, and the next one works: process %i", async (at) => {
    const processes = started();
    const search = workspace.search(".", ENDLESS.query);
    process.kill(processes[at] ?? processes[0]!, "SIGKILL");
    await expect(search).rejects.toMatchObject(killed);
    expect((await workspace.search(".", ANY)).matches).toHaveLength(1);
  });

  test("between two searches, the next one works", async () => {
    for (const pid of started()) process.kill(pid, "SIGKILL");
    await ended();
    expect((await workspace.search(".", ANY)).matches).toHaveLength(1);
  });
});

test("a search is not stopped by what was said to stop others, however many they were", async () => {
  const places = Array.from({ length: 1200 }, (_, at) => `d${at % 60}/${at}`);
  for (const at of places) {
    fs.mkdirSync(path.dirname(`${world.root}/${at}`), { recursive: true });
    fs.writeFileSync(`${world.root}/${at}`, "x");
  }
  fs.writeFileSync(`${world.root}/f`, "x\nx\n");
  const once = queryFor("x", { regex: true, maxMatches: 1 });
  for (let times = 0; times < 300; times++) expect((await workspace.search("f", once)).truncated).toBe(true);
  const { matches, truncated } = await workspace.search(".", ANY);
  expect([matches.length, truncated]).toEqual([places.length + 2, false]);
});

test.each([
  ["killed", "a search process ended (SIGKILL)"],
  ["missing", "hotcell could not start a search process (spawn /nonexistent/node ENOENT)"],
])("a search says so when its processes are %s, though nothing else keeps who asks", async (how, state) => {
  const { child, said } = searchElsewhere(ANY, how);
  const ended = once(child, "exit");
  expect(await said()).toEqual(how === "killed" ? expect.arrayContaining([expect.any(Number)]) : []);
  expect(await said()).toEqual({
    code: "EXECUTION_ERROR",
    message: `Could not search: ${state}. Try again.`,
  });
  expect(await ended).toEqual([0, null]);
});

/** Another process searches, with these rights; what it says, line by line, and then it waits. */
function searchElsewhere(query: SearchQuery, rights = "same") {
  const args = [CHILD, world.root, world.stateDir, JSON.stringify(query), rights];
  // In a group of its own: what ends that must not end us.
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"], detached: true });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return { child, said: async () => JSON.parse((await lines.next()).value) };
}

describe("when who asked is killed, the processes end", () => {
  test.each<[when: string, query: SearchQuery, isAtWork: (pid: number) => boolean]>([
    ["while they wait", ANY, () => true],
    ["while they read", queryFor("[x-z]{3}", { regex: true }), (pid) => bytesReadBy(pid) > 64 * MIB],
    ["while one matches for ever", ENDLESS.query, (pid) => hasOpen(pid, "g")],
  ])("%s", async (_, query, isAtWork) => {
    fs.writeFileSync(`${world.root}/g`, ENDLESS.text);
    fs.mkdirSync(`${world.root}/h`);
    fs.writeFileSync(`${world.root}/h/0`, "y\n".repeat(8 * MIB));
    for (let at = 1; at < 1000; at++) fs.linkSync(`${world.root}/h/0`, `${world.root}/h/${at}`);
    const { child, said } = searchElsewhere(query);
    const processes: number[] = await said();
    expect([1, 2]).toContain(processes.length);
    await vi.waitFor(() => expect(processes.some(isAtWork)).toBe(true), PATIENCE);
    child.kill("SIGKILL");
    await once(child, "exit");
    await vi.waitFor(() => expect(processes.filter(isRunning)).toEqual([]), PATIENCE);
  });
});

const bytesReadBy = (pid: number): number =>
  Number(/rchar: (\d+)/.exec(fs.readFileSync(`/proc/${pid}/io`, "utf8"))![1]);

const hasOpen = (pid: number, file: string): boolean => openIn(pid).includes(`${world.root}/${file}`);

/** Descriptors come and go. */
function openIn(pid: number): string[] {
  return fs.readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return [fs.readlinkSync(`/proc/${pid}/fd/${fd}`)];
    } catch {
      return [];
    }
  });
}

/** Whether an ordinary user can read the code. */
const canBeNobody =
  IS_ROOT && spawnSync("cat", [path.join(ROOT, "dist/index.js")], { uid: NOBODY, gid: NOBODY }).status === 0;

describe.runIf(canBeNobody)("a process that has given up rights is searched for", () => {
  test.each(["for a while", "for good"])("%s: with those that it has", async (rights) => {
    fs.chmodSync(world.top, 0o755);
    fs.writeFileSync(`${world.root}/closed`, "x", { mode: 0o600 });
    for (let at = 0; at < 100; at++) {
      fs.mkdirSync(`${world.root}/${at}`);
      for (let file = 0; file < 10; file++) fs.writeFileSync(`${world.root}/${at}/${file}`, "x");
    }
    const { said } = searchElsewhere(ANY, rights);
    await said();
    expect(await said()).toMatchObject({ found: 1001, unreadable: 1 });
  });
});
