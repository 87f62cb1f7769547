// Homes of profiles: what lasts, who gets it, and what a program cannot do with it.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { IS_ROOT } from "../../kit/is-root.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";
import { runInTerminal, type TerminalStep } from "../../kit/worlds/terminal.ts";

const CLI = path.join(import.meta.dirname, "../../../bin/hotcell.js");
const PROFILES = { sh: { program: "sh", homeFiles: [".rules", ".missing"] }, other: { program: "sh" } };

function openWorld(settings: object = {}) {
  const top = tempDir();
  const user = path.join(top, "user");
  for (const dir of ["project", "second", "user"]) fs.mkdirSync(path.join(top, dir));
  fs.writeFileSync(path.join(top, "config.json"), JSON.stringify({ profiles: PROFILES, ...settings }));
  fs.writeFileSync(path.join(user, ".secret"), "key of the user\n");
  const env = {
    ...process.env,
    HOME: user,
    HOTCELL_STATE_DIR: path.join(top, "state"),
    HOTCELL_CONFIG: path.join(top, "config.json"),
    TERM: "xterm-256color",
  };
  const cwd = path.join(top, "project");
  const hotcell = (args: readonly string[], at = cwd) =>
    spawnSync(process.execPath, [CLI, ...args], { cwd: at, env, encoding: "utf8", input: "" });
  const homes = (): { id: string; profile: string; inUse: boolean; bytes: number; project: string }[] =>
    JSON.parse(hotcell(["run", "--list-homes", "--json"]).stdout);
  return {
    top,
    user,
    hotcell,
    homes,
    sh: (script: string, ...flags: string[]) => hotcell(["run", "sh", ...flags, "--", "sh", "-c", script]),
    home: () => path.join(top, "state/homes", homes()[0]!.id, "home"),
    start: (script: string): ChildProcess =>
      spawn(process.execPath, [CLI, "run", "sh", "--", "sh", "-c", script], { cwd, env }),
    terminal: (line: string, steps: readonly TerminalStep[]) =>
      runInTerminal(`${process.execPath} ${CLI} ${line}`, steps, { cwd, env }),
  };
}

