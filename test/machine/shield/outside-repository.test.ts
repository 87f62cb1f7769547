// In a worktree and in a submodule, `.git` is a file that names a repository outside the project.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Cell, type CellOptions, openCell } from "../../../src/cell.ts";
import { collectGarbage } from "../../../src/workspace/session/registry/gc.ts";
import { IS_ROOT } from "../../kit/is-root.ts";
import { git, initRepository, writeFiles } from "../../kit/worlds/git-project.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";

const SOMEBODY = 1000;
const AS_ME = "-c user.name=me -c user.email=me@example.org";
const COMMIT = `echo more >> a.txt && git add a.txt && git ${AS_ME} commit -q -m second && git log --format=%s`;

interface World {
  readonly top: string;
  readonly project: string;
  /** The directory that the `.git` file leads to. */
  readonly repository: string;
}

function makeMain(): { top: string; main: string } {
  const top = tempDir();
  fs.chmodSync(top, 0o755);
  const main = path.join(top, "main");
  writeFiles(main, { "a.txt": "one\n" });
  initRepository(main);
  return { top, main };
}

function makeWorktree(): World {
  const { top, main } = makeMain();
  const project = path.join(top, "tree");
  git(main, "worktree", "add", "-q", "-b", "side", project);
  return { top, project, repository: path.join(main, ".git") };
}

