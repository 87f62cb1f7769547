// The project's git index is read by hotcell's own code. It may be hostile: no crash, no hang, and no file is disclosed
// that git itself does not track.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createProtection } from "../../../src/policy/protected.ts";
import { openRoot } from "../../../src/workspace/fs/paths.ts";
import { blobId } from "../../../src/workspace/git/blob-id.ts";
import { createSecretFinder, disclosedIn } from "../../../src/workspace/secrets/find-secrets.ts";
import { type IndexFile, indexBytes, sealed, varint } from "../../kit/worlds/git-index-file.ts";
import { git, initRepository, writeFiles } from "../../kit/worlds/git-project.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";

const ENV = "KEY=1\n";
const ID = blobId(Buffer.from(ENV));
const OTHER = blobId(Buffer.from("other\n"));

/** The files with a secret's name that commands may see. */
async function disclosed(root: string): Promise<string[]> {
  const project = openRoot(root);
  try {
    return Array.from(
      disclosedIn((await createSecretFinder(project, createProtection())()).secrets),
      ([at]) => at,
    );
  } finally {
    fs.closeSync(project.fd);
  }
}

function project(
  files: Readonly<Record<string, string>> = { ".env": ENV, "d/.env": ENV, f: "other\n" },
): string {
  const root = path.join(tempDir(), "ws");
  writeFiles(root, files);
  return root;
}

const indexOf = (root: string) => path.join(root, ".git/index");

test.each([
  ["version 2", []],
  ["version 4", ["-c", "index.version=4"]],
  ["with the untracked cache", ["-c", "core.untrackedCache=true"]],
  ["without a checksum", ["-c", "index.skipHash=true"]],
] as const)("git's own index %s tells what git tracks", async (_, options) => {
  const root = project();
  initRepository(root);
  fs.writeFileSync(path.join(root, "new.pem"), "not tracked");
  fs.unlinkSync(indexOf(root));
  git(root, ...options, "read-tree", "HEAD");
  git(root, ...options, "update-index", "--refresh");
  expect(await disclosed(root)).toEqual([".env", "d/.env"]);
});

test("git's own index of version 3: a file that is only intended to be added is not tracked", async () => {
  const root = project();
  initRepository(root);
  git(root, "update-index", "--skip-worktree", ".env");
  fs.writeFileSync(path.join(root, "empty.key"), "");
  git(root, "add", "-N", "-f", "empty.key");
  expect(fs.readFileSync(indexOf(root)).readUInt32BE(4)).toBe(3);
  expect(await disclosed(root)).toEqual([".env", "d/.env"]);
});

test("git's own index with SHA-256 ids tells what git tracks", async () => {
  const root = project();
  initRepository(root, "--object-format=sha256");
  expect(await disclosed(root)).toEqual([".env", "d/.env"]);
});

test("an index split over two files is not read", async () => {
  const root = project();
  initRepository(root);
  git(root, "update-index", "--split-index");
  expect(await disclosed(root)).toEqual([]);
});

test("a file in a merge conflict is not tracked", async () => {
  const root = project();
  initRepository(root);
  const line = (stage: number) => `100644 ${ID} ${stage}\t.env\n`;
  execFileSync("git", ["-c", "safe.directory=*", "update-index", "--index-info"], {
    cwd: root,
    input: `0 ${"0".repeat(40)}\t.env\n${line(1)}${line(2)}`,
  });
  expect(await disclosed(root)).toEqual(["d/.env"]);
});

test("names that are not UTF-8, and long ones, are found", async () => {
  const root = project({});
  fs.mkdirSync(root);
  const long = `${"d".repeat(200)}/`.repeat(18);
  fs.mkdirSync(path.join(root, long), { recursive: true });
  fs.writeFileSync(path.join(root, long, `${"n".repeat(240)}.pem`), "key");
  fs.writeFileSync(
    Buffer.concat([Buffer.from(`${root}/odd`), Buffer.from([0xff]), Buffer.from(".pem")]),
    "key",
  );
  for (const version of ["2", "4"]) {
    fs.rmSync(path.join(root, ".git"), { recursive: true, force: true });
    git(root, "init", "-q");
    git(root, "-c", `index.version=${version}`, "add", "-A");
    expect(await disclosed(root)).toHaveLength(2);
  }
});

test("the index of a worktree and of a submodule is found by the file .git", async () => {
  const root = project();
  initRepository(root);
  const tree = path.join(path.dirname(root), "tree");
  git(root, "worktree", "add", "-q", tree);
  expect(await disclosed(tree)).toEqual([".env", "d/.env"]);
  const outer = project({ g: "" });
  git(outer, "init", "-q");
  git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", root, "sub");
  expect(await disclosed(path.join(outer, "sub"))).toEqual([".env", "d/.env"]);
});

test("a file that differs from the index, by its content or by a filter of git, is not disclosed", async () => {
  const root = project({ ".env": ENV, "crlf.pem": "a\r\nb\r\n", ".gitattributes": "*.pem text\n" });
  initRepository(root);
  fs.writeFileSync(path.join(root, ".env"), "KEY=local\n");
  expect(git(root, "status", "--porcelain")).toBe(" M .env\n");
  expect(await disclosed(root)).toEqual([]);
});