describe("a home", () => {
  test("lasts from run to run; another profile and another project have their own", () => {
    const { top, hotcell, sh, homes } = openWorld();
    sh("echo token > ~/.login; chmod 600 ~/.login");
    expect(sh("cat ~/.login").stdout).toBe("token\n");
    expect(hotcell(["run", "other", "--", "sh", "-c", "ls -A ~"]).stdout).toBe("");
    const second = hotcell(["run", "sh", "--", "sh", "-c", "ls -A ~"], path.join(top, "second"));
    expect(second.stdout).toBe("");
    const listed = homes().map(({ profile, project, inUse }) => ({ profile, project, inUse }));
    const at = (name: string) => path.join(top, name);
    expect(listed).toHaveLength(3);
    expect(listed).toEqual(
      expect.arrayContaining([
        { profile: "sh", project: at("project"), inUse: false },
        { profile: "other", project: at("project"), inUse: false },
        { profile: "sh", project: at("second"), inUse: false },
      ]),
    );
    for (const name of ["homes", `homes/${homes()[0]!.id}`, `homes/${homes()[0]!.id}/home`])
      expect(fs.statSync(path.join(top, "state", name)).mode & 0o777).toBe(0o700);
  });

  test("is removed with everything in it, also what nobody may read; a program without a profile leaves none", () => {
    const { hotcell, sh, homes } = openWorld();
    hotcell(["run", "--", "sh", "-c", "echo x > ~/f"]);
    expect(homes()).toEqual([]);
    sh("mkdir -p ~/a/b ~/c/d && echo x > ~/a/b/f && chmod 0 ~/a/b ~/a && chmod 400 ~/c && chmod 0 ~");
    expect(homes()).toHaveLength(1);
    expect(hotcell(["session", "gc"]).status).toBe(0);
    expect(hotcell(["run", "--forget", "sh"]).stderr).toContain("Add --yes");
    const { status, stdout } = hotcell(["run", "--forget", "sh", "--yes"]);
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: expect.stringMatching(/^Removed the home of "sh"/),
    });
    expect(homes()).toEqual([]);
    expect(sh("ls -A ~").stdout).toBe("");
    expect(hotcell(["run", "--forget", "../sessions", "--yes"]).stderr).toContain("There is no home of");
  });

  test("is the same by every path that leads to the project", () => {
    const { top, hotcell, sh } = openWorld();
    sh("echo token > ~/.login");
    fs.symlinkSync(path.join(top, "project"), path.join(top, "link"));
    const linked = hotcell([
      "run",
      "sh",
      "--workspace",
      path.join(top, "link"),
      "--",
      "sh",
      "-c",
      "cat ~/.login",
    ]);
    expect(linked.stdout).toBe("token\n");
  });

  test("has one program at a time: a second run and --forget are refused and say who has it", async () => {
    const { start, sh, hotcell, homes } = openWorld();
    const child = start("echo ready; cat");
    await once(child.stdout!, "data");
    expect(homes()[0]!.inUse).toBe(true);
    for (const refused of [sh("true"), hotcell(["run", "--forget", "sh", "--yes"])])
      expect(refused).toMatchObject({
        status: 1,
        stderr: `hotcell: Could not use the home of "sh": a home has one program at a time, and process ${child.pid} (hotcell run sh) has it. End that program first, or work in another copy of the project.\n`,
      });
    child.stdin!.end();
    await once(child, "close");
    expect(sh("true").status).toBe(0);
  });

  test.runIf(IS_ROOT)(
    "on a full disk says so to the program, then to the user with the way out, and works again when it is removed",
    () => {
      const { top } = openWorld();
      const script = `set -e; mkdir '${top}/state'; mount -t tmpfs -o size=4m none '${top}/state'; cd '${top}/project'
export HOTCELL_STATE_DIR='${top}/state' HOTCELL_CONFIG='${top}/config.json' HOME='${top}/user'
hotcell() { '${process.execPath}' '${CLI}' run "$@" 2>&1 || echo failed; }
hotcell sh -- sh -c 'echo kept > ~/.login; cat /dev/zero > ~/big; cat ~/.login' | head -2
hotcell sh -- sh -c 'echo ran' | grep -o 'the home of "sh" has .*\\|failed'
dd if=/dev/zero of='${top}/state/rest' bs=4k 2> /dev/null || true
hotcell sh -- sh -c 'echo ran' | grep -o 'Could not open.*\\|failed'
rm '${top}/state/rest'
hotcell --forget sh --yes > /dev/null
hotcell sh -- sh -c 'echo ran' | head -1`;
      const { stdout } = spawnSync("unshare", ["-m", "sh", "-c", script], { encoding: "utf8" });
      expect(stdout.trimEnd().split("\n")).toEqual([
        "cat: write error: No space left on device",
        "kept",
        expect.stringMatching(
          /^the home of "sh" has [23]\.\d MB of it. To make room: hotcell run --forget sh, hotcell session gc$/,
        ),
        "failed",
        'Could not open the home of "sh": the disk of the state directory is full. Make room: hotcell run --list-homes, hotcell run --forget, hotcell session gc.',
        "failed",
        "ran",
      ]);
    },
  );

  test("is counted by session gc, session show and the doctor", () => {
    const { hotcell, sh } = openWorld();
    sh("head -c 3000000 /dev/urandom > ~/f; echo x > changed");
    expect(hotcell(["session", "gc"]).stdout).toMatch(
      /; sessions use .*, and homes [23]\.\d MB \(hotcell run/,
    );
    expect(hotcell(["session", "show", "last"]).stdout).toMatch(/^homes +sh [23]\.\d MB$/m);
    expect(hotcell(["doctor"]).stdout).toMatch(/, 1 home [23]\.\d MB, /);
  });
});

describe("the limit of a home", () => {
  const LIMIT = { limits: { homeBytes: 1_000_000 } };

  test.each([
    ["one file", "head -c 3000000 /dev/urandom > ~/f"],
    [
      "a directory that the program closed to itself",
      "mkdir ~/d; exec > ~/d/f; chmod 0 ~/d; head -c 3000000 /dev/urandom",
    ],
    ["empty files", "for i in $(seq 400); do : > ~/f$i; done"],
  ])("ends a program that exceeds it: %s; then none starts, with the way out", (_, script) => {
    const { sh, hotcell } = openWorld(LIMIT);
    const over = sh(`${script}; sleep 60`);
    expect(over.stderr).toContain("its home used more disk space than 0 MiB (limits.homeBytes)");
    const next = sh("true");
    expect(next.status).toBe(125);
    expect(next.stderr).toContain(
      "Remove the home (hotcell run --list-homes, hotcell run --forget), or raise",
    );
    expect(hotcell(["run", "--forget", "sh", "--yes"]).status).toBe(0);
    expect(sh("true").status).toBe(0);
  });
});

