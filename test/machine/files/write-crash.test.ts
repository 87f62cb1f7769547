// Writing under real kills and real errors of the machine, at every step; and by two processes at once.
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openHostWorkspace } from "../../../src/workspace/directory/host.ts";
import { TEMP_PREFIX } from "../../../src/workspace/fs/paths.ts";
import {
  type Answer,
  childArgv,
  readAnswers,
  type Step,
  workInChild,
} from "../../kit/children/workspace-child.ts";
import { IS_ROOT } from "../../kit/is-root.ts";
import { type Fault, type FaultKind, injectFaults } from "../../kit/native/inject.ts";
import { type HostWorld, makeHostWorld } from "../../kit/worlds/host-workspace.ts";

const COUNTER = path.join(import.meta.dirname, "../../kit/children/counter-child.mjs");
const KINDS: readonly FaultKind[] = ["SIGKILL", "ENOSPC", "EIO"];
const CERTAIN_CHANGES = ["openat", "mkdir", "symlink", "write", "fsync", "rename", "unlink"];
const CHANGES = [...CERTAIN_CHANGES, "fchmod", "fchown", "rmdir", "ftruncate"];
const MODE = 0o640;
const OLD = "old ".repeat(10_000);
const NEW = "new! ".repeat(8_000);
const BODY = `\n# Title\n${"body ".repeat(10_000)}\0\r\n`;
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

interface Scene {
  readonly title: string;
  readonly path: string;
  /** Null: the file does not exist. */
  readonly before: string | null;
  readonly after: string;
  readonly steps: readonly Step[];
  /** The three that every step must stand, unless others are said. */
  readonly kinds?: readonly FaultKind[];
}

const frontMatter = (state: string): string => `---\nstate: ${state}\n---\n${BODY}`;

const SCENES: readonly Scene[] = [
  {
    title: "crash-001: a new file is absent or complete",
    path: "f",
    before: null,
    after: NEW,
    steps: [["write", "f", NEW]],
  },
  {
    title: "crash-002: a file that is replaced is wholly old or wholly new, and keeps its mode",
    path: "f",
    before: OLD,
    after: NEW,
    steps: [["write", "f", NEW]],
  },
  {
    title: "crash-003: with ifMatchSha256 nothing is written over another version",
    path: "f",
    before: OLD,
    after: NEW,
    steps: [
      ["write", "f", "never", { ifMatchSha256: sha256("another") }],
      ["write", "f", NEW, { ifMatchSha256: sha256(OLD) }],
    ],
    kinds: ["SIGKILL"],
  },
  {
    title: "crash-004: front matter that is changed is old or new, with the same body",
    path: "post.md",
    before: frontMatter("draft"),
    after: frontMatter("published"),
    steps: [
      ["read", "post.md"],
      ["write", "post.md", frontMatter("published"), { ifMatchSha256: sha256(frontMatter("draft")) }],
    ],
    kinds: ["SIGKILL"],
  },
  {
    title: "crash-005: directories made on the way may stay, half a file never does",
    path: "a/b/f",
    before: null,
    after: NEW,
    steps: [["write", "a/b/f", NEW]],
    kinds: [...KINDS, "EACCES", "EMFILE"],
  },
];

const worlds: HostWorld[] = [];
function newWorld(): HostWorld {
  const world = makeHostWorld();
  worlds.push(world);
  return world;
}
afterAll(() => {
  for (const world of worlds) world.remove();
});

describe.concurrent("a fault at any step of a write", { timeout: 600_000 }, () => {
  test.each(SCENES.map((scene) => [scene.title, scene] as const))("%s", async (_, scene) => {
    const world = newWorld();
    const faults = await injectFaults({
      argv: childArgv(world, scene.steps),
      syscalls: CHANGES,
      pathPrefix: [world.top, "/proc/self/fd/"],
      kinds: scene.kinds ?? KINDS,
      reset: () => plant(world, scene),
      check: (fault) => checkAfter(world, scene, fault),
    });
    expect(callsOf(faults)).toEqual(expect.arrayContaining(CERTAIN_CHANGES));
  });
});

const callsOf = (faults: readonly Fault[]): string[] => [
  ...new Set(faults.map(({ call }) => call.split("(")[0]!)),
];

function plant({ root, stateDir }: HostWorld, { path: file, before }: Scene): void {
  for (const dir of [root, stateDir]) {
    fs.rmSync(dir, { recursive: true });
    fs.mkdirSync(dir);
  }
  if (before === null) return;
  fs.writeFileSync(`${root}/${file}`, before);
  fs.chmodSync(`${root}/${file}`, MODE);
}

function checkAfter(world: HostWorld, scene: Scene, { kind, exitCode, stdout }: Fault): void {
  const content = checkFile(world, scene);
  const answers = readAnswers(stdout);
  if (answers.some((answer) => tellsSha256(answer, scene.after))) expect(content).toBe(scene.after);
  if (kind !== "SIGKILL") {
    expect({ untold: answers.filter(isUntold), exitCode }).toEqual({ untold: [], exitCode: 0 });
    expect(temporariesIn(world.root)).toEqual([]);
  }
  checkLeftovers(world);
}

function checkFile({ root }: HostWorld, { path: file, before, after }: Scene): string | null {
  const there = fs.existsSync(`${root}/${file}`);
  const content = there ? fs.readFileSync(`${root}/${file}`, "utf8") : null;
  expect(content === before || content === after).toBe(true);
  if (before !== null) expect(fs.statSync(`${root}/${file}`).mode & 0o7777).toBe(MODE);
  return content;
}

