// A person's commands: `hotcell exec` and `hotcell session shell`, the real ones, some of them in a terminal.
import { type SpawnSyncReturns, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { initRepository } from "../../kit/worlds/git-project.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";

const CLI = path.join(import.meta.dirname, "../../../bin/hotcell.js");

function openWorld() {
  const top = tempDir();
  const root = path.join(top, "project");
  fs.mkdirSync(root);
  fs.writeFileSync(path.join(root, "f"), "project\n");
  const options = {
    cwd: root,
    env: {
      ...process.env,
      HOTCELL_STATE_DIR: path.join(top, "state"),
      HOME: top,
      SHELL: "/bin/bash", // script runs its line with it
    },
  };
  return {
    root,
    options,
    hotcell: (args: readonly string[], input = ""): SpawnSyncReturns<string> =>
      spawnSync(process.execPath, [CLI, ...args], { ...options, input, encoding: "utf8" }),
    /** A line of bash with a terminal, and what is typed there; then nobody types for a while. */
    terminal: (line: string, typed: string): string =>
      spawnSync(
        "bash",
        [
          "-c",
          `(printf %s "$1"; sleep 2) | script --quiet --return --command "$2" /dev/null`,
          "bash",
          typed,
          line,
        ],
        {
          ...options,
          encoding: "utf8",
          timeout: 60_000,
        },
      ).stdout,
  };
}

test("exec gives on what the command gave: output, errors, exit code; its input is ours", () => {
  const { hotcell, root } = openWorld();
  const { stdout, stderr, status } = hotcell(
    ["exec", "--", "bash", "-c", "cat; echo no >&2; rm f; exit 7"],
    "typed",
  );
  expect({ stdout, status }).toEqual({ stdout: "typed", status: 7 });
  expect(stderr).toMatch(/^no\nhotcell: session \S+\n$/);
  expect(fs.readdirSync(root)).toEqual(["f"]);
  expect(hotcell(["session", "diff", "last", "--stat"]).stdout).toContain("f");
  expect(hotcell(["audit", "show", "--json"]).stdout).toContain('"toolName":"exec"');
});

test("exec goes on with a session", () => {
  const { hotcell } = openWorld();
  hotcell(["exec", "--", "bash", "-c", "echo made > g"]);
  expect(hotcell(["exec", "--session", "last", "--", "cat", "g"]).stdout).toBe("made\n");
});

test("exec without a command says how it is used; a program that is not there says so", () => {
  const { hotcell } = openWorld();
  expect(hotcell(["exec"])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("hotcell exec -- npm test"),
  });
  expect(hotcell(["exec", "--", "no-such-program"])).toMatchObject({
    status: 127,
    stderr: expect.stringMatching(
      /no-such-program.*\nhotcell: Status 127 usually means that there is no such program in the cell\. hotcell doctor/,
    ),
  });
});

test("call says that a background process does not outlive the command line", () => {
  const { hotcell } = openWorld();
  const args = JSON.stringify({ command: "sleep 60", background: true });
  const call = (...flags: string[]) => hotcell(["call", "run_command", args, "--json", ...flags]);
  const { stdout, stderr, status } = call("--trust", "autonomous");
  expect([status, JSON.parse(stdout).success]).toEqual([0, true]);
  expect(stderr).toBe(
    "hotcell: The background process p1 ends with this command line. To keep one for later calls, use hotcell mcp, hotcell chat or the library.\n",
  );
});

test("SIGTERM to exec is a SIGTERM to the command", async () => {
  const { options } = openWorld();
  const line = "trap 'echo bye; exit 5' TERM; echo ready; sleep 60 & wait";
  const child = spawn(process.execPath, [CLI, "exec", "--", "bash", "-c", line], options);
  let stdout = "";
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
    if (stdout === "ready\n") child.kill("SIGTERM");
  });
  const [status] = await once(child, "close");
  expect({ stdout, status }).toEqual({ stdout: "ready\nbye\n", status: 5 });
});