describe("files of the user's home", () => {
  test("come by name only, as a copy that the program may not write, made again at each start", () => {
    const { user, sh } = openWorld();
    fs.writeFileSync(path.join(user, ".gitconfig"), "[user]\n\tname = Ada\n[alias]\n\tx = y\n");
    expect(sh("cat ~/.gitconfig; ls -A ~").stdout).toBe('[user]\n\tname = "Ada"\n.gitconfig\n');
    const named = sh("cat ~/.gitconfig; echo x >> ~/.gitconfig", "--home-file", ".gitconfig");
    expect(named.stdout).toContain("[alias]");
    expect(named.stderr).toContain("Permission denied");
    sh("rm -f ~/.gitconfig; echo mine > ~/.gitconfig");
    expect(sh("cat ~/.gitconfig", "--home-file", ".gitconfig").stdout).toContain("[alias]");
    expect(fs.readFileSync(path.join(user, ".gitconfig"), "utf8")).toContain("[alias]");
  });

  test("that a profile lists are shown and confirmed once; without a terminal they are not given, and a note says how", () => {
    const { user, sh, terminal } = openWorld();
    fs.writeFileSync(path.join(user, ".rules"), "rules\n");
    const note = sh("cat ~/.rules");
    expect(note.stdout).toBe("");
    expect(note.stderr).toContain(
      "hotcell: not given to sh: ~/.rules. To give it a copy: --home-file .rules\n",
    );
    const asked = terminal("run sh -- cat /home/cell/.rules", [
      {
        wait: 'The profile "sh" may get a copy of ~/.rules. Give it, now and in later runs\\? \\[y/N\\]',
        type: "y\r",
      },
      { wait: "rules\r\n" },
    ]);
    expect(asked).toMatchObject({ status: 0, missed: null });
    expect(sh("cat ~/.rules").stdout).toBe("rules\n");
    const again = terminal("run sh -- cat /home/cell/.rules", [{ wait: "rules\r\n" }]);
    expect([again.missed, again.shown.includes("may get")]).toEqual([null, false]);
  });

  test.each([
    ["../project/x", "name a file in your home by its path from there"],
    ["/etc/passwd", "name a file in your home by its path from there"],
    [".nothing", "your home has no such file"],
    ["fifo", "your home has no such file"],
    ["directory", "your home has no such file"],
  ])("are refused by a wrong name: %s", (file, message) => {
    const { user, sh } = openWorld();
    spawnSync("mkfifo", [path.join(user, "fifo")]);
    fs.mkdirSync(path.join(user, "directory"));
    expect(sh("true", "--home-file", file)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(message),
    });
  });
});

describe("a program cannot use its home to", () => {
  test("write or read files of the user: a link in the way of a home file is refused, and its target stays", () => {
    const { user, sh } = openWorld();
    fs.mkdirSync(path.join(user, "victim"));
    fs.mkdirSync(path.join(user, ".tool"));
    fs.writeFileSync(path.join(user, ".tool/settings"), "settings\n");
    fs.writeFileSync(path.join(user, ".rules"), "rules\n");
    sh(`ln -s ${user}/victim ~/.tool; ln -s ${user}/.secret ~/.rules`);
    // The control: by path, the links lead to files of the user.
    const world = openWorld();
    world.sh(`ln -s ${user}/.secret ~/link`);
    expect(fs.readFileSync(path.join(world.home(), "link"), "utf8")).toBe("key of the user\n");
    expect(world.sh("cat ~/link").stderr).toContain("No such file");
    const refused = sh("true", "--home-file", ".tool/settings");
    expect(refused.status).toBe(1);
    expect(refused.stderr).toContain('Could not put ".tool/settings" into the home: the home has a link');
    expect(fs.readdirSync(path.join(user, "victim"))).toEqual([]);
    expect(sh("cat ~/.rules", "--home-file", ".rules").stdout).toBe("rules\n");
    expect(fs.readFileSync(path.join(user, ".secret"), "utf8")).toBe("key of the user\n");
  });

  test("make devices, run setuid files with other rights, link files of the system, or see other homes and the state", () => {
    const { sh, home } = openWorld();
    const { stdout } = sh(
      [
        "mknod ~/null c 1 3 2>/dev/null || echo no device",
        "ln /etc/hostname ~/hard 2>/dev/null || echo no hard link",
        "cp /usr/bin/id ~/id; chmod 6755 ~/id; ~/id -u > ~/uid",
        'grep " /home/cell " /proc/self/mountinfo | grep -c nosuid,nodev',
        "ls ~/.. | tr '\\n' ' '; ls ~/../../home | tr '\\n' ' '",
      ].join("\n"),
    );
    expect(stdout).toBe("no device\nno hard link\n1\ncell cell ");
    expect(fs.readdirSync(home()).sort()).toEqual(["id", "uid"]);
  });

  test("remove or measure files outside: a link to a directory of the user is removed itself", () => {
    const { user, sh, hotcell, homes } = openWorld();
    fs.mkdirSync(path.join(user, "kept"));
    fs.writeFileSync(path.join(user, "kept/f"), Buffer.alloc(5_000_000));
    sh(`ln -s ${user}/kept ~/kept; ln -s ${user} ~/all`);
    expect(homes()[0]!.bytes).toBeLessThan(1_000_000);
    expect(hotcell(["run", "--forget", "sh", "--yes"]).status).toBe(0);
    expect(fs.readdirSync(path.join(user, "kept"))).toEqual(["f"]);
  });
});
