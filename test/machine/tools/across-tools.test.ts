// A command leaves something behind, and then the file tools and the session's own operations come upon it.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { Cell, CellOptions } from "../../../src/cell.ts";
import { HotcellError } from "../../../src/core/errors.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import type { CallEvent, MountsObservation, Observation } from "../../../src/core/types.ts";
import { TEMP_PREFIX } from "../../../src/workspace/fs/paths.ts";
import { compile } from "../../kit/native/compile.ts";
import { openTempCell } from "../../kit/worlds/temp-cell.ts";

const CANARY = "CANARY-OUTSIDE";
const OUTSIDE = "SYMLINK_OUTSIDE_WORKSPACE";

async function open(options: Partial<CellOptions> = {}) {
  const { cell, root } = await openTempCell(
    { fs: "overlay", trust: "autonomous", timeoutMs: 30_000, ...options },
    { f: "project\n", "d/x": "x\n" },
  );
  const outsideDir = path.join(path.dirname(root), "outside");
  fs.chmodSync(path.dirname(root), 0o755);
  fs.mkdirSync(outsideDir);
  fs.writeFileSync(path.join(outsideDir, "plain"), CANARY);
  const call = (name: string, args: JsonObject) => cell.call({ name, arguments: args });
  return {
    cell,
    root,
    call,
    inProject: (name: string) => path.join(root, name),
    outside: () =>
      execFileSync("bash", ["--norc", "-c", "ls -lAR --time-style=+; cat *"], { cwd: outsideDir }).toString(),
    /** Gives the id of the call. */
    async run(command: string): Promise<string> {
      const { output, error, meta } = await call("run_command", { command });
      expect([error, output?.exit_code, output?.stderr]).toEqual([null, 0, ""]);
      return meta.callId;
    },
    /** The codes of what three file tools say of a path, and all that they gave. */
    async tryFileTools(at: string) {
      const read = await call("read_file", { path: at });
      const listed = await call("list_directory", { path: at });
      const written = await call("write_file", { path: at, content: "W" });
      const all = [read, listed, written];
      return {
        codes: all.map(({ error }) => error?.code),
        shown: JSON.stringify(all.map(({ output }) => output)),
      };
    },
  };
}

/** Ways outside from the project's root: to a directory with the canary in `plain`. */
const WAYS_OUT: readonly (readonly [string, (root: string) => string])[] = [
  ["an absolute link", (root) => path.join(path.dirname(root), "outside")],
  ["a relative link", () => "../outside"],
  ["a link through /proc/self/root", (root) => `/proc/self/root${path.dirname(root)}/outside`],
  ["a link through /proc/self/cwd", () => "/proc/self/cwd/../outside"],
  ["a link back through the project's own path", (root) => `${root}/../outside`],
];

