// Commits that the agent made with git become a branch of the project: objects and one ref, and nothing else.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";
import { describe, expect, test } from "vitest";
import type { CellOptions } from "../../../src/cell.ts";
import { LIMITS } from "../../../src/core/limits.ts";
import { ROOT } from "../../kit/worlds/document.ts";
import { git, initRepository, writeFiles } from "../../kit/worlds/git-project.ts";
import { openOn, tlsProject, WAYS } from "../../kit/worlds/tls-project.ts";

const COMMIT = "git -c user.name=a -c user.email=a@b commit -q";
const WORK = `echo x >> package.json; ${COMMIT} -am one; mkdir new; echo y > new/y; git add new; ${COMMIT} -m two`;
const BRANCH = "agent/work";

/** Every file in the repository but objects, and the given ref. */
function otherFiles(root: string): Record<string, string> {
  const names = fs.readdirSync(path.join(root, ".git"), { recursive: true, encoding: "utf8" });
  const files = names.filter((name) => fs.lstatSync(path.join(root, ".git", name)).isFile());
  const others = files.filter((name) => !name.startsWith("objects/") && name !== `refs/heads/${BRANCH}`);
  return Object.fromEntries(
    others.map((name) => [name, fs.readFileSync(path.join(root, ".git", name), "hex")]),
  );
}

const objectFiles = (root: string) =>
  fs.readdirSync(path.join(root, ".git/objects"), { recursive: true, encoding: "utf8" }).sort();

const hotcellIn =
  (root: string, stateDir: string) =>
  (...args: string[]) =>
    spawnSync(process.execPath, [path.join(ROOT, "bin/hotcell.js"), ...args], {
      cwd: root,
      env: { PATH: process.env.PATH, HOTCELL_STATE_DIR: stateDir },
      encoding: "utf8",
    });

describe.each(WAYS.slice(0, 2))("with %s", (_, options) => {
  test("hotcell session commit --git-branch takes two commits; HEAD, index, configuration and hooks stay", async () => {
    const root = tlsProject();
    const { cell, runScript, stateDir } = await openOn(root, options);
    await runScript(`git config core.editor evil; echo evil > .git/hooks/post-checkout; ${WORK}`);
    await cell.close();
    const before = otherFiles(root);
    const hotcell = hotcellIn(root, stateDir);
    const taken = hotcell("session", "commit", "last", "--git-branch", BRANCH, "--yes");
    expect([taken.stderr, taken.stdout]).toEqual([
      "",
      `Created the branch ${BRANCH} in ${root} with 2 new commits.\n`,
    ]);
    expect(git(root, "fsck", "--strict", "--full")).toBe("");
    expect(git(root, "log", "--format=%s", BRANCH)).toBe("two\none\nfirst\n");
    expect(git(root, "show", `${BRANCH}:new/y`)).toBe("y\n");
    expect(git(root, "log", "--format=%s")).toBe("first\n");
    expect(git(root, "status", "--porcelain")).toBe("");
    expect(otherFiles(root)).toEqual(before);
    const again = hotcell("commit", "--git-branch", BRANCH, "--yes");
    expect([again.status, again.stderr]).toEqual([2, expect.stringContaining("Choose another name")]);
    expect(hotcell("commit", "new", "--git-branch", "b", "--yes").status).toBe(2);
  });

  test.each([
    ["loose objects", () => {}],
    ["packed objects", (root: string) => git(root, "gc", "-q")],
  ])(
    "a commit without a secret that is hidden from commands needs allowProtected: %s",
    async (_name, pack) => {
      const root = tlsProject();
      pack(root);
      writeFiles(root, { "test/fixtures/key.pem": "CANARY\n" });
      const { cell, run } = await openOn(root, options);
      await run(WORK);
      const objects = objectFiles(root);
      await expect(cell.commitGitBranch(BRANCH)).rejects.toMatchObject({
        code: "PROTECTED_PATH",
        details: { paths: ["test/fixtures/key.pem"] },
      });
      expect(objectFiles(root)).toEqual(objects);
      const taken = await cell.commitGitBranch(BRANCH, { allowProtected: true });
      expect(taken).toMatchObject({ branch: BRANCH, commits: 2, lostSecrets: ["test/fixtures/key.pem"] });
      expect(git(root, "rev-parse", BRANCH)).toBe(`${taken.commit}\n`);
    },
  );
});