function tellsSha256(answer: Answer, text: string): boolean {
  return "value" in answer && (answer.value as { sha256?: string } | null)?.sha256 === sha256(text);
}

/** An error that a caller could make nothing of. */
function isUntold(answer: Answer): boolean {
  return (
    "code" in answer &&
    !["EXECUTION_ERROR", "WORKSPACE_UNUSABLE", "PRECONDITION_FAILED"].includes(answer.code)
  );
}

/** A temporary file that a kill left is not there for anybody, and gone after the next open. */
function checkLeftovers({ root, stateDir, open, top }: HostWorld): void {
  const onlooker = openHostWorkspace({
    workspace: root,
    stateDir: `${top}/onlooker`,
    protectionOf: () => null,
  });
  const shown = Array.from(onlooker.walk("."), (entry) => path.basename(entry.path));
  onlooker.close();
  expect(shown.filter(isTemporary)).toEqual([]);
  open().close();
  expect([temporariesIn(root), temporariesIn(stateDir)]).toEqual([[], []]);
}

const isTemporary = (name: string): boolean => path.basename(name).startsWith(TEMP_PREFIX);

function temporariesIn(dir: string): string[] {
  return fs.readdirSync(dir, { recursive: true, encoding: "utf8" }).filter(isTemporary);
}

describe("two processes that count up in one file, each from what it read", () => {
  const TIMES = 200;

  test("crash-003: lose no step when each write has its ifMatchSha256", async () => {
    expect(await countTogether(TIMES)).toBe(2 * TIMES);
  });

  test("lose steps when they write blindly (positive control)", async () => {
    expect(await countTogether(TIMES, "blindly")).toBeLessThan(2 * TIMES);
  });
});

async function countTogether(times: number, ...more: string[]): Promise<number> {
  const world = newWorld();
  fs.writeFileSync(`${world.root}/counter`, "0\n");
  const args = [COUNTER, world.root, world.stateDir, String(times), ...more];
  const children = [1, 2].map(() => spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] }));
  await Promise.all(children.map((child) => once(child.stdout, "data")));
  const ends = children.map((child) => once(child, "exit"));
  for (const child of children) child.stdin.end("go");
  expect(await Promise.all(ends)).toEqual([
    [0, null],
    [0, null],
  ]);
  const count = Number(fs.readFileSync(`${world.root}/counter`, "utf8"));
  return count;
}

describe("when there is no room", () => {
  const small = "old ".repeat(2_000);
  const big = "new! ".repeat(6_000);
  const steps: readonly Step[] = [
    ["write", "small", small],
    ["write", "small", big],
    ["write", "d/big", big],
    ["append", "small", big],
    ["read", "small"],
  ];

  test.each([
    [
      "a full disk",
      "the disk is full (ENOSPC). Free some space. Remove unneeded sessions with hotcell session discard or gc",
      onSmallDisk,
    ],
    ["a limit on the size of files", "the file would be larger than allowed (EFBIG)", underFileLimit],
  ])("%s is told, the old file stays whole, and no other is left", (_, state, work) => {
    const world = newWorld();
    const { answers, left } = work(world, steps);
    const refused = (action: string, file: string) => ({
      code: "EXECUTION_ERROR",
      message: `Could not ${action} "${file}": ${state}.`,
    });
    expect(answers).toEqual([
      { value: expect.objectContaining({ path: "small" }) },
      refused("write", "small"),
      refused("write", "d/big"),
      refused("append to", "small"),
      { value: small },
      { value: null },
    ]);
    expect(left).toEqual([".", "./d", "./small"]);
  });
});

test("a tree that can't be copied whole is not copied at all", () => {
  const world = newWorld();
  fs.mkdirSync(`${world.root}/tree/deep`, { recursive: true });
  for (const file of ["a", "deep/big", "z"]) fs.writeFileSync(`${world.root}/tree/${file}`, NEW);
  fs.truncateSync(`${world.root}/tree/a`, 1000);
  const { answers, left } = underFileLimit(world, [["copy", "tree", "copy"]]);
  expect(answers[0]).toMatchObject({ code: "EXECUTION_ERROR" });
  expect(left).toEqual([".", "./tree", "./tree/a", "./tree/deep", "./tree/deep/big", "./tree/z"]);
});

interface Outcome {
  readonly answers: Answer[];
  /** Everything that is in the workspace afterwards. */
  readonly left: string[];
}

const FIND = (root: string): string => `cd '${root}' && find . | sort`;

/** The workspace is a file system of its own, with little space, which ends with the child. */
function onSmallDisk(world: HostWorld, steps: readonly Step[]): Outcome {
  const alone = IS_ROOT ? ["unshare", "-m"] : ["unshare", "-Urm"];
  const script = `mount -t tmpfs -o size=24k none '${world.root}' && "$@" && (${FIND(world.root)}) > '${world.top}/left'`;
  const answers = workInChild(world, steps, [...alone, "sh", "-c", script, "sh"]);
  return { answers, left: fs.readFileSync(`${world.top}/left`, "utf8").trimEnd().split("\n") };
}

function underFileLimit(world: HostWorld, steps: readonly Step[]): Outcome {
  const answers = workInChild(world, steps, ["prlimit", "--fsize=20000"]);
  return {
    answers,
    left: execFileSync("sh", ["-c", FIND(world.root)], { encoding: "utf8" })
      .trimEnd()
      .split("\n"),
  };
}