describe("P6.2: a link that a command made", () => {
  test.each(WAYS_OUT)("control: a program that follows it reads outside by %s", async (_, target) => {
    const { root, inProject } = await open();
    fs.symlinkSync(target(root), inProject("l"));
    expect(spawnSync("cat", ["l/plain"], { cwd: root }).stdout.toString()).toBe(CANARY);
  });
  test.each(WAYS_OUT)("is followed by no search, and by no tool on mount paths: %s", async (_, target) => {
    const { cell, root, run, outside } = await open({ toolsets: ["sidecar", "mounts"] });
    const before = outside();
    await run(`ln -s ${target(root)} l; ln -s l/plain l2; echo ${CANARY} > mine`);
    const search = async (args: JsonObject) => cell.call({ name: "search_files", arguments: args });
    const found = { matches: [{ path: "mine", line: 1, text: CANARY }] };
    expect((await search({ pattern: CANARY })).output).toMatchObject(found);
    for (const at of ["l", "l/plain", "l2"])
      expect((await search({ pattern: CANARY, path: at })).error?.code).toBe(OUTSIDE);
    const patch = { operation: "replace", oldText: CANARY, newText: "W" };
    for (const at of ["@project/l/plain", "@project/l2"])
      for (const [name, more] of [
        ["fs.read", {}],
        ["fs.list", {}],
        ["fs.search", { pattern: CANARY }],
        ["fs.write", { content: "W" }],
        ["fs.apply_patch", { patch }],
      ] as const) {
        const given = await cell.call<MountsObservation>({ name, arguments: { path: at, ...more } });
        expect([name, given]).toMatchObject([name, { ok: false, error: { code: "E_SANDBOX_VIOLATION" } }]);
      }
    expect(outside()).toBe(before);
  });
  test.each(WAYS_OUT)(
    "is followed by no file tool, diff, commit, revert or rewind: %s",
    async (_, target) => {
      const { cell, root, run, tryFileTools, inProject, outside } = await open();
      const before = outside();
      await run(`ln -s ${target(root)} l; ln -s l/plain l2`);
      for (const at of ["l/plain", "l/new", "l2"])
        expect((await tryFileTools(at)).codes).toEqual([OUTSIDE, OUTSIDE, OUTSIDE]);
      const view = await cell.diff();
      expect(view.changes.map(({ path: at, kind }) => [at, kind])).toEqual([
        ["l", "added"],
        ["l2", "added"],
      ]);
      expect(`${view.unified()}${await cell.patch()}`).not.toContain(CANARY);
      expect(await cell.commit()).toMatchObject({ committed: [] });
      expect(await cell.commit({ allowProtected: true })).toMatchObject({ committed: ["l", "l2"] });
      expect(fs.readlinkSync(inProject("l"))).toBe(target(root));
      expect((await tryFileTools("l2")).codes).toEqual([OUTSIDE, OUTSIDE, OUTSIDE]);
      await run("rm l; mkdir l; echo mine > l/plain");
      expect(await cell.commit()).toMatchObject({ committed: ["l", "l/plain"] });
      await cell.revert();
      await cell.discard({ paths: ["l"] });
      await cell.rewind(await run("rm l2; ln -s l/plain l2"));
      expect(outside()).toBe(before);
    },
  );
  test("in the place of a directory that was read before is not followed", async () => {
    const { run, call, tryFileTools, outside } = await open();
    const before = outside();
    await run("mkdir s; echo mine > s/plain");
    expect((await call("read_file", { path: "s/plain" })).output?.content).toBe("1\tmine");
    await run("rm -r s; ln -s ../outside s");
    const { codes, shown } = await tryFileTools("s/plain");
    expect([codes, shown]).toEqual([[OUTSIDE, OUTSIDE, OUTSIDE], "[null,null,null]"]);
    await run("rm s; mkdir s; echo again > s/plain");
    expect((await call("read_file", { path: "s/plain" })).output?.content).toBe("1\tagain");
    expect(outside()).toBe(before);
  });
  test("in the place of a directory of the project is committed and taken back as itself", async () => {
    const { cell, run, tryFileTools, inProject, outside } = await open();
    const before = outside();
    await run("rm -r d; ln -s ../outside d");
    expect((await tryFileTools("d/plain")).codes).toEqual([OUTSIDE, OUTSIDE, OUTSIDE]);
    const committed = await cell.commit({ allowProtected: true });
    expect(committed).toMatchObject({ committed: ["d", "d/x"], conflicts: [] });
    expect(fs.readlinkSync(inProject("d"))).toBe("../outside");
    await cell.revert();
    expect(fs.readFileSync(inProject("d/x"), "utf8")).toBe("x\n");
    expect(outside()).toBe(before);
  });
  test("as .git/hooks needs separate confirmation, and is then committed as a link", async () => {
    const { cell, run, call, inProject, outside } = await open();
    const before = outside();
    await run("mkdir .git; ln -s ../../outside .git/hooks");
    const written = await call("write_file", { path: ".git/hooks/pre-commit", content: "W" });
    expect(written.error?.code).toBe(OUTSIDE);
    const { skipped } = await cell.commit();
    expect(skipped).toContainEqual({ path: ".git/hooks", why: "needs confirmation" });
    expect(fs.existsSync(inProject(".git"))).toBe(false);
    await cell.commit({ allowProtected: true });
    expect(fs.readlinkSync(inProject(".git/hooks"))).toBe("../../outside");
    expect(outside()).toBe(before);
  });
});