/** Runs `hotcell exec` on a script in a terminal, and types Ctrl-C each time that it says "ready". */
function interruptWhenReady(script: string): { shown: string; status: number } {
  const { options, root } = openWorld();
  fs.writeFileSync(path.join(root, "script.sh"), script);
  const argv = JSON.stringify([process.execPath, CLI, "exec", "--", "bash", "script.sh"]);
  const { stdout } = spawnSync("python3", ["-c", TYPE_CTRL_C, argv], {
    ...options,
    encoding: "utf8",
    timeout: 60_000,
  });
  return JSON.parse(stdout);
}

const TYPE_CTRL_C = `
import json, os, pty, sys
argv = json.loads(sys.argv[1])
pid, terminal = pty.fork()
if pid == 0: os.execv(argv[0], argv)
shown = b""
answered = 0
while True:
    try: some = os.read(terminal, 65536)
    except OSError: break
    if not some: break
    shown += some
    while answered < shown.count(b"ready"):
        os.write(terminal, b"\\x03")
        answered += 1
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
print(json.dumps({"shown": shown.decode(), "status": status}))
`;

test("Ctrl-C in the terminal of exec is a SIGINT to the command, which may do with it what it likes", () => {
  const { shown, status } = interruptWhenReady(
    "trap 'echo bye; exit 5' INT; echo ready; while :; do sleep 0.1; done",
  );
  expect(status).toBe(5);
  expect(shown).toContain("bye");
});

test("a command that Ctrl-C ends gives 130", () => {
  expect(interruptWhenReady("echo ready; exec sleep 60").status).toBe(130);
});

/** In Python, because bash now and then loses a SIGTERM that comes right after a SIGINT. */
const GOES_ON = `exec python3 -c '
import os, signal, time
def go_on(*_):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.write(1, b"ready again\\n")
def end(*_):
    os.write(1, b"asked\\n")
    os._exit(6)
signal.signal(signal.SIGINT, go_on)
signal.signal(signal.SIGTERM, end)
os.write(1, b"ready\\n")
while True: time.sleep(60)'`;

test("a command that goes on after Ctrl-C is asked to end by the second", () => {
  const { shown, status } = interruptWhenReady(GOES_ON);
  expect(status).toBe(6);
  expect(shown).toContain("asked");
});

test("without a terminal SIGINT to exec asks the command to end; one that is ended by it gives 130", async () => {
  const { options } = openWorld();
  const run = async (line: string) => {
    const child = spawn(process.execPath, [CLI, "exec", "--", "bash", "-c", line], options);
    let stderr = "";
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    child.stdout.once("data", () => child.kill("SIGINT"));
    const [status] = await once(child, "close");
    return { status, stderr };
  };
  expect(await run("echo ready; exec sleep 60")).toEqual({
    status: 130,
    stderr: "hotcell: The command was ended: it was cancelled by its caller.\n",
  });
  expect(await run("trap 'exit 5' TERM; echo ready; while :; do sleep 0.1; done")).toMatchObject({
    status: 5,
  });
});

test("a shell in a session is a terminal, and its changes are the session's", () => {
  const { hotcell, terminal, root } = openWorld();
  hotcell(["session", "create"]);
  const shown = terminal(
    `${process.execPath} ${CLI} session shell last`,
    "tty && echo $((6 * 7)) > answer\nexit\n",
  );
  expect(shown).toContain("/dev/pts/");
  expect(hotcell(["exec", "--session", "last", "--", "cat", "answer"]).stdout).toBe("42\n");
  expect(fs.readdirSync(root)).toEqual(["f"]);
});

const INJECT = `python3 -c 'import fcntl, termios
for c in b"INJECTED\\n": fcntl.ioctl(0, termios.TIOCSTI, bytes([c]))' 2>&1 | tail -1`;
/** Some kernels allow it to nobody. */
const mayType = () => fs.readFileSync("/proc/sys/dev/tty/legacy_tiocsti", "utf8") !== "0\n";
const READ_BACK = 'IFS= read -r -t 1 line; echo "shell got [$line]"';