test("a packed tree of an older commit, which has no secret, lacks the secret", async () => {
  const { root, cell, run } = await openProject((at) => {
    git(at, "rm", "-q", "--cached", ".env");
    git(at, "commit", "-q", "--amend", "-m", "without");
    git(at, "add", ".env");
    git(at, "commit", "-q", "-m", "with");
    git(at, "gc", "-q");
    writeFiles(at, { ".env": "TOKEN=CANARY\n" });
  });
  await run(`git rm -q --cached .env; ${COMMIT} -m again`);
  const tree = git(root, "rev-parse", "HEAD~1^{tree}");
  expect((await run("git rev-parse HEAD^{tree}")).stdout).toBe(tree);
  const taking = cell.commitGitBranch(BRANCH);
  await expect(taking).rejects.toMatchObject({ code: "PROTECTED_PATH", details: { paths: [".env"] } });
});

describe.each([
  ["loose objects", () => {}],
  ["packed objects", (root: string) => git(root, "gc", "-q")],
])("protected paths in new commits: %s", (_, pack) => {
  const PROTECT = { readonly: ["infra/**", "lib/**/locked.txt"], secrets: ["private/**"] };
  const FILES = {
    "infra/main.tf": "one\n",
    "infra/sub/x": "x\n",
    "lib/a/locked.txt": "1\n",
    "lib/a/b": "b\n",
  };
  /** HEAD~1 has an older version of infra/main.tf. */
  const prepare = (root: string) => {
    writeFiles(root, FILES);
    git(root, "add", "-A");
    git(root, "commit", "-q", "-m", "old");
    writeFiles(root, { "infra/main.tf": "two\n" });
    git(root, "commit", "-q", "-a", "-m", "new");
    pack(root);
  };
  /** Git that writes no file: only its index and objects. */
  const cached = (at: string, mode = "100644") =>
    `git update-index --add --cacheinfo ${mode},$(echo evil | git hash-object -w --stdin),${at}`;
  const commitTree = (tree: string, ...parents: string[]) =>
    `git update-ref HEAD $(git commit-tree -m x ${parents.map((one) => `-p ${one}`).join(" ")} ${tree})`;
  const open = (protect = {}) => openProject(prepare, { protect });

  const CHANGES: [string, string, string[]][] = [
    ["a changed file", `${cached("infra/main.tf")}; ${COMMIT} -m x`, ["infra/main.tf"]],
    ["a new file", `${cached("infra/new/y")}; ${COMMIT} -m x`, ["infra/new/y"]],
    ["a name in other letters", `${cached("Infra/main.tf")}; ${COMMIT} -m x`, ["Infra/main.tf"]],
    ["another mode", `git update-index --chmod=+x infra/main.tf; ${COMMIT} -m x`, ["infra/main.tf"]],
    ["a removed file", `git rm -q --cached infra/sub/x; ${COMMIT} -m x`, ["infra/sub/x"]],
    ["a removed directory above", `git rm -rq --cached lib; ${COMMIT} -m x`, ["lib/a/locked.txt"]],
    [
      "a link instead of the directory",
      `git rm -rq --cached infra; ${cached("infra", "120000")}; ${COMMIT} -m x`,
      ["infra", "infra/main.tf", "infra/sub/x"],
    ],
    [
      "a submodule",
      `git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),infra/mod; ${COMMIT} -m x`,
      ["infra/mod"],
    ],
    [
      "only in a commit below",
      `${cached("infra/main.tf")}; ${COMMIT} -m x; git reset -q --soft HEAD; git read-tree HEAD~1; ${COMMIT} -m y`,
      ["infra/main.tf"],
    ],
    ["an older version by a merge", commitTree("HEAD~1^{tree}", "HEAD~1", "HEAD"), ["infra/main.tf"]],
    ["a commit without parents", commitTree("HEAD~1^{tree}"), ["infra/main.tf"]],
  ];
  test.each(CHANGES)("a read-only path is refused: %s", async (_name, script, paths) => {
    const { root, cell, runScript } = await open(PROTECT);
    const before = objectFiles(root);
    expect((await runScript(`set -e\n${AUTHOR}\n${script}`)).output).toMatchObject({ exit_code: 0 });
    const refused = cell.commitGitBranch(BRANCH, { allowProtected: true });
    await expect(refused).rejects.toMatchObject({ code: "PROTECTED_PATH" });
    await refused.catch(({ details }) => expect(details.paths.toSorted()).toEqual(paths));
    expect(objectFiles(root)).toEqual(before);
    expect(git(root, "branch", "--format=%(refname:short)")).toBe("main\n");
  });

  test.each(CHANGES)("positive control, without the protection: %s", async (_name, script) => {
    const { root, cell, runScript } = await open();
    await runScript(`set -e\n${AUTHOR}\n${script}`);
    const { commit } = await cell.commitGitBranch(BRANCH, { allowProtected: true });
    expect(git(root, "rev-parse", BRANCH)).toBe(`${commit}\n`);
  });

  const MERGE = [
    `git read-tree HEAD~1; git update-ref --no-deref HEAD HEAD~1; ${cached("lib/a/c")}; ${COMMIT} -m old`,
    `old=$(git rev-parse HEAD); git read-tree main; git update-ref --no-deref HEAD main; ${cached("lib/a/d")}; ${COMMIT} -m new`,
    commitTree("HEAD^{tree}", "HEAD", "$old"),
  ].join("\n");
  const MOVED = "git checkout -q --detach";
  test.each([
    ["beside them", `${cached("lib/a/c")}; ${COMMIT} -m x`, () => {}],
    ["a merge with an older commit", `${MOVED}\n${MERGE}`, () => {}],
    [
      "the user has changed them since",
      `${cached("lib/a/c")}; ${COMMIT} -m x`,
      (root: string) => {
        writeFiles(root, { "infra/main.tf": "three\n" });
        git(root, "commit", "-q", "-a", "-m", "the user's");
      },
    ],
  ])("commits that leave read-only paths as they are need nothing: %s", async (_name, script, change) => {
    const { root, cell, runScript } = await open(PROTECT);
    expect((await runScript(`set -e\n${AUTHOR}\n${script}`)).output).toMatchObject({ exit_code: 0 });
    change(root);
    const { commit, changedSecrets, lostSecrets } = await cell.commitGitBranch(BRANCH);
    expect([changedSecrets, lostSecrets]).toEqual([[], []]);
    expect(git(root, "rev-parse", BRANCH)).toBe(`${commit}\n`);
  });

  test("secrets that the commits create or change are named and need allowProtected", async () => {
    const { root, cell, runScript } = await open(PROTECT);
    const script = `${cached(".env")}; ${COMMIT} -m x; git rm -q --cached test/fixtures/cert.pem
${cached("private/a/token")}; ${cached("sub/.env.local")}; ${COMMIT} -m y; git rm -q --cached sub/.env.local; ${COMMIT} -m z`;
    await runScript(`set -e\n${AUTHOR}\n${script}`);
    const changed = [".env", "private/a/token", "sub/.env.local"];
    const paths = [...changed, "test/fixtures/cert.pem"];
    await expect(cell.commitGitBranch(BRANCH)).rejects.toMatchObject({
      code: "PROTECTED_PATH",
      message: `Could not create the branch: its commits create or change the secrets ".env", "private/a/token", "sub/.env.local", and git would not track "test/fixtures/cert.pem" in it, which commands do not see. To create it nevertheless, add --protected (allowProtected).`,
      details: { paths },
    });
    const taken = await cell.commitGitBranch(BRANCH, { allowProtected: true });
    expect(taken).toMatchObject({ changedSecrets: changed, lostSecrets: ["test/fixtures/cert.pem"] });
    expect(git(root, "show", `${BRANCH}:.env`)).toBe("evil\n");
  });

  test("hotcell commit --git-branch --protected names the secrets", async () => {
    const { root, cell, runScript, stateDir } = await open();
    await runScript(`set -e\n${AUTHOR}\n${cached(".env")}; ${COMMIT} -m x`);
    await cell.close();
    const args = ["commit", "--git-branch", BRANCH, "--yes", "--protected"];
    const taken = hotcellIn(root, stateDir)(...args);
    expect([taken.stderr, taken.stdout]).toEqual([
      "a secret is in the commits: .env\n",
      `Created the branch ${BRANCH} in ${root} with 1 new commit.\n`,
    ]);
  });
});

