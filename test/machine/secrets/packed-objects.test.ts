// Objects of the project that are in packs, as git makes them and as nobody should.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { HotcellError } from "../../../src/core/errors.ts";
import { openRoot } from "../../../src/workspace/fs/paths.ts";
import type { ObjectName } from "../../../src/workspace/git/loose-object.ts";
import { openProjectObjects } from "../../../src/workspace/git/project-objects.ts";
import { assertProperty } from "../../kit/assert-property.ts";
import { git, initRepository, writeFiles } from "../../kit/worlds/git-project.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";

const FILES = Object.fromEntries(
  Array.from({ length: 100 }, (_, index) => [`src/file-${index}.txt`, `${index}\n`]),
);

/** Its trees differ little from commit to commit: git packs most of them as deltas. */
function packedProject(format: string, ...repack: string[]): string {
  const root = tempDir("/var/tmp");
  writeFiles(root, { ...FILES, "long.txt": "a line of a long text\n".repeat(5000) });
  initRepository(root, `--object-format=${format}`);
  for (let round = 0; round < 8; round++) {
    writeFiles(root, { [`src/file-${round}.txt`]: "changed\n" });
    git(root, "commit", "-q", "-a", "-m", `${round}`);
  }
  git(root, ...repack, "repack", "-q", "-a", "-d", "-f", "--depth=50");
  git(root, "prune-packed");
  return root;
}

function open(project: string) {
  const root = openRoot(project);
  onTestFinished(() => fs.closeSync(root.fd));
  return root;
}

function namesIn(root: string): ObjectName[] {
  const lines = git(root, "cat-file", "--batch-all-objects", "--batch-check").trim().split("\n");
  return lines.map((line) => line.split(" ")).map(([id, type]) => ({ id, type }) as ObjectName);
}

const packFile = (root: string) => {
  const dir = path.join(root, ".git/objects/pack");
  return path.join(dir, fs.readdirSync(dir).find((name) => name.endsWith(".pack"))!);
};

test.each([
  ["sha1", "offsets", []],
  ["sha1", "ids", ["-c", "repack.useDeltaBaseOffset=false"]],
  ["sha256", "offsets", []],
] as const)("every object of a pack is read as git reads it: %s, deltas with %s", (format, _, repack) => {
  const project = packedProject(format, ...repack);
  const names = namesIn(project);
  expect(git(project, "verify-pack", "-v", packFile(project))).toMatch(/ tree .* [2-9] [0-9a-f]{40}/);
  expect(git(project, "count-objects")).toMatch(/^0 objects/);
  const objects = openProjectObjects(open(project));
  onTestFinished(() => objects.close());
  for (const name of names) {
    const shown = execFileSync("git", ["cat-file", name.type, name.id], { cwd: project });
    expect(objects.read(name, format)).toEqual(shown);
  }
  expect(objects.read({ id: names[0]!.id.replace(/^...../, "00000"), type: "tree" }, format)).toBeNull();
});

test("a damaged pack gives the right content or an error", () => {
  const project = packedProject("sha1");
  const names = namesIn(project);
  const pack = packFile(project);
  const index = pack.replace(/pack$/, "idx");
  const whole = new Map([pack, index].map((file) => [file, fs.readFileSync(file)]));
  const root = open(project);
  const readAll = () => {
    const objects = openProjectObjects(root);
    try {
      return names.map((name) => tryRead(() => objects.read(name, "sha1")?.toString("hex") ?? "missing"));
    } finally {
      objects.close();
    }
  };
  const right = readAll();
  expect(right.filter((one) => one.startsWith("error"))).toEqual([]);
  const damages = new Set<string>();
  const flips = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })), {
    minLength: 1,
    maxLength: 4,
  });
  const damage = (file: string, changes: readonly (readonly [number, number])[], length: number) => {
    const bytes = Buffer.from(whole.get(file)!);
    for (const [at, bits] of changes) bytes[at % bytes.length]! ^= bits;
    replaceFile(file, bytes.subarray(0, length));
    const found = tryRead(() => readAll().join()).split(",");
    replaceFile(file, whole.get(file)!);
    for (const [at, one] of found.entries())
      if (one !== right[at]) {
        expect(one).toMatch(/^(missing|error)/);
        damages.add(one);
      }
  };
  const lengths = fc.oneof(fc.constant(Number.MAX_SAFE_INTEGER), fc.nat(fs.statSync(pack).size));
  assertProperty(fc.property(fc.constantFrom(pack, index), flips, lengths, damage), { numRuns: 60 });
  expect([...damages]).toContain("error INVALID_ARGUMENTS");
});

function replaceFile(file: string, bytes: Buffer): void {
  fs.rmSync(file);
  fs.writeFileSync(file, bytes);
}

function tryRead(read: () => string): string {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof HotcellError)) throw error;
    return `error ${error.code}`;
  }
}