test("an edit is noticed, and what was disclosed is hidden again", async () => {
  const root = project();
  initRepository(root);
  const opened = openRoot(root);
  onTestFinished(() => fs.closeSync(opened.fd));
  const find = createSecretFinder(opened, createProtection());
  const paths = async () => Array.from(disclosedIn((await find()).secrets), ([at]) => at);
  expect(await paths()).toEqual([".env", "d/.env"]);
  fs.writeFileSync(path.join(root, ".env"), "KEY=2\n");
  expect(await paths()).toEqual(["d/.env"]);
  git(root, "rm", "-q", "--cached", "d/.env");
  expect(await paths()).toEqual([]);
  git(root, "add", ".env");
  expect(await paths()).toEqual([".env"]);
});

const env = { name: ".env", id: ID };
const f = { name: "f", id: OTHER };
const NUL = Buffer.alloc(1);

const HOSTILE: readonly (readonly [string, IndexFile | Buffer])[] = [
  ["an empty file", Buffer.alloc(0)],
  ["less than a header", Buffer.from("DIRC")],
  ["zeros", Buffer.alloc(4096)],
  ["another magic number", { magic: "DIRX", entries: [env] }],
  ["version 1", { version: 1, entries: [env] }],
  ["version 5", { version: 5, entries: [env] }],
  ["version 2^32-1", { version: 0xffffffff, entries: [env] }],
  ["a wrong checksum", { entries: [env], trailer: Buffer.alloc(20, 7) }],
  ["a checksum of the wrong length", { entries: [env], trailer: Buffer.alloc(19) }],
  ["more entries announced than there are", { count: 2, entries: [env] }],
  ["2^32-1 entries announced", { count: 0xffffffff, entries: [env] }],
  ["fewer entries announced than there are", { count: 0, entries: [env] }],
  ["no entry", { entries: [] }],
  ["an entry cut in its times", sealed(indexBytes({ entries: [env] }).subarray(0, 30))],
  ["an entry cut in its id", sealed(indexBytes({ entries: [env] }).subarray(0, 60))],
  ["an entry cut in its name", sealed(indexBytes({ entries: [env] }).subarray(0, 76))],
  [
    "a name without an end",
    sealed(Buffer.concat([indexBytes({ entries: [env] }).subarray(0, 78), Buffer.alloc(99, 65)])),
  ],
  ["a name longer than announced", { entries: [{ ...env, length: 3 }] }],
  ["a name shorter than announced", { entries: [{ ...env, length: 9 }] }],
  ["an empty name", { entries: [{ ...env, name: "" }] }],
  ["a NUL in the name", { entries: [{ ...env, name: ".env\0x" }] }],
  ["letters as padding", { entries: [{ ...env, padding: Buffer.from("\0xxxxxx\0") }] }],
  ["no padding", { entries: [{ ...env, padding: NUL }, f] }],
  ["a path of 5,000 bytes", { entries: [{ ...env, name: `${"d/".repeat(2500)}.env` }] }],
  ["the same path twice", { entries: [env, { ...env, id: OTHER }] }],
  ["the same path twice, the true one first and last", { entries: [{ ...env, id: OTHER }, env, env] }],
  ["entries out of order", { entries: [f, env] }],
  ["a path above the project", { entries: [{ ...env, name: "../.env" }] }],
  ["an absolute path", { entries: [{ ...env, name: "/etc/.env" }] }],
  ["a path with a dot", { entries: [{ ...env, name: "./.env" }] }],
  ["a path with two slashes", { entries: [{ ...env, name: "d//.env" }] }],
  ["a path in other case", { entries: [{ ...env, name: ".ENV" }] }],
  ["a path with a character that file systems ignore", { entries: [{ ...env, name: ".e\u200cnv" }] }],
  ["the id of other content", { entries: [{ ...env, id: OTHER }] }],
  ["an id of zeros", { entries: [{ ...env, id: "0".repeat(40) }] }],
  ["the entry of a link", { entries: [{ ...env, mode: 0o120000 }] }],
  ["the entry of a submodule", { entries: [{ ...env, mode: 0o160000 }] }],
  ["a mode that git does not know", { entries: [{ ...env, mode: 0o010644 }] }],
  ["a stage of a merge", { entries: [{ ...env, stage: 1 }] }],
  ["a second word of flags in version 2", { entries: [{ ...env, more: 0 }] }],
  ["intended to be added, with an id", { version: 3, entries: [{ ...env, more: 0x2000 }] }],
  ["an extension that has to be understood", { entries: [env], extensions: [["link", Buffer.alloc(20)]] }],
  ["an extension longer than the file", { entries: [env], extensions: [["TREE", NUL, 1_000_000]] }],
  ["an extension of 2^32-1 bytes", { entries: [env], extensions: [["TREE", NUL, 0xffffffff]] }],
  [
    "half an extension",
    sealed(Buffer.concat([indexBytes({ entries: [env] }).subarray(0, -20), Buffer.from("TRE")])),
  ],
  ["version 4, cut beyond the name before", { version: 4, entries: [{ ...env, cut: varint(1) }] }],
  ["version 4, a cut of 2^32", { version: 4, entries: [env, { ...f, cut: varint(0xffffffff) }] }],
  ["version 4, a cut without an end", { version: 4, entries: [{ ...env, cut: Buffer.alloc(40, 0xff) }] }],
  [
    "version 4, the same name again",
    {
      version: 4,
      entries: [
        { ...env, id: OTHER },
        { id: ID, name: "", cut: varint(0) },
      ],
    },
  ],
  ["version 4, names that grow without bound", { version: 4, entries: growing(3000) }],
];