describe("P6.2: something else that a command made", () => {
  test("a FIFO keeps nobody waiting, and is not committed", async () => {
    const { cell, run, root, tryFileTools } = await open();
    await run("mkfifo p");
    expect(
      spawnSync("timeout", ["0.2", "sh", "-c", "mkfifo $1/q; cat $1/q", "sh", path.dirname(root)]).status,
    ).toBe(124);
    expect((await tryFileTools("p")).codes).toEqual(["NOT_A_FILE", "NOT_A_DIRECTORY", "NOT_A_FILE"]);
    expect((await cell.diff()).stat()).toContain("p | new fifo");
    expect((await cell.commit()).skipped).toEqual([{ path: "p", why: "special file" }]);
    expect(fs.readdirSync(root)).toEqual(["d", "f"]);
  });
  test("a device can't be made, and neither can what an overlay takes for a removed file", async () => {
    const { call, cell } = await open();
    const { output } = await call("run_command", {
      command: "mknod null c 1 3; mknod f2 c 0 0; mknod b b 7 0; ls",
    });
    expect(output).toMatchObject({ stdout: "d\nf\n" });
    expect((await cell.diff()).changes).toEqual([]);
  });
  test("a sparse file of a gigabyte is not read into memory by reading, a diff or a patch", async () => {
    const { cell, run, call } = await open();
    await run("truncate -s 1G big; { head -c 20000 /dev/zero | tr '\\0' a; } > long; truncate -s 1G long");
    const before = process.memoryUsage().rss;
    expect((await call("read_file", { path: "big" })).output).toMatchObject({
      binary: true,
      content: null,
    });
    expect((await call("read_file", { path: "long" })).output).toMatchObject({
      truncated: true,
      sha256: null,
    });
    const view = await cell.diff();
    expect(view.changes.map(({ path: at, hunks }) => [at, hunks.length])).toEqual([
      ["big", 0],
      ["long", 0],
    ]);
    await expect(cell.patch()).rejects.toMatchObject({ code: "FILE_TOO_LARGE" });
    expect(process.memoryUsage().rss - before).toBeLessThan(512 * 1024 ** 2);
  });
  test("a file that is named like one of ours is a file, and stays in the session", async () => {
    const { cell, run, call, root } = await open();
    await run(`echo mine > ${TEMP_PREFIX}x; ln -s ../outside ${TEMP_PREFIX}y`);
    await call("write_file", { path: "f", content: "written" });
    await cell.commit();
    expect(fs.readFileSync(path.join(root, "f"), "utf8")).toBe("written");
    expect(fs.readdirSync(root)).toEqual(["d", "f"]);
  });
  test("a hard link to a file of the project leaves the file's other names alone", async () => {
    const { cell, root, run, call, inProject } = await open();
    const twin = path.join(path.dirname(root), "twin");
    fs.linkSync(inProject("f"), twin);
    await run("ln f hard; echo changed >> hard");
    await call("write_file", { path: "hard", content: "once more\n" });
    await cell.commit();
    expect(fs.readFileSync(inProject("hard"), "utf8")).toBe("once more\n");
    expect(fs.readFileSync(twin, "utf8")).toBe("project\n");
  });
});

