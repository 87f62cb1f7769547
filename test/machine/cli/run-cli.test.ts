// `hotcell run`, the real one: with pipes, and in a terminal with a person at it.
import { type SpawnSyncReturns, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { tempDir } from "../../kit/worlds/temp-cell.ts";
import { runInTerminal, type TerminalStep } from "../../kit/worlds/terminal.ts";

const CLI = path.join(import.meta.dirname, "../../../bin/hotcell.js");
const HOTCELL = `${process.execPath} ${CLI}`;

function openWorld() {
  const top = tempDir();
  const root = path.join(top, "project");
  fs.mkdirSync(root);
  fs.writeFileSync(path.join(root, "f"), "project\n");
  const env = {
    ...process.env,
    HOTCELL_STATE_DIR: path.join(top, "state"),
    HOME: top,
    TERM: "xterm-256color",
  };
  const options = { cwd: root, env };
  return {
    root,
    options,
    write: (name: string, text: string) => fs.writeFileSync(path.join(root, name), text),
    read: (name: string) => fs.readFileSync(path.join(root, name), "utf8"),
    hotcell: (args: readonly string[], input = ""): SpawnSyncReturns<string> =>
      spawnSync(process.execPath, [CLI, ...args], { ...options, input, encoding: "utf8" }),
    terminal: (line: string, steps: readonly TerminalStep[]) => runInTerminal(line, steps, options),
  };
}

describe("without a terminal", () => {
  test("the program has our input and output, its status is passed on, and its changes stay in the session", () => {
    const { hotcell, read } = openWorld();
    const { stdout, stderr, status } = hotcell(
      ["run", "--", "bash", "-c", "cat; echo no >&2; echo changed > f; exit 7"],
      "typed",
    );
    expect({ stdout, status }).toEqual({ stdout: "typed", status: 7 });
    expect(stderr).toMatch(
      /^no\nhotcell: bash ended with status 7 after \d+ s\nhotcell: 1 change in session/,
    );
    expect(read("f")).toBe("project\n");
    const again = hotcell(["run", "--session", "last", "--keep", "--", "cat", "f"]);
    expect(again.stdout).toBe("changed\n");
  });

  test("--yes-commit commits what a program with status 0 changed, and nothing of one that failed", () => {
    const { hotcell, read } = openWorld();
    const failed = hotcell(["run", "--yes-commit", "--", "bash", "-c", "echo bad > f; exit 3"]);
    expect({ status: failed.status, f: read("f") }).toEqual({ status: 3, f: "project\n" });
    expect(failed.stderr).toContain("Not committed, because of the program's status.");
    const { status, stderr } = hotcell(["run", "--yes-commit", "--", "bash", "-c", "echo good > f"]);
    expect({ status, f: read("f") }).toEqual({ status: 0, f: "good\n" });
    expect(stderr).toContain("Committed 1 change.");
  });

  test("--json prints one document, and the program's output goes to standard error", () => {
    const { hotcell } = openWorld();
    const { stdout, stderr } = hotcell([
      "run",
      "--json",
      "--yes-commit",
      "--",
      "bash",
      "-c",
      "echo hi | tee g",
    ]);
    expect(JSON.parse(stdout)).toEqual({
      program: "bash",
      session: expect.any(String),
      exitCode: 0,
      signal: null,
      durationMs: expect.any(Number),
      changes: 1,
      gitData: 0,
      reached: [],
      refused: [],
      unreached: [],
      weakened: null,
      committed: {
        tx: expect.any(String),
        committed: ["g"],
        skipped: [],
        conflicts: [],
      },
    });
    expect(stderr).toMatch(/^hi\n/);
  });

  test("a conflict with the project keeps the session, and makes a status of 0 a 1", () => {
    const { hotcell, root, read } = openWorld();
    hotcell(["run", "--name", "one", "--keep", "--", "bash", "-c", "echo mine > f"]);
    fs.writeFileSync(path.join(root, "f"), "theirs\n");
    const { status, stderr } = hotcell(["run", "--name", "one", "--yes-commit", "--", "true"]);
    expect({ status, f: read("f") }).toEqual({ status: 1, f: "theirs\n" });
    expect(stderr).toContain("conflict");
  });

  test("a program that is not in the cell gives 127, with a hint", () => {
    const { status, stderr } = openWorld().hotcell(["run", "--", "no-such-program"]);
    expect(status).toBe(127);
    expect(stderr).toMatch(
      /hotcell: no-such-program ended with status 127 after \d+ s\nhotcell: Status 127 usually means/,
    );
  });

  test("a refused host comes with the rule that would allow it", () => {
    const { hotcell } = openWorld();
    const { stderr } = hotcell(["run", "--", "curl", "-sS", "https://nowhere.example"]);
    expect(stderr).toContain(
      "hotcell: refused nowhere.example:443; to allow it: --rule 'allow network(nowhere.example:443)'\n",
    );
  });

  test("it has no variable of ours but those of --secret, whose value is not in the log", () => {
    const { options } = openWorld();
    const env = { ...options.env, GIVEN: "value-given-1234", OTHER: "value-other" };
    const run = (args: readonly string[]) =>
      spawnSync(process.execPath, [CLI, ...args], { ...options, env, encoding: "utf8" });
    const line = ["bash", "-c", 'echo "$GIVEN $OTHER"; touch g', "value-given-1234"];
    expect(run(["run", "--secret", "GIVEN", "--", ...line]).stdout).toBe("value-given-1234 \n");
    const log = run(["audit", "show", "--json"]).stdout;
    expect([log.includes("touch g"), log.includes("value-given-1234")]).toEqual([true, false]);
    expect(run(["run", "--secret", "NONE", "--", ...line]).status).toBe(2);
  });

  test.each([
    [["run"], "or a program after --"],
    [["run", "--keep", "--yes-commit", "--", "true"], "exclude each other"],
    [["run", "--fs", "host", "--", "true"], "works in a session"],
  ])("wrong use: %j", (args, message) => {
    expect(openWorld().hotcell(args)).toMatchObject({ status: 2, stderr: expect.stringContaining(message) });
  });
});

/** Prints the bytes that it gets, up to the end of a paste. */
const KEYS = String.raw`
import os, tty
tty.setraw(0)
os.write(1, b"\x1b[?1003h\x1b[?1006h\x1b[?2004h\x1b[38;2;1;2;3mtrue\x1b[48;5;99mcolour\x1b[0m ready")
got = b""
while not got.endswith(b"\x1b[201~"): got += os.read(0, 4096)
print("got", got)
`;

describe("in a terminal", () => {
  test("the program has a terminal of its own, of the same size, also after the window changed", () => {
    const { terminal } = openWorld();
    const script = `python3 -uc '
import os, signal
sizes = []
signal.signal(signal.SIGWINCH, lambda *_: sizes.append(os.get_terminal_size()))
print("at", os.ttyname(0), os.get_terminal_size(), os.environ["TERM"])
while sizes == []: signal.sigtimedwait([], 0.01)
print("now", sizes[-1])
'`;
    const { shown, ...end } = terminal(`${HOTCELL} run -- ${script}`, [
      { wait: "at /dev/pts/0 os.terminal_size\\(columns=100, lines=30\\) xterm-256color", resize: [20, 71] },
      { wait: "now os.terminal_size\\(columns=71, lines=20\\)" },
    ]);
    expect(end).toEqual({ status: 0, isRestored: true, missed: null });
  });

  test("mouse reports, bracketed paste and colours pass through as they are", () => {
    const { terminal, write } = openWorld();
    write("keys.py", KEYS);
    const { shown, ...end } = terminal(`${HOTCELL} run --keep -- python3 keys.py`, [
      { wait: "ready", type: "\x1b[<0;10;5M\x1b[<0;10;5m\x1b[<35;100;30M\x1b[200~a\tp\xe4ste\nd\x1b[201~" },
    ]);
    expect(end).toEqual({ status: 0, isRestored: true, missed: null });
    expect(shown).toContain(
      "\x1b[?1003h\x1b[?1006h\x1b[?2004h\x1b[38;2;1;2;3mtrue\x1b[48;5;99mcolour\x1b[0m ready",
    );
    expect(shown).toContain(
      String.raw`got b'\x1b[<0;10;5M\x1b[<0;10;5m\x1b[<35;100;30M\x1b[200~a\tp\xc3\xa4ste\nd\x1b[201~'`,
    );
  });

  test("bash has job control: Ctrl-C, Ctrl-Z and fg, and its status is passed on", () => {
    const { terminal } = openWorld();
    const { shown, ...end } = terminal(`${HOTCELL} run -- bash --norc -i`, [
      { wait: "[$#] ", type: "bash -c 'echo ready; exec sleep 61'\r" },
      { wait: "[\r\n]ready\r\n", type: "\x03" },
      { wait: "[$#] ", type: "bash -c 'echo ready; exec cat > typed'\r" },
      { wait: "[\r\n]ready\r\n", type: "\x1a" },
      { wait: "Stopped.*[$#] ", type: "fg\r" },
      { wait: "exec cat > typed'\r\n", type: "line\r\x04" },
      { wait: "[$#] ", type: "exit 9\r" },
      { wait: "eep in the session", type: "k" },
    ]);
    expect(end).toEqual({ status: 9, isRestored: true, missed: null });
    expect(shown).toContain("1 change in session");
  });

  test("commit all takes the changes of a program to the project", () => {
    const { terminal, read } = openWorld();
    const { shown, ...end } = terminal(`${HOTCELL} run -- vim -Nu NONE f`, [
      { wait: "project", type: "Ochanged by vim\x1b:wq\r" },
      { wait: "eep in the session", type: "c" },
    ]);
    expect(end).toEqual({ status: 0, isRestored: true, missed: null });
    expect(shown).toContain("Committed 1 change to");
    expect(read("f")).toBe("changed by vim\nproject\n");
  });

  test("review takes one hunk and leaves the other; discard leaves nothing", () => {
    const { terminal, hotcell, read } = openWorld();
    const reviewed = terminal(`${HOTCELL} run -- bash -c 'echo new > g; echo changed > f'`, [
      { wait: "eep in the session", type: "r" },
      { wait: "Change f\\?", type: "n\r" },
      { wait: "Add g\\?|Create g\\?|g\\?", type: "y\r" },
    ]);
    expect({ ...reviewed, shown: "" }).toEqual({ shown: "", status: 0, isRestored: true, missed: null });
    expect([read("f"), read("g")]).toEqual(["project\n", "new\n"]);
    const discarded = terminal(`${HOTCELL} run --session last -- true`, [
      { wait: "eep in the session", type: "d" },
      { wait: "\\[y/N\\]", type: "y\r" },
    ]);
    expect({ ...discarded, shown: "" }).toEqual({ shown: "", status: 0, isRestored: true, missed: null });
    expect(hotcell(["session", "diff", "last", "--stat"]).stdout).not.toContain("f");
  });
});

/** Counts the terminals that processes of the sandbox have open and that are not the sandbox's own. */
const FOREIGN = `
import glob, os
own = os.stat("/dev/pts").st_dev
controlling = os.makedev(5, 0) # /dev/tty, which is another terminal for each who opens it
found = 0
for at in glob.glob("/proc/[0-9]*/fd/*"):
    try: fd = os.open(at, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    except OSError: continue
    stat = os.fstat(fd)
    if os.isatty(fd) and stat.st_dev != own and stat.st_rdev != controlling:
        found += 1
        os.write(fd, b"written by the sandbox")
    os.close(fd)
print("foreign", found)
`;

const INJECT = `python3 -c 'import fcntl, termios
for c in b"INJECTED\\n": fcntl.ioctl(0, termios.TIOCSTI, bytes([c]))' 2>&1 | tail -1`;
/** Some kernels allow it to nobody. */
const mayType = () => fs.readFileSync("/proc/sys/dev/tty/legacy_tiocsti", "utf8") !== "0\n";
const READ_BACK = 'IFS= read -r -t 1 -N 4 line; echo "shell got [$line]"';

describe("the user's terminal", () => {
  test("is not open in the sandbox of run; in that of exec it is", () => {
    const { terminal, write } = openWorld();
    write("foreign.py", FOREIGN);
    const control = terminal(`${HOTCELL} exec -- python3 foreign.py`, [{ wait: "foreign [1-9]" }]);
    expect(control.missed).toBeNull();
    expect(control.shown).toContain("written by the sandbox");
    const { shown, missed } = terminal(`${HOTCELL} run -- python3 foreign.py`, [{ wait: "foreign 0" }]);
    expect({ missed, isWritten: shown.includes("written by the sandbox") }).toEqual({
      missed: null,
      isWritten: false,
    });
  });

  test("gets no keys from the program; without the shield it does", () => {
    const { terminal, write } = openWorld();
    write("inject.sh", INJECT);
    if (mayType()) expect(terminal(`bash inject.sh; ${READ_BACK}`, []).shown).toContain("shell got [INJE]");
    const { shown } = terminal(`${HOTCELL} run -- bash inject.sh; ${READ_BACK}`, []);
    expect(shown).toContain("PermissionError");
    expect(shown).toContain("shell got []");
  });

  test("does not answer the user's shell what the program asked at its end; without hotcell it does", () => {
    const { terminal, write } = openWorld();
    write("ask.sh", "printf '\\e[5n\\e[5n'");
    const control = terminal(`stty raw -echo; bash ask.sh; ${READ_BACK}; stty sane`, []);
    expect(control.shown).toContain("shell got [\x1b[0n]");
    const { shown, isRestored } = terminal(`${HOTCELL} run -- bash ask.sh; ${READ_BACK}`, []);
    expect(shown).toContain("shell got []");
    expect(isRestored).toBe(true);
  });

  test("has its title, screen, mouse and colours back, and a sequence that the program left open is cancelled", () => {
    const { terminal, write } = openWorld();
    write("leave.sh", "printf '\\e[?1049h\\e[?1003h\\e]0;mine\\a\\e]52;c;Y3VybA=='");
    const { shown } = terminal(`${HOTCELL} run -- bash leave.sh`, []);
    const [during, after] = shown.split("\x1b]52;c;Y3VybA==");
    expect(during).toMatch(/^\x1b\[22;0t/);
    expect(after).toMatch(/^\x7f\x18/);
    for (const reset of ["\x1b[?1049l", "\x1b[?1003l", "\x1b[0m", "\x1b[23;0t"])
      expect(after).toContain(reset);
  });

  const ASKED = { wait: "eep in the session", type: "k" };
  const KEPT = { wait: "Kept in session" };
  test.each([
    ["the program is killed", { name: "SIGKILL", to: "sleep 4321.1" }, 137, ASKED],
    ["hotcell gets SIGTERM, which asks nothing then", { name: "SIGTERM", to: `${HOTCELL} run` }, 143, KEPT],
    ["hotcell gets SIGHUP, which asks nothing then", { name: "SIGHUP", to: `${HOTCELL} run` }, 129, KEPT],
    ["hotcell gets SIGQUIT, which asks nothing then", { name: "SIGQUIT", to: `${HOTCELL} run` }, 131, KEPT],
  ] as const)("is restored when %s", (_, signal, status, last) => {
    const { terminal } = openWorld();
    const line = `printf "\\e[?1049h\\e[?1003h"; echo x > f; echo ready; exec sleep 4321.1`;
    const run = terminal(`${HOTCELL} run -- bash -c '${line}'; exit $?`, [{ wait: "ready", signal }, last]);
    expect({ ...run, shown: "" }).toEqual({ shown: "", status, isRestored: true, missed: null });
    for (const reset of ["\x1b[?1049l", "\x1b[?1003l"]) expect(run.shown).toContain(reset);
  });

  test.each([
    ["SIGTERM", "SIGTERM", 143],
    ["SIGINT", "SIGINT", 130],
    ["SIGTERM", "SIGHUP", 129],
    ["SIGHUP", "SIGTERM", 129],
  ] as const)(
    "is restored when hotcell gets %s, and %s before the program has ended",
    (first, second, status) => {
      const { terminal, hotcell } = openWorld();
      const line = `trap "" HUP TERM; printf "\\e[?1049h\\e[?1003h"; echo x > f; echo ready; while sleep 0.1; do :; done`;
      const to = `${HOTCELL} run`;
      const run = terminal(`${HOTCELL} run -- bash -c '${line}'; exit $?`, [
        { wait: "ready", signal: { name: first, to } },
        // `script` says this, and waits for a program that takes no signal.
        { wait: "killing shell", signal: { name: second, to } },
      ]);
      expect({ ...run, shown: "" }).toEqual({ shown: "", status, isRestored: true, missed: null });
      for (const reset of ["\x1b[?1049l", "\x1b[?1003l"]) expect(run.shown).toContain(reset);
      expect(hotcell(["session", "diff", "last"]).stdout).toContain("+x");
    },
  );

  test("may go away: the program ends, its changes stay, and the log has its end", () => {
    const { terminal, hotcell } = openWorld();
    const { status, missed } = terminal(
      `${HOTCELL} run -- bash -c 'echo changed > f; echo ready; while sleep 0.1; do echo more; done'`,
      [{ wait: "ready", close: true }],
    );
    // Ended by SIGHUP.
    expect({ status, missed }).toEqual({ status: -1, missed: null });
    expect(hotcell(["session", "diff", "last"]).stdout).toContain("+changed");
    const records = hotcell(["audit", "show", "--json"]).stdout;
    expect([records.includes("tool.exec"), records.includes("tool.interrupted")]).toEqual([true, false]);
  });
});

test("SIGKILL to hotcell leaves nothing of the program; the session and its changes stay", () => {
  const { terminal, hotcell, read } = openWorld();
  const mark = `4${process.pid}.25`;
  const line = `${HOTCELL} run -- bash -c 'echo changed > f; setsid sleep ${mark} & echo ready; exec sleep ${mark}'`;
  const { missed } = terminal(
    `${line}; for i in {1..100}; do pgrep -f "sleep ${mark}$" || break; sleep 0.1; done; echo gone`,
    [{ wait: "ready", signal: { name: "SIGKILL", to: `${HOTCELL} run` } }, { wait: "gone" }],
  );
  expect(missed).toBeNull();
  expect(spawnSync("pgrep", ["-f", `sleep ${mark}$`]).stdout.toString()).toBe("");
  expect(read("f")).toBe("project\n");
  expect(hotcell(["session", "diff", "last"]).stdout).toContain("+changed");
});

test("while a program runs, a diff from another terminal shows its changes, and a commit is refused with who holds the session", async () => {
  const { options, hotcell } = openWorld();
  const line = "echo changed > f; echo ready; cat";
  const child = spawn(process.execPath, [CLI, "run", "--", "bash", "-c", line], options);
  await once(child.stdout, "data");
  expect(hotcell(["session", "diff", "last"]).stdout).toContain("+changed");
  const { status, stderr } = hotcell(["session", "commit", "last", "--yes", "--wait", "0"]);
  expect(status).toBe(1);
  expect(stderr).toContain(`process ${child.pid} (hotcell run) holds it`);
  child.stdin.end();
  await once(child, "close");
});