test("keys can't be typed into the terminal that exec was started from; without the shield they can", () => {
  const { terminal, root } = openWorld();
  fs.writeFileSync(path.join(root, "inject.sh"), INJECT);
  if (mayType()) expect(terminal(`bash inject.sh; ${READ_BACK}`, "")).toContain("shell got [INJECTED]");
  const shown = terminal(`${process.execPath} ${CLI} exec -- bash inject.sh; ${READ_BACK}`, "");
  expect(shown).toContain("PermissionError");
  expect(shown).toContain("shell got []");
});

test("exec says which host the network refused and how to allow it, and which files a failed command did not see", () => {
  const { hotcell, root } = openWorld();
  const refused = hotcell(["exec", "--", "curl", "-sS", "https://nowhere.example"]);
  expect(refused.stderr.split("\n").slice(1)).toEqual([
    "hotcell: The network refused nowhere.example:443: no rule allows it. To allow it: allow network(nowhere.example:443)",
    "hotcell: Add it to the command: hotcell exec --rule 'allow network(nowhere.example:443)' -- …",
    "",
  ]);
  const both = "curl -s https://b.example; curl -s https://a.example; exit 3";
  expect(hotcell(["exec", "--", "sh", "-c", both])).toMatchObject({
    status: 3,
    stderr: [
      "hotcell: The network refused b.example:443: no rule allows it. To allow it: allow network(b.example:443)",
      "hotcell: The network refused a.example:443: no rule allows it. To allow it: allow network(a.example:443)",
      "hotcell: Add them to the command: hotcell exec --rule 'allow network(b.example:443)' --rule 'allow network(a.example:443)' -- …",
      "",
    ].join("\n"),
  });
  fs.writeFileSync(path.join(root, ".env"), "KEY=1\n");
  expect(hotcell(["exec", "--", "cat", ".env"]).stderr).toBe(
    'cat: .env: No such file or directory\nhotcell: Commands do not see files with a secret\'s name: ".env".\n',
  );
  expect(hotcell(["exec", "--", "ls"])).toMatchObject({ stdout: "f\n", stderr: "" });
});

test("network learn, audit show and audit verify find the log of a session that exec removed: by its id, a beginning, or last", () => {
  const { hotcell, options } = openWorld();
  const other = path.join(path.dirname(options.cwd), "other");
  fs.mkdirSync(other);
  const exec = (...args: string[]) => hotcell(["exec", ...args]);
  const fetch = (host: string) => ["--", "curl", "-sS", `https://${host}.example`];
  const learn = (session: string) => {
    const { status, stdout, stderr } = hotcell(["network", "learn", session]);
    return status === 0 ? stdout : stderr;
  };
  const rule = (host: string) => `allow network(${host}.example:443)\n`;
  expect(learn("last")).toContain("There is no log of this project: nothing was called in it.");
  exec(...fetch("removed"));
  exec("--workspace", other, ...fetch("other"));
  expect(learn("last")).toBe(rule("removed"));
  expect(hotcell(["session", "list", "--all", "--json"]).stdout).toBe("[]\n");
  const logs = JSON.parse(hotcell(["audit", "show", "--session", "last", "--json"]).stdout);
  const id = path.basename(path.resolve(logs[0].log, "../.."));
  expect([learn(id), learn(id.slice(0, -1))]).toEqual([rule("removed"), rule("removed")]);
  expect(hotcell(["audit", "verify", "--session", id.slice(0, -1)]).stdout).toContain(id);
  expect(learn(id.slice(0, 2))).toContain(`Could not choose a log: 2 ids begin with "${id.slice(0, 2)}".`);
  expect(learn("nothing")).toContain('There is no log of a session "nothing"');
  exec("--name", "work", ...fetch("kept"));
  expect([learn("work"), learn("last")]).toEqual([rule("kept"), rule("kept")]);
  exec("--fs", "host", ...fetch("host"));
  expect(learn("last")).toBe(rule("host"));
});