function makeSubmodule(): World {
  const { top, main } = makeMain();
  const parent = path.join(top, "super");
  writeFiles(parent, { "b.txt": "two\n" });
  initRepository(parent);
  git(parent, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", main, "sub");
  return { top, project: path.join(parent, "sub"), repository: path.join(parent, ".git/modules/sub") };
}

const KINDS: [string, () => World][] = [
  ["worktree", makeWorktree],
  ["submodule", makeSubmodule],
];

async function open({ top, project }: World, options: Partial<CellOptions> = {}): Promise<Cell> {
  const stateDir = path.join(top, "state");
  const cell = await openCell({ workspace: project, stateDir, trust: "autonomous", ...options });
  onTestFinished(() => cell.close());
  return cell;
}

async function run(cell: Cell, command: string): Promise<unknown> {
  const { output, error } = await cell.call({ name: "run_command", arguments: { command } });
  expect(error).toBe(null);
  return [output?.exit_code, output?.stdout];
}

/** Every entry of the repository with its content, so also objects, references and the index. */
function hashOf(dir: string): string {
  const hash = createHash("sha256");
  for (const name of (fs.readdirSync(dir, { recursive: true }) as string[]).sort()) {
    const at = path.join(dir, name);
    hash.update(`${name}\0`);
    if (fs.lstatSync(at).isFile()) hash.update(fs.readFileSync(at));
  }
  return hash.digest("hex");
}

describe.each(KINDS)("issue-17-8: in a %s", (_, make) => {
  const owners = IS_ROOT ? [process.getuid!(), SOMEBODY] : [process.getuid!()];
  test.each(owners)(
    "git reads and commits in the session, not in the repository: owner %i",
    async (owner) => {
      const world = make();
      if (IS_ROOT) execFileSync("chown", ["-R", `${owner}:${owner}`, world.top]);
      const before = hashOf(world.repository);
      const cell = await open(world);
      expect(await run(cell, "git status --porcelain && git log --format=%s && git diff")).toEqual([
        0,
        "first\n",
      ]);
      expect(await run(cell, COMMIT)).toEqual([0, "second\nfirst\n"]);
      expect(await run(cell, "git status --porcelain && git log --format=%s && git fsck")).toEqual([
        0,
        "second\nfirst\n",
      ]);
      await cell.close();
      const later = await open(world, { session: cell.session! });
      expect(await run(later, "git status --porcelain && git log --format=%s")).toEqual([
        0,
        "second\nfirst\n",
      ]);
      expect(hashOf(world.repository)).toBe(before);
    },
  );

  test("a commit of the user is seen by the next call that begins with a fresh view", async () => {
    const world = make();
    const cell = await open(world);
    expect(await run(cell, "echo 1 > new.txt; git log --format=%s")).toEqual([0, "first\n"]);
    git(world.project, "commit", "-q", "--allow-empty", "-m", "of the user");
    expect(await run(cell, "git log --format=%s")).toEqual([0, "of the user\nfirst\n"]);
  });

  test("discard discards the session's commits, also while the cell is open", async () => {
    const world = make();
    const cell = await open(world);
    await run(cell, COMMIT);
    await cell.discard();
    expect(await run(cell, "git status --porcelain && git log --format=%s")).toEqual([0, "first\n"]);
  });

  test("gc keeps a session whose only change is a commit in the repository", async () => {
    const world = make();
    const cell = await open(world);
    await run(cell, `git ${AS_ME} commit -q --allow-empty -m second`);
    expect((await cell.diff()).changes).toEqual([]);
    await cell.close();
    const store = { stateDir: path.join(world.top, "state"), protectionOf: () => null };
    expect((await collectGarbage(store)).removed).toEqual([]);
    const later = await open(world, { session: cell.session! });
    expect(await run(later, "git log --format=%s")).toEqual([0, "second\nfirst\n"]);
  });

  test("a command reaches no socket in the repository", async () => {
    const world = make();
    const socket = path.join(world.repository, "daemon.ipc");
    const server = net.createServer((peer) => peer.destroy());
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    const connect = `import socket; s = socket.socket(socket.AF_UNIX); s.connect("${socket}"); print("connected")`;
    expect(execFileSync("python3", ["-c", connect], { encoding: "utf8" })).toBe("connected\n");
    const cell = await open(world);
    expect(await run(cell, `ls ${socket} && python3 -c '${connect}'`)).toEqual([1, `${socket}\n`]);
  });

  test.each([{ fs: "host" }, { strategy: "clone" }] as const)(
    "with %o commands do not see the repository, and the observation of git says so",
    async (options) => {
      const world = make();
      const cell = await open(world, options);
      expect(await run(cell, `ls ${world.repository}`)).toEqual([2, ""]);
      const { output } = await cell.call({ name: "run_command", arguments: { command: "git status" } });
      expect(output).toMatchObject({
        exit_code: 128,
        note: expect.stringContaining(
          "Commands here do not see the repository of this worktree or submodule",
        ),
      });
    },
  );
});

/** Makes a directory look like a repository; its HEAD is the secret. */
function plantRepository(dir: string): void {
  writeFiles(dir, { HEAD: "secret\n", "objects/x": "", "refs/x": "" });
}

function plantWorktree(repository: string, project: string, commondir = "../.."): string {
  plantRepository(repository);
  const gitdir = `${path.join(project, ".git")}\n`;
  writeFiles(repository, { "worktrees/w/gitdir": gitdir, "worktrees/w/commondir": `${commondir}\n` });
  return path.join(repository, "worktrees/w");
}

interface Attack {
  readonly project: string;
  readonly victim: string;
  readonly stateDir: string;
}

/** Each plants files and returns what the `.git` file says. The secret is in `victim/HEAD`. */
const ATTACKS: Record<string, (attack: Attack) => string> = {
  "a directory that is no repository": ({ victim }) => {
    writeFiles(victim, { HEAD: "secret\n" });
    return victim;
  },
  "a repository that names no project": ({ victim }) => {
    plantRepository(victim);
    return victim;
  },
  "a worktree of another project": ({ victim, project }) => plantWorktree(victim, `${project}-2`),
  "a submodule of another project": ({ victim }) => {
    plantRepository(victim);
    writeFiles(victim, { config: "[core]\n\tworktree = ../other\n" });
    return victim;
  },
  "a worktree without a repository": ({ victim, project }) => {
    const gitDir = plantWorktree(victim, project);
    fs.rmSync(path.join(victim, "refs"), { recursive: true });
    return gitDir;
  },
  "a git directory in the project whose commondir is outside": ({ victim, project }) => {
    plantRepository(victim);
    return plantWorktree(path.join(project, "own"), project, victim);
  },
  "a link to a worktree": ({ victim, project }) => {
    const link = path.join(project, "link");
    fs.symlinkSync(plantWorktree(victim, project), link);
    return link;
  },
  "a worktree below a link": ({ victim, project }) => {
    plantWorktree(victim, project);
    fs.symlinkSync(victim, path.join(project, "link"));
    return "link/worktrees/w";
  },
  "a directory that contains the state directory": ({ victim, project }) => plantWorktree(victim, project),
};

describe("issue-17-8: a hostile .git file gives commands nothing", () => {
  test.each(Object.entries(ATTACKS))("%s", async (name, plant) => {
    const top = tempDir();
    const project = path.join(top, "ws");
    const victim = path.join(top, "victim");
    const stateDir = path.join(name.includes("state directory") ? victim : top, "state");
    fs.mkdirSync(project);
    fs.writeFileSync(path.join(project, ".git"), `gitdir: ${plant({ project, victim, stateDir })}\n`);
    const read = `cat ${path.join(victim, "HEAD")}`;
    expect(execFileSync("sh", ["-c", read], { encoding: "utf8" })).toBe("secret\n");
    const cell = await open({ top, project, repository: victim }, { stateDir });
    expect(await run(cell, read)).toEqual([1, ""]);
  });

  test("control: a repository that names the project is shown", async () => {
    const top = tempDir();
    const project = path.join(top, "ws");
    const victim = path.join(top, "victim");
    fs.mkdirSync(project);
    fs.writeFileSync(path.join(project, ".git"), `gitdir: ${plantWorktree(victim, project)}\n`);
    const cell = await open({ top, project, repository: victim });
    expect(await run(cell, `cat ${path.join(victim, "HEAD")}`)).toEqual([0, "secret\n"]);
  });

  test.runIf(IS_ROOT)("a repository of another user", async () => {
    const top = tempDir();
    fs.chmodSync(top, 0o755);
    const project = path.join(top, "ws");
    const victim = path.join(top, "victim");
    fs.mkdirSync(project);
    fs.writeFileSync(path.join(project, ".git"), `gitdir: ${plantWorktree(victim, project)}\n`);
    execFileSync("chown", ["-R", `${SOMEBODY}:${SOMEBODY}`, project]);
    const cell = await open({ top, project, repository: victim });
    expect(await run(cell, `cat ${path.join(victim, "HEAD")}`)).toEqual([1, ""]);
  });
});