/** Each name is the one before and 4 letters more. */
function growing(count: number) {
  return [
    { name: "aaaa", id: ID },
    ...Array(count).fill({ name: "aaaa", id: ID, length: 0xfff, cut: varint(0) }),
  ];
}

test("there are 30 or more hostile index files", () => expect(HOSTILE.length).toBeGreaterThanOrEqual(30));

test.each(HOSTILE)("hostile index: %s discloses nothing", async (_, file) => {
  const root = project();
  git(root, "init", "-q");
  fs.writeFileSync(indexOf(root), indexBytes({ entries: [env] }));
  expect(await disclosed(root)).toEqual([".env"]);
  fs.writeFileSync(indexOf(root), Buffer.isBuffer(file) ? file : indexBytes(file));
  expect(await disclosed(root)).toEqual([]);
});

test.each([
  ["a link to another index", (at: string, real: string) => fs.symlinkSync(real, at)],
  ["a FIFO", (at: string) => void execFileSync("mkfifo", [at])],
  ["a directory", (at: string) => fs.mkdirSync(at)],
  [
    "a file of 200 MiB without content",
    (at: string) => {
      fs.writeFileSync(at, "");
      fs.truncateSync(at, 200 * 1024 * 1024);
    },
  ],
])("hostile index: %s in its place discloses nothing", async (_, make) => {
  const root = project();
  initRepository(root);
  fs.renameSync(indexOf(root), path.join(path.dirname(root), "index"));
  make(indexOf(root), path.join(path.dirname(root), "index"));
  expect(await disclosed(root)).toEqual([]);
});

test.each([
  [
    "a link to the repository",
    (root: string, moved: string) => fs.symlinkSync(moved, path.join(root, ".git")),
  ],
  ["a FIFO", (root: string) => void execFileSync("mkfifo", [path.join(root, ".git")])],
  [
    "a file that is no gitdir",
    (root: string, moved: string) => fs.writeFileSync(path.join(root, ".git"), `x\ngitdir: ${moved}\n`),
  ],
  [
    "a gitdir that is not there",
    (root: string) => fs.writeFileSync(path.join(root, ".git"), "gitdir: /nonexistent\n"),
  ],
  [
    "a gitdir that is a file",
    (root: string) => fs.writeFileSync(path.join(root, ".git"), "gitdir: /etc/passwd\n"),
  ],
  [
    "a huge file",
    (root: string) => fs.writeFileSync(path.join(root, ".git"), `gitdir: ${"x".repeat(10_000_000)}\n`),
  ],
])("a .git that is %s discloses nothing", async (_, make) => {
  const root = project();
  initRepository(root);
  const moved = path.join(path.dirname(root), "moved");
  fs.renameSync(path.join(root, ".git"), moved);
  make(root, moved);
  expect(await disclosed(root)).toEqual([]);
});

test("an index with any byte changed discloses only what git tracks in it", async () => {
  const root = project();
  initRepository(root);
  const honest = fs.readFileSync(indexOf(root)).subarray(0, -20);
  for (let round = 0; round < 200; round++) {
    const body = Buffer.from(honest);
    const at = (round * 7919) % body.length;
    body[at] = body[at]! ^ (1 << (round % 8));
    fs.writeFileSync(indexOf(root), sealed(body));
    const found = await disclosed(root);
    expect(trackedByGit(root), `byte ${at}`).toEqual(expect.arrayContaining(found));
  }
});

function trackedByGit(root: string): string[] {
  try {
    const lines = git(root, "ls-files", "-s", "-z").split("\0").filter(Boolean);
    return lines.flatMap((line) => /^100(?:644|755) (\w+) 0\t(.*)$/s.exec(line)?.[2] ?? []);
  } catch {
    return [];
  }
}

test("an index of 100,000 files does not stop others for long", async () => {
  const root = project();
  git(root, "init", "-q");
  const entries = Array.from({ length: 100_000 }, (_, at) => ({
    name: `d/${String(at).padStart(8, "0")}.ts`,
    id: OTHER,
  }));
  fs.writeFileSync(indexOf(root), indexBytes({ entries: [env, ...entries] }));
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  expect(await disclosed(root)).toEqual([".env"]);
  clearInterval(timer);
  expect(turns).toBeGreaterThan(2);
});