test("of an agent's git commit a diff has one line for git's data, and lists hooks and settings", () => {
  const { hotcell, root } = openWorld();
  initRepository(root);
  const script = `echo x >> f; git -c user.name=a -c user.email=a@b commit -qam agent
    echo x > .git/hooks/pre-push; git config a.b c; echo /x > .git/objects/info/alternates`;
  expect(hotcell(["exec", "--", "bash", "-c", script]).status).toBe(0);
  const branch = "take the agent's commits as a branch with hotcell commit --git-branch NAME";
  const stat = hotcell(["diff", "--stat"]).stdout;
  const listed = [...stat.matchAll(/^ (\S+) +\|/gm)].map(([, at]) => at);
  expect(listed).toEqual([".git/config", ".git/hooks/pre-push", ".git/objects/info/alternates", "f"]);
  expect(stat).toMatch(
    new RegExp(`\\n\\d+ paths of git's data in \\.git; for a full diff add --all; ${branch}\\n$`),
  );
  for (const all of [["--stat", "--all"], ["--stat", ".git"], ["--json"]])
    expect(hotcell(["diff", ...all]).stdout).toContain(".git/logs/HEAD");
  const { stderr } = hotcell(["commit", "--yes"]);
  expect(stderr).toContain("not committed: .git/hooks/pre-push (needs confirmation: --protected)\n");
  expect(stderr).toMatch(
    /not committed: \d+ paths of git's data in \.git \(needs confirmation: --protected\); take/,
  );
  expect(stderr).not.toContain(".git/logs");
});

test("a session's counts are those of the files to review, and git's data is counted apart", () => {
  const { hotcell, root } = openWorld();
  initRepository(root);
  const commit = "echo x >> f; git -c user.name=a -c user.email=a@b commit -qam agent";
  const { stderr } = hotcell(["exec", "--name", "work", "--", "bash", "-c", commit]);
  expect(stderr).toMatch(/^hotcell: session \S+\n$/);
  const apart = Number(/^(\d+) paths of git's data/m.exec(hotcell(["diff", "--stat"]).stdout)?.[1]);
  expect(apart).toBeGreaterThan(3);
  const shown = JSON.parse(hotcell(["session", "show", "work", "--json"]).stdout);
  expect(shown).toMatchObject({
    changes: 1,
    gitData: apart,
    calls: [{ paths: 1, gitData: expect.any(Number) }],
  });
  const text = hotcell(["session", "show", "work"]).stdout;
  expect(text).toContain(`\nchanges   1, and ${apart} paths of git's data in .git\n`);
  expect(text).toMatch(/\n {2}#1 {2}exec {2}1 path \+\d+ of git's data /);
  expect(hotcell(["session", "list"]).stdout).toContain(`  1 +${apart} of git's data  `);
  const call = ["call", "--session", "work", "run_command", JSON.stringify({ command: commit })];
  const { meta } = JSON.parse(hotcell([...call, "--rule", "allow run_command"]).stdout);
  expect(meta.changes).toEqual({ count: 1, paths: ["f"], gitData: expect.any(Number) });
  expect(hotcell(["commit", "--yes"]).stderr).toMatch(/^not committed: \d+ paths of git's data/);
  expect(hotcell(["session", "rewind", "work", "--to", "2"]).stdout).toMatch(
    new RegExp(
      `^The session \\S+ \\(work\\) now has \\d changes?, and ${apart} paths of git's data in \\.git\\.\nTo undo`,
    ),
  );
});

test("exec of a command that only touched a file names no session, for there is nothing to review", () => {
  const { hotcell } = openWorld();
  expect(hotcell(["exec", "--", "touch", "f"]).stderr).toBe("");
  expect(hotcell(["session", "list"]).stdout).toContain("There is no session yet.");
});