const AUTHOR = "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b";

async function openProject(prepare: (root: string) => void = () => {}, options: Partial<CellOptions> = {}) {
  const root = tlsProject();
  prepare(root);
  return { root, ...(await openOn(root, { fs: "overlay", ...options })) };
}

test.each([
  ["packed objects and refs", (root: string) => git(root, "gc", "-q")],
  [
    "ids of sha256",
    (root: string) => {
      fs.renameSync(path.join(root, ".git"), path.join(root, "../old"));
      initRepository(root, "--object-format=sha256");
    },
  ],
])("a project with %s gets the branch", async (_, prepare) => {
  const { root, cell, run } = await openProject(prepare);
  await run(WORK);
  expect(await cell.commitGitBranch(BRANCH)).toMatchObject({ commits: 2, objects: 7 });
  expect(git(root, "fsck", "--strict", "--full")).toBe("");
  expect(git(root, "log", "--format=%s", BRANCH)).toBe("two\none\nfirst\n");
});

test("a detached HEAD and a branch of the session are taken as they are; HEAD of the project is no new commit", async () => {
  const { root, cell, run } = await openProject();
  await expect(cell.commitGitBranch(BRANCH)).rejects.toMatchObject({ code: "NOT_FOUND" });
  await run(`git checkout -q -b other; ${WORK}; git checkout -q --detach HEAD~1`);
  expect(await cell.commitGitBranch(BRANCH)).toMatchObject({ commits: 1 });
  await run("git checkout -q other");
  expect(await cell.commitGitBranch("rest")).toMatchObject({ commits: 1 });
  expect(git(root, "branch", "--format=%(refname:short)")).toBe(`${BRANCH}\nmain\nrest\n`);
});