describe("P6.2: a command that goes on exchanging a directory with a link", () => {
  test.each(["host", "overlay"] as const)("makes nobody read or write outside with fs %s", async (mode) => {
    const { cell, root, call, outside } = await open({ fs: mode });
    compile("swap", root);
    const before = outside();
    // In one call: a directory that an earlier one made can't be exchanged in an overlay.
    const command = "mkdir r; echo inside > r/plain; ln -s ../outside r2; exec ./swap r r2";
    const stop = await (mode === "host" ? startBeside(cell, command) : startBehind(cell, command));
    const { leaks, succeeded, refused } = await attempt(ROUNDS, async () => [
      await call("read_file", { path: "r/plain" }),
      await call("list_directory", { path: "r" }),
      await call("write_file", { path: "r/new", content: "W" }),
    ]);
    expect([leaks, succeeded > 0, refused > 0]).toEqual([0, true, true]);
    if (mode === "host") expect(controlLeaks(path.join(root, "r"), root)).toBe(true);
    else await expectNoLeak(cell, root);
    expect(outside()).toBe(before);
    await stop();
  });
});

/** What gives it ends it, and sees that it was at work until then. */
async function startBehind(cell: Cell, command: string): Promise<() => Promise<void>> {
  await cell.call({ name: "run_command", arguments: { command, background: true } });
  await vi.waitFor(() => expect(cell.processes.output("p1").stdout).toBe("ready\n"));
  return async () => {
    expect(cell.processes.list()).toMatchObject([{ end: null }]);
    await cell.processes.stop("p1");
  };
}

/** On the host file tools do not wait for a command. */
async function startBeside(cell: Cell, command: string): Promise<() => Promise<void>> {
  const stopping = new AbortController();
  let ended: Promise<Observation> | null = null;
  await new Promise<void>((ready) => {
    const onEvent = ({ kind }: CallEvent) => void (kind === "output" && ready());
    const options = { signal: stopping.signal, onEvent };
    ended = cell.call({ name: "run_command", arguments: { command } }, options);
  });
  return async () => {
    stopping.abort();
    expect((await ended!).error?.code).toBe("CANCELLED");
  };
}

const ROUNDS = 100;
/** On a busy machine the attacker may be preempted for long, always on the same side. */
const MOST_ROUNDS = 10_000;
const DIFF_ROUNDS = 10;

async function attempt(rounds: number, once: () => Promise<readonly Observation[]>) {
  const count = { leaks: 0, succeeded: 0, refused: 0 };
  const isEnough = (round: number) => round >= rounds && count.succeeded > 0 && count.refused > 0;
  for (let round = 0; round < MOST_ROUNDS && !isEnough(round); round++) {
    const observations = await once();
    if (JSON.stringify(observations).includes(CANARY)) count.leaks++;
    count.succeeded += observations.filter(({ success }) => success).length;
    count.refused += observations.filter(({ error }) => error?.code === OUTSIDE).length;
  }
  return count;
}

/** By diffs, patches and commits; a commit may well find that what it planned is not there any more. */
async function expectNoLeak(cell: Cell, root: string): Promise<void> {
  for (let round = 0; round < DIFF_ROUNDS; round++) {
    const shown = [
      await cell.diff().then((view) => view.unified(), messageOf),
      await cell.patch().then(String, messageOf),
      await cell.commit().then(JSON.stringify, messageOf),
    ];
    expect(shown.join()).not.toContain(CANARY);
  }
  expect(spawnSync("grep", ["-r", CANARY, root]).stdout.toString()).toBe("");
}

function messageOf(error: unknown): string {
  if (error instanceof HotcellError) return error.message;
  throw error;
}

const MOST_CONTROL_ROUNDS = 1_000_000;

/** Looks where the path leads, then reads: until that leaks for the first time. */
function controlLeaks(dir: string, root: string): boolean {
  for (let round = 0; round < MOST_CONTROL_ROUNDS; round++) {
    try {
      if (!fs.realpathSync(dir).startsWith(`${root}/`)) continue;
      if (fs.readFileSync(path.join(dir, "plain"), "utf8") === CANARY) return true;
    } catch {}
  }
  return false;
}