describe("a name is refused", () => {
  test("what git does not allow as a branch name", async () => {
    const { root, cell, run } = await openProject();
    await run(WORK);
    const before = [otherFiles(root), objectFiles(root)];
    for (const name of ["../../config", "a..b", "-f", "HEAD", "x.lock", "", "a b"])
      await expect(cell.commitGitBranch(name)).rejects.toMatchObject({ code: "INVALID_ARGUMENTS" });
    expect([otherFiles(root), objectFiles(root)]).toEqual(before);
  });

  const heads = (root: string, name: string) => path.join(root, ".git/refs/heads", name);
  const TAKEN: [string, string, (root: string) => void, string?][] = [
    ["the current branch", "main", () => {}],
    ["a packed branch", "kept", (root) => git(root, "branch", "kept") + git(root, "pack-refs", "--all")],
    [
      "below a packed branch",
      "kept/x",
      (root) => git(root, "branch", "kept") + git(root, "pack-refs", "--all"),
    ],
    ["below a branch", "main/x", () => {}],
    ["above a branch", "a", (root) => git(root, "branch", "a/b")],
    ["a link to nothing", "link", (root) => fs.symlinkSync("../../../stolen", heads(root, "link"))],
    ["below a link", "link/x", (root) => fs.symlinkSync("../../hooks", heads(root, "link"))],
    [
      "a branch that git holds locked",
      "new",
      (root) => fs.writeFileSync(heads(root, "new.lock"), ""),
      "LOCKED",
    ],
  ];
  test.each(TAKEN)("%s", async (_, name, prepare, code = "ALREADY_EXISTS") => {
    const { root, cell, run } = await openProject(prepare);
    await run(WORK);
    const before = [otherFiles(root), fs.readdirSync(root)];
    await expect(cell.commitGitBranch(name)).rejects.toMatchObject({ code });
    expect([otherFiles(root), fs.readdirSync(root)]).toEqual(before);
  });
});

/** Writes an object as the agent can: under any id, with any content. */
function plant(root: string, type: string, content: Buffer, given?: { id?: string; bytes?: Buffer }): string {
  const bytes = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
  const id = given?.id ?? createHash("sha1").update(bytes).digest("hex");
  const at = path.join(root, "planted", id.slice(0, 2), id.slice(2));
  fs.mkdirSync(path.dirname(at), { recursive: true });
  fs.writeFileSync(at, given?.bytes ?? zlib.deflateSync(bytes));
  return id;
}

type Row = readonly [mode: string, name: string, id: string];
const treeOf = (...rows: Row[]) =>
  Buffer.concat(
    rows.map(([mode, name, id]) => Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, "hex")])),
  );
const commitOf = (tree: string) =>
  Buffer.from(`tree ${tree}\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000\n\nevil\n`);

describe("a hostile object is refused, and the project's repository stays as it is", () => {
  const blob = (root: string) => plant(root, "blob", Buffer.from("evil\n"));
  const withTree = (root: string, ...rows: Row[]) => commitWith(root, plant(root, "tree", treeOf(...rows)));
  const commitWith = (root: string, tree: string) => plant(root, "commit", commitOf(tree));
  const named = (mode: string, name: string) => (root: string) => withTree(root, [mode, name, blob(root)]);
  const bad = (bytes: Buffer) => (root: string) =>
    withTree(root, ["100644", "a", plant(root, "blob", Buffer.from("a"), { bytes })]);
  const zeros = Buffer.alloc(LIMITS.maxGitObjectBytes + 1);

  test("positive control: an honest planted commit is taken", async () => {
    const { cell, root } = await openPlanted(named("100644", "a"));
    await cell.commitGitBranch(BRANCH, { allowProtected: true });
    expect(git(root, "show", `${BRANCH}:a`)).toBe("evil\n");
  });

  type Attack = [what: string, make: (root: string) => string, message: string];
  const NAMES = ["..", ".", "", ".git", ".GIT", "git~1", ".g\u200cit", "a/b", "../x", ".git/hooks/x"];
  const HOSTILE: Attack[] = [
    ["damaged", bad(Buffer.from("no zlib")), "it is damaged"],
    ["cut", bad(zlib.deflateSync(Buffer.from("blob 1\0a")).subarray(0, 9)), "it is damaged"],
    ["empty", bad(Buffer.alloc(0)), "it is damaged"],
    ["with another hash", bad(zlib.deflateSync(Buffer.from("blob 1\0b"))), "its content has another hash"],
    ["a zlib bomb", bad(zlib.deflateSync(zeros)), `it has more than ${LIMITS.maxGitObjectBytes} bytes`],
    ["missing", (root) => withTree(root, ["100644", "a", "1".repeat(40)]), "nor a loose object"],
    ["a blob as a tree", (root) => withTree(root, ["40000", "a", blob(root)]), "it is no tree of its size"],
    [
      "a blob as a file and a tree",
      (root) => withTree(root, ["100644", "a", blob(root)], ["40000", "b", blob(root)]),
      "it is named as a tree and as a blob",
    ],
    [
      "a size that is too small",
      (root) => {
        const bytes = Buffer.from("blob 1\0abc");
        const id = createHash("sha1").update(bytes).digest("hex");
        return withTree(root, [
          "100644",
          "a",
          plant(root, "", bytes, { id, bytes: zlib.deflateSync(bytes) }),
        ]);
      },
      "it is no blob of its size",
    ],
    ...NAMES.map(
      (name): Attack => [
        `a tree with the name ${JSON.stringify(name)}`,
        named("100644", name),
        "a name in it leads",
      ],
    ),
    ["a tree with an unknown mode", named("100777", "a"), "it is no tree as git writes it"],
    [
      "a tree with a name twice",
      (root) => withTree(root, ["100644", "a", blob(root)], ["100644", "a", blob(root)]),
      "a name comes twice in it",
    ],
    [
      "a tree out of order",
      (root) => withTree(root, ["100644", "b", blob(root)], ["100644", "a", blob(root)]),
      "its names are not in order",
    ],
    [
      "a tree that is cut",
      (root) => commitWith(root, plant(root, "tree", Buffer.from("100644 a\0short"))),
      "it is no tree as git writes it",
    ],
    [
      "a commit without an author",
      (root) => {
        const tree = plant(root, "tree", treeOf(["100644", "a", blob(root)]));
        return plant(root, "commit", Buffer.from(`tree ${tree}\n\nevil\n`));
      },
      "it is no commit as git writes it",
    ],
  ];
  test.each(HOSTILE)("%s", async (_, make, message) => {
    const { cell, root } = await openPlanted(make);
    const before = [otherFiles(root), objectFiles(root)];
    const taking = cell.commitGitBranch(BRANCH, { allowProtected: true });
    await expect(taking).rejects.toThrow(message);
    expect([otherFiles(root), objectFiles(root)]).toEqual(before);
  });

  /** The agent copies planted objects into its repository and makes one HEAD. */
  async function openPlanted(make: (root: string) => string) {
    let tip = "";
    const opened = await openProject((root) => {
      tip = make(root);
    });
    await opened.runScript(`cp -r planted/* .git/objects/; echo ${tip} > .git/HEAD`);
    return opened;
  }
});

test.each([
  ["a link", "ln -sf /etc/passwd .git/refs/heads/main", "it is no regular file"],
  ["a FIFO", "rm .git/refs/heads/main; mkfifo .git/refs/heads/main", "it is no regular file"],
  ["a loop", "echo 'ref: refs/heads/main' > .git/refs/heads/main", "HEAD of the session leads to none"],
  ["a path outside", "echo 'ref: refs/../../../x' > .git/HEAD", "HEAD of the session leads to none"],
])("a ref of the session that is %s is refused", async (_, command, message) => {
  const { cell, runScript } = await openProject();
  await runScript(`${WORK}; ${command}`);
  await expect(cell.commitGitBranch(BRANCH)).rejects.toThrow(message);
});

test("a project whose .git is a file is refused", async () => {
  const { cell } = await openProject((root) => {
    fs.renameSync(path.join(root, ".git"), path.join(root, "../repository"));
    fs.writeFileSync(path.join(root, ".git"), "gitdir: ../repository\n");
  });
  await expect(cell.commitGitBranch(BRANCH)).rejects.toMatchObject({ code: "NOT_SUPPORTED" });
});
