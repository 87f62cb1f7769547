// What commands can do in a cell, how they end, and what observations say about them; through the library.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type Cell, type CellOptions, openCell } from "../../../src/cell.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import type { CallEvent, Observation, StudioObservation } from "../../../src/core/types.ts";
import { OFFLINE_ENV } from "../../../src/shield/host/offline-settings.ts";
import { openTempCell, tempDir } from "../../kit/worlds/temp-cell.ts";

const MiB = 1024 * 1024;

async function open(
  options: Partial<CellOptions> = {},
  files: Readonly<Record<string, string>> = {},
  parent?: string,
) {
  const temp = await openTempCell(
    { fs: "overlay", trust: "autonomous", ...options },
    { f: "project\n", ...files },
    parent,
  );
  const run = (command: string, more: JsonObject = {}) =>
    temp.cell.call({ name: "run_command", arguments: { command, ...more } });
  return { ...temp, run };
}

/** A unique time to sleep, so that the test can find the process. */
const napOf = (number: number) => 9_000_000 + process.pid * 100 + number;
const isRunning = (number: number) => spawnSync("pgrep", ["-f", `sleep ${napOf(number)}`]).status === 0;

const textOf = ({ output }: Observation) => output?.stdout;

describe("a command", () => {
  test("runs in the project's directory, and the observation has its exit code, output and errors", async () => {
    const { run, root } = await open();
    const { success, output } = await run("pwd; cat f; echo no >&2; exit 3");
    expect(success).toBe(true);
    expect(output).toMatchObject({
      exit_code: 3,
      signal: null,
      stdout: `${root}\nproject\n`,
      stderr: "no\n",
      timed_out: false,
      truncated: false,
    });
  });
  test.each([
    ["kill -SEGV $$", "SIGSEGV", 139],
    ["kill -9 $$", "SIGKILL", 137],
  ])("that is ended by a signal says so: %s", async (command, signal, code) => {
    const { run } = await open();
    expect((await run(command)).output).toMatchObject({ signal, exit_code: code, termination: "signal" });
  });
  test("has no input", async () => {
    const { run } = await open();
    expect(textOf(await run("cat; read x || echo none"))).toBe("none\n");
  });
  test("runs in a directory of the project", async () => {
    const { run, root } = await open({}, { "d/e": "" });
    expect(textOf(await run("pwd", { cwd: "d" }))).toBe(`${root}/d\n`);
  });
  test.each([
    ["gone", "NOT_FOUND"],
    ["f", "NOT_A_DIRECTORY"],
    ["..", "PATH_OUTSIDE_WORKSPACE"],
  ])("is not run in %s", async (cwd, code) => {
    const { run } = await open();
    expect((await run("true", { cwd })).error?.code).toBe(code);
  });
  test("sees what the file tools wrote, and they see what it wrote; the project stays as it was", async () => {
    const { cell, run, root } = await open();
    await cell.call({ name: "write_file", arguments: { path: "a", content: "by tool" } });
    expect(textOf(await run("cat a; echo by command > b; rm f"))).toBe("by tool");
    const read = await cell.call({ name: "read_file", arguments: { path: "b" } });
    expect(read.output?.content).toContain("by command");
    expect(fs.readdirSync(root)).toEqual(["f"]);
  });
  test("tells which files it changed, and can be rewound", async () => {
    const { cell, run } = await open();
    const { meta } = await run("echo x > new; rm f");
    expect(meta.changes).toEqual({ count: 2, paths: ["f", "new"] });
    await cell.rewind(meta.callId);
    expect((await cell.diff()).changes).toEqual([]);
    expect(textOf(await run("ls"))).toBe("f\n");
  });
  test("leaves its home and /tmp to the next one of the cell, and to no other cell", async () => {
    const { run } = await open({}, {}, "/var/tmp");
    await run("echo mine > ~/h; echo mine > /tmp/t; mkdir -p /dev/shm/s");
    expect(textOf(await run("cat ~/h /tmp/t; ls /dev/shm"))).toBe("mine\nmine\ns\n");
    const other = await open({}, {}, "/var/tmp");
    expect(textOf(await other.run("cat ~/h /tmp/t; ls /dev/shm"))).toBe("");
  });
  test.each(["/tmp", "/dev/shm"])(
    "can't lay a way out of its cell for the next one, where the project is below %s",
    async (parent) => {
      const { run, root } = await open({}, {}, parent);
      const victim = tempDir();
      const top = `${parent}/${path.relative(parent, root).split("/")[0]}`;
      expect((await run(`mv ${top} ${parent}/old && ln -s /oldroot${victim} ${top}`)).output).toMatchObject({
        exit_code: 0,
      });
      expect(textOf(await run("cat f"))).toBe("project\n");
      expect(fs.readdirSync(victim)).toEqual([]);
    },
  );
  test("can't change the devices of the next one", async () => {
    const { run } = await open();
    expect(textOf(await run("rm -f /dev/fd 2>&1; ln -s /tmp /dev/x 2>&1"))).toMatch(
      /Read-only(.|\n)*Read-only/,
    );
  });
  test.each(["host", "overlay"] as const)("makes no set-user-id program, with fs %s", async (mode) => {
    const { run, root } = await open({ fs: mode });
    const make =
      "cp /usr/bin/true s; chmod 4755 s; chmod 2755 s; python3 -c 'import os; os.open(\"t\", os.O_CREAT | os.O_WRONLY, 0o4755)'";
    expect((await run(make)).output?.stderr).toMatch(/(Operation not permitted(.|\n)*){3}/);
    expect(textOf(await run("find . -perm /6000"))).toBe("");
    expect(spawnSync("find", [root, "-perm", "/6000"]).stdout.toString()).toBe("");
  });
  test("has a home and /tmp of a size that the kernel keeps", async () => {
    const { run } = await open();
    const { output } = await run("head -c 1200M /dev/zero > /tmp/big; stat -c %s /tmp/big");
    expect(output?.stderr).toContain("No space left");
  });
});

describe("004's bash", () => {
  const bash = async (args: JsonObject) => {
    const { cell } = await open({ toolsets: ["studio"] });
    return cell.call<StudioObservation>({ name: "bash", arguments: args });
  };
  test("AC-15: echo hello gives hello and the exit code 0", async () => {
    const { output, metadata, isError } = await bash({ command: "echo hello" });
    expect({ output, exitCode: metadata.exitCode, isError }).toEqual({
      output: "hello\n",
      exitCode: 0,
      isError: false,
    });
  });
  test("AC-16: exit 42 is an error with the exit code 42", async () => {
    const { metadata, isError } = await bash({ command: "exit 42" });
    expect({ exitCode: metadata.exitCode, isError }).toEqual({ exitCode: 42, isError: true });
  });
  test("AC-17: a command that runs longer than its timeout is an error that says so", async () => {
    const { output, metadata, isError } = await bash({ command: "echo begun; sleep 300", timeout: 1 });
    expect(isError).toBe(true);
    expect(output).toMatch(/^begun\n+.*did not end within 1000 ms/);
    expect(metadata).toMatchObject({ termination: "timeout", code: "TIMEOUT" });
  });
  /** Writes so many lines to each stream in turn: by the shell itself, and by other programs. */
  const alternate = (lines: number) =>
    `for ((i = 0; i < ${lines}; i++)); do echo out $i; echo err $i >&2; done; seq 3; ls /nowhere; seq 2`;
  const inTurn = (lines: number) =>
    Array.from({ length: lines }, (_, at) => `out ${at}\nerr ${at}\n`).join("");
  const AT_LAST = "1\n2\n3\nls: cannot access '/nowhere': No such file or directory\n1\n2\n";
  test("shows what was written to both streams in the order in which it was written", async () => {
    const { output, metadata } = await bash({ command: alternate(2000) });
    expect(output).toBe(`${inTurn(2000)}${AT_LAST}`);
    expect(metadata).toEqual({ exitCode: 0, signal: null, termination: null, truncated: false });
  });
  test("has one limit for both streams, shows the head and the tail, and keeps the whole in its order", async () => {
    const { cell } = await open({ toolsets: ["studio"] });
    const told: Uint8Array[] = [];
    const { output, metadata, meta } = await cell.call<StudioObservation>(
      { name: "bash", arguments: { command: alternate(20_000) } },
      { onEvent: (event) => void (event.kind === "output" && told.push(event.bytes)) },
    );
    const whole = `${inTurn(20_000)}${AT_LAST}`;
    const [head, lost, tail] = output.split(/\n\[… (\d+) bytes cut …\]\n/) as [string, string, string];
    expect([whole.startsWith(head), whole.endsWith(tail), metadata.truncated]).toEqual([true, true, true]);
    expect([head.length, tail.length]).toEqual([50 * 1024, 50 * 1024]);
    expect(Number(lost)).toBe(whole.length - 100 * 1024);
    const kept = path.join(path.dirname(cell.logFile), "artifacts", meta.artifact!);
    expect(fs.readFileSync(kept, "utf8")).toBe(whole);
    expect(Buffer.concat(told).toString()).toBe(whole);
  });
  test("opens either stream by its name, and says in its output that a program is not there", async () => {
    const { output, metadata } = await bash({
      command: "echo a > /dev/stderr; echo b > /dev/stdout; no-such-program; exit 5",
    });
    expect(output).toMatch(/^a\nb\nbash: line 1: no-such-program: command not found\n$/);
    expect(metadata.exitCode).toBe(5);
  });
});

describe("a command that does not end by itself", () => {
  test("is asked to end when its time is over: its trap runs, and what it wrote is kept", async () => {
    const { run } = await open();
    const { success, error, output } = await run("trap 'echo bye' TERM; echo hi; sleep 100", {
      timeout_ms: 500,
    });
    expect({ success, code: error?.code }).toEqual({ success: false, code: "TIMEOUT" });
    expect(output).toMatchObject({ stdout: "hi\nbye\n", timed_out: true, termination: "timeout" });
  });
  test("is ended with all that it started when it does not listen", async () => {
    const { run } = await open();
    const { output } = await run(
      `trap '' TERM; setsid sleep ${napOf(17)} & sleep ${napOf(17)}; sleep ${napOf(17)}`,
      {
        timeout_ms: 300,
      },
    );
    expect(output).toMatchObject({ signal: "SIGKILL", termination: "timeout" });
    expect(isRunning(17)).toBe(false);
  });
  test("is ended when its caller cancels", async () => {
    const { cell } = await open();
    const cancel = new AbortController();
    const onEvent = ({ kind }: CallEvent) => {
      if (kind === "output") cancel.abort();
    };
    const request = { name: "run_command", arguments: { command: `echo begun; sleep ${napOf(18)}` } };
    const { error, output } = await cell.call(request, { signal: cancel.signal, onEvent });
    expect({ code: error?.code, stdout: output?.stdout }).toEqual({ code: "CANCELLED", stdout: "begun\n" });
    expect(isRunning(18)).toBe(false);
  });
  test("returns whenever its time is over, also while it is being started", async () => {
    const { run } = await open();
    await run("true");
    for (let timeout_ms = 1; timeout_ms < 60; timeout_ms += 2) {
      const { error } = await run("sleep 60", { timeout_ms });
      expect(error?.code).toBe("TIMEOUT");
    }
  });
  test("crash-020: returns though a grandchild holds its output", async () => {
    const { run } = await open();
    const { output } = await run(`(setsid sleep ${napOf(19)} &) ; echo done`);
    expect(output).toMatchObject({ exit_code: 0, stdout: "done\n" });
    expect(isRunning(19)).toBe(false);
  });
});

describe("output", () => {
  test("is reported while the command runs", async () => {
    const { cell } = await open();
    const told: CallEvent[] = [];
    const marker = "/tmp/go";
    const request = {
      name: "run_command",
      arguments: { command: `echo first; until [ -e ${marker} ]; do sleep 0.05; done; echo second` },
    };
    const cancel = new AbortController();
    const ended = cell.call(request, {
      signal: cancel.signal,
      onEvent(event) {
        if (event.kind !== "output") return;
        told.push(event);
        cancel.abort();
      },
    });
    await ended;
    const bytes = Buffer.from("first\n");
    expect(told).toEqual([expect.objectContaining({ kind: "output", stream: "stdout", bytes })]);
  });
  test.each([
    ["coding", 32],
    ["sidecar", 100],
  ])("that is too long is shown by its head and its tail, and kept whole: %s", async (toolset, kib) => {
    const { cell, run } = await open({ toolsets: [toolset] });
    const { output, meta } = await run("seq 1 100000");
    const stdout = output?.stdout as string;
    expect(Math.round(stdout.length / 1024)).toBe(kib);
    expect(stdout.startsWith("1\n2\n3\n")).toBe(true);
    expect(stdout.endsWith("99999\n100000\n")).toBe(true);
    expect(stdout).toMatch(/\[… \d+ bytes cut …\]/);
    expect(output?.truncated).toBe(true);
    const kept = path.join(path.dirname(cell.logFile), "artifacts", meta.artifact!);
    expect(fs.readFileSync(kept, "utf8")).toBe(
      `${Array.from({ length: 100_000 }, (_, at) => at + 1).join("\n")}\n`,
    );
  });
  test("ends the command when there is no end of it", async () => {
    const { run } = await open({ limits: { outputBytes: 4 * MiB } });
    const { error, output } = await run("yes");
    expect(error?.message).toContain("wrote more output than the 4 MiB");
    expect(output?.termination).toBe("output");
  });
  test("can be opened by its name", async () => {
    const { run } = await open();
    const { output } = await run(
      "echo a > /dev/stdout; echo b > /dev/stderr; echo c | tee /dev/stderr >> /dev/stdout",
    );
    expect(output).toMatchObject({ stdout: "a\nc\n", stderr: "b\nc\n" });
  });
  test("may be any bytes", async () => {
    const { run } = await open();
    const { output } = await run("printf 'a\\0b\\033[2J\\377z'");
    expect(output?.stdout).toBe("a\0b\u001b[2J\ufffdz");
  });
});

describe("limits", () => {
  test("are listed, each as enforced, polled or none", async () => {
    const { run } = await open();
    const limits = (await run("true")).meta.limits as Record<string, string>;
    expect(Object.keys(limits)).toEqual([
      "time",
      "cpu",
      "memory",
      "processes",
      "fileSize",
      "openFiles",
      "disk",
      "scratch",
    ]);
    expect(new Set(Object.values(limits))).not.toContain("none");
  });
  test("a command has no more processes than allowed, and all end with the call", async () => {
    const { run } = await open({ limits: { processes: 60 } });
    const bomb = `import os, subprocess
n = 0
try:
    while n < 200:
        subprocess.Popen(["sleep", "${napOf(21)}"]); n += 1
except OSError: pass
print(n)`;
    const made = Number(textOf(await run(`python3 -c '${bomb}'`)));
    expect([made > 10, made < 60]).toEqual([true, true]);
    expect(isRunning(21)).toBe(false);
  });
  test("a command that takes too much memory is ended or refused it", async () => {
    const take = "python3 -c 'x = bytearray(512 << 20); print(len(x))'";
    expect(textOf(await (await open()).run(take))).toBe(`${512 * MiB}\n`);
    const { run } = await open({ limits: { memoryBytes: 128 * MiB } });
    expect((await run(take)).output?.stdout).toBe("");
  });
  test("a program may map more memory than it may use", async () => {
    const { run } = await open({ limits: { memoryBytes: 128 * MiB } });
    const map = "import mmap; print(len(mmap.mmap(-1, 256 << 20, flags=mmap.MAP_PRIVATE)))";
    expect(textOf(await run(`python3 -c '${map}'`))).toBe(`${256 * MiB}\n`);
  });
  test("processes that together take too much memory are ended", async () => {
    const { run } = await open({ limits: { memoryBytes: 300 * MiB } });
    const hog = `python3 -c 'import time; x = bytearray(200 << 20); x[::4096] = b"x" * len(x[::4096]); time.sleep(3)'`;
    const { output } = await run(`for i in 1 2 3 4; do ${hog} & done; wait`, { timeout_ms: 30_000 });
    expect(output?.termination).toBe("oom");
  });
  test("a file can't become larger than allowed", async () => {
    const { run } = await open({ limits: { fileBytes: MiB } });
    expect(textOf(await run("head -c 5M /dev/zero > big; stat -c %s big"))).toBe(`${MiB}\n`);
  });
  test("no more files can be open than allowed", async () => {
    const { run } = await open({ limits: { openFiles: 32 } });
    const { output } = await run("python3 -c 'f = [open(\"/dev/null\") for _ in range(40)]'");
    expect(output?.stderr).toContain("Too many open files");
  });
  test("a session can't fill the disk, not by many commands either", async () => {
    const { run } = await open({ limits: { diskBytes: 64 * MiB } });
    const fill = "for i in $(seq 6); do head -c 8M /dev/urandom > $RANDOM; done";
    expect((await run(fill)).success).toBe(true);
    const more = `for i in $(seq 20); do ${fill}; sleep 2; done`;
    expect((await run(more)).error?.message).toContain("more disk space than its limit of 64 MiB");
  });
  test("a session can't have any number of empty files", async () => {
    const { cell, run } = await open({ limits: { diskBytes: 64 * MiB } });
    const make = (count: number) => `mkdir $RANDOM; cd $_; seq ${count} | xargs touch`;
    expect((await run(make(8_000))).success).toBe(true);
    // Again and again: the free space of a disk tells nothing while others empty it.
    const more = `for i in $(seq 20); do (${make(12_000)}); sleep 2; done`;
    expect((await run(more)).error?.message).toContain("more disk space than its limit of 64 MiB");
    expect((await run("true")).error?.message).toContain("empty files as 4 KiB each");
    await cell.discard();
    expect((await run("true")).success).toBe(true);
  });
  test("issue-17-4: artifacts count: in a session that printed too much no command begins", async () => {
    const { cell, run, root, stateDir } = await open();
    expect((await run("touch made; head -c 12M /dev/urandom | od -v -An -tx1 | head -c 12M")).success).toBe(
      true,
    );
    const again = async (diskBytes: number) => {
      const next = await openCell({
        workspace: root,
        stateDir,
        session: cell.session!,
        trust: "autonomous",
        limits: { diskBytes },
      });
      const { error } = await next.call({ name: "run_command", arguments: { command: "true" } });
      await next.close();
      return error?.message;
    };
    await cell.close();
    expect(await again(16 * MiB)).toBeUndefined();
    expect(await again(8 * MiB)).toContain("its history, its artifacts and its recordings count");
  });
  test("in a session that has too much on the disk no command begins, until changes were discarded", async () => {
    const { cell, run } = await open({ limits: { diskBytes: 8 * MiB } });
    // Again and again: the free space of a disk tells nothing while others empty it.
    let refused: string | undefined;
    for (let n = 0; n < 50 && !refused?.includes("session discard"); n++)
      refused = (await run(`head -c 12M /dev/urandom > big${n}`)).error?.message;
    expect(refused).toContain("session discard");
    await cell.discard();
    expect(textOf(await run("ls; sleep 1; echo done"))).toBe("f\ndone\n");
  });
});

describe.each(["another directory", "a link"])("where the path came to lead to %s", (kind) => {
  /** What was there is beside it. */
  const exchange = (dir: string, other: string) => {
    fs.renameSync(dir, `${dir}.old`);
    if (kind === "a link") fs.symlinkSync(other, dir);
    else fs.renameSync(other, dir);
  };
  const foreign = () => {
    const dir = tempDir();
    fs.chmodSync(dir, 0o777);
    fs.writeFileSync(path.join(dir, ".env"), "KEY=1\n");
    return dir;
  };
  test("of the project, with fs host, no command begins before it is put back", async () => {
    const { run, root } = await open({ fs: "host" });
    exchange(root, foreign());
    const { error } = await run("cat .env; touch planted");
    expect(error).toMatchObject({ code: "WORKSPACE_UNUSABLE", message: expect.stringContaining(root) });
    expect(fs.existsSync(path.join(root, "planted"))).toBe(false);
    fs.renameSync(root, `${root}.other`);
    fs.renameSync(`${root}.old`, root);
    expect(textOf(await run("cat f"))).toBe("project\n");
  });
  test("of the storage, no command begins", async () => {
    const storage = path.join(tempDir(), "storage");
    fs.mkdirSync(storage);
    const { cell } = await open({ storage, toolsets: ["studio"] });
    const bash = async (command: string) =>
      (await cell.call<StudioObservation>({ name: "bash", arguments: { command } })).output;
    expect(await bash("echo before")).toBe("before\n");
    exchange(storage, foreign());
    expect(await bash(`cat ${storage}/.env`)).toContain("is no longer the directory");
  });
});

describe("what a command knows of the host", () => {
  test("its environment has nothing of ours", async () => {
    process.env.CANARY_HOST = "CANARY-ENV";
    onTestFinished(() => {
      delete process.env.CANARY_HOST;
    });
    const { run } = await open({ env: { GIVEN: "yes" } });
    const stdout = textOf(
      await run("env | cut -d= -f1 | sort; tr '\\0' '\\n' < /proc/1/environ; tr '\\0' ' ' < /proc/1/cmdline"),
    ) as string;
    expect(stdout).not.toContain("CANARY");
    const names = stdout.split("\n").filter((name) => /^[A-Z_]+(_[01])?$/.test(name));
    expect(names.filter((name) => !Object.hasOwn(OFFLINE_ENV, name))).toEqual([
      "GIT_CONFIG_COUNT",
      "GIT_CONFIG_KEY_0",
      "GIT_CONFIG_KEY_1",
      "GIT_CONFIG_VALUE_0",
      "GIT_CONFIG_VALUE_1",
      "GIT_OPTIONAL_LOCKS",
      "GIVEN",
      "HOME",
      "HTTPS_PROXY",
      "HTTP_PROXY",
      "LANG",
      "LOGNAME",
      "NO_PROXY",
      "PATH",
      "PWD",
      "SHELL",
      "SHLVL",
      "TERM",
      "TMPDIR",
      "USER",
      "_",
    ]);
  });
  test("files that this process has open are not open in it", async () => {
    const { run } = await open();
    const stdout = textOf(await run("ls -l /proc/$$/fd > /tmp/fds; grep -o '[^ ]*$' /tmp/fds")) as string;
    const held = stdout.split("\n").filter((to) => to !== "" && to !== "0" && to !== "/dev/null");
    // Its own two, which have no name any more.
    expect(held).toEqual(["(deleted)", "(deleted)"]);
  });
});

describe("secrets of the project", () => {
  test.each(["host", "overlay"] as const)(
    "are unreadable to commands with fs %s, also one that comes later",
    async (mode) => {
      const secrets = {
        ".env": "CANARY-1",
        "d/.env.local": "CANARY-2",
        ".ssh/id": "CANARY-3",
        "k.pem": "CANARY-4",
        "secrets.json": "CANARY-5",
      };
      const { run, root } = await open({ fs: mode }, secrets);
      expect(
        spawnSync("grep", ["-r", "CANARY", root])
          .stdout.toString()
          .match(/CANARY/g),
      ).toHaveLength(5);
      expect(textOf(await run("grep -rs CANARY . ; cat .env d/.env.local .ssh/id k.pem secrets.json"))).toBe(
        "",
      );
      await run("mv d $'d\\xff' || true");
      fs.writeFileSync(path.join(root, "later.key"), "CANARY-6");
      expect(textOf(await run("cat d*/.env*"))).toBe("");
      expect(textOf(await run("cat later.key; cat f"))).toBe("project\n");
    },
  );
});

describe.each(["overlay", "host"] as const)("the central storage beside the project, with fs %s", (mode) => {
  test("is read by 004's bash and can't be written, and its secrets are not there", async () => {
    const storage = tempDir();
    fs.chmodSync(storage, 0o755);
    fs.writeFileSync(path.join(storage, "notes.md"), "kept\n");
    fs.writeFileSync(path.join(storage, ".env"), "KEY=1\n");
    fs.mkdirSync(path.join(storage, ".ssh"));
    fs.writeFileSync(path.join(storage, ".ssh/id"), "KEY=2\n");
    const { cell } = await open({ storage, fs: mode, toolsets: ["studio"] });
    const bash = async (command: string) =>
      (await cell.call<StudioObservation>({ name: "bash", arguments: { command } })).output;
    expect(
      await bash(`cat ${storage}/notes.md; cat ${storage}/.env ${storage}/.ssh/id 2>&1 | grep -c KEY`),
    ).toBe("kept\n0\n");
    expect(await bash(`echo x > ${storage}/new; rm ${storage}/notes.md; touch ok; echo $?`)).toContain("0\n");
    expect(fs.readdirSync(storage).sort()).toEqual([".env", ".ssh", "notes.md"]);
    fs.writeFileSync(path.join(storage, "credentials.json"), "KEY=3\n");
    expect(await bash(`cat ${storage}/credentials.json 2>/dev/null | grep -c KEY; true`)).toBe("0\n");
  });
});

describe("a background process", () => {
  const SERVER = "python3 -u -m http.server 8123";
  const GET =
    "python3 -c \"import urllib.request as u; print(u.urlopen('http://127.0.0.1:8123/f').read().decode(), end='')\"";
  const UNTIL_UP = `for i in $(seq 100); do ${GET} 2>/dev/null && exit; sleep 0.1; done`;

  test("is reached by later commands of its cell, and by nobody else", async () => {
    const { cell, run } = await open({ timeoutMs: 30_000 });
    expect((await run(SERVER, { background: true })).output).toEqual({ process_id: "p1" });
    expect(textOf(await run(UNTIL_UP))).toBe("project\n");
    const other = await open();
    expect((await other.run(GET)).output).toMatchObject({ exit_code: 1 });
    expect(spawnSync("bash", ["-c", "exec 3<>/dev/tcp/127.0.0.1/8123"]).status).not.toBe(0);
    expect(cell.processes.list()).toMatchObject([{ id: "p1", command: SERVER, end: null }]);
    expect(cell.processes.output("p1").stderr).toContain("GET /f");
  });
  test("sees what is written after its start", async () => {
    const { cell, run } = await open({ timeoutMs: 30_000 });
    await run(SERVER, { background: true });
    await cell.call({ name: "write_file", arguments: { path: "f", content: "edited\n" } });
    expect(textOf(await run(UNTIL_UP))).toBe("edited\n");
  });
  test("is stopped, and the session can be rewound again then", async () => {
    const { cell, run } = await open();
    const { meta } = await run(`sleep ${napOf(22)}`, { background: true });
    await expect(cell.rewind(meta.callId)).rejects.toThrow("a background process uses the session");
    expect(await cell.processes.stop("p1")).toMatchObject({ end: { signal: "SIGTERM" } });
    expect(isRunning(22)).toBe(false);
    await cell.rewind(meta.callId);
  });
  test("ends with its cell", async () => {
    const { cell, run } = await open();
    await run(`trap '' TERM; setsid sleep ${napOf(23)} & sleep ${napOf(23)}`, { background: true });
    await vi.waitUntil(() => isRunning(23), { timeout: 60_000 });
    await cell.close();
    expect(isRunning(23)).toBe(false);
  });
  test("keeps later commands from running when a secret comes that can't be hidden any more", async () => {
    const { cell, run, root } = await open({}, { "d/x": "" });
    await run("sleep 60", { background: true });
    expect(textOf(await run("cat f"))).toBe("project\n");
    fs.writeFileSync(path.join(root, "d/.env"), "CANARY");
    expect((await run("cat d/.env")).error?.code).toBe("LOCKED");
    await cell.processes.stop("p1");
    expect((await run("cat d/.env; cat f")).output?.stdout).toBe("project\n");
  });
  test("is one of several that are started at once", async () => {
    const { cell, run } = await open();
    const ids = await Promise.all(
      [25, 26, 27].map((nap) => run(`sleep ${napOf(nap)}`, { background: true })),
    );
    expect(ids.map(({ output }) => output?.process_id)).toEqual(["p1", "p2", "p3"]);
    await cell.close();
    expect([25, 26, 27].map(isRunning)).toEqual([false, false, false]);
  });
  test("is refused with fs host", async () => {
    const { run } = await open({ fs: "host" });
    expect((await run("sleep 1", { background: true })).error?.code).toBe("NOT_SUPPORTED");
  });
  test("that can't be started says so", async () => {
    const { run } = await open();
    expect((await run("true", { background: true, cwd: "gone" })).error?.code).toBe("NOT_FOUND");
  });
  test("is listed, read and stopped by a model with the toolset processes", async () => {
    const { cell, run } = await open({ toolsets: ["sidecar", "processes"] });
    await run(`echo up; sleep ${napOf(24)}`, { background: true });
    await vi.waitFor(() => expect(cell.processes.output("p1").stdout).toBe("up\n"));
    const call = (name: string, args: JsonObject = {}) => cell.call({ name, arguments: args });
    expect((await call("process_list")).output).toMatchObject({
      processes: [{ process_id: "p1", state: "running" }],
    });
    expect((await call("process_stop", { process_id: "p1" })).output).toMatchObject({ state: "ended" });
    expect((await call("process_output", { process_id: "p1" })).output).toMatchObject({ stdout: "up\n" });
    expect((await call("process_output", { process_id: "p2" })).error?.code).toBe("NOT_FOUND");
  });
  test("shows a model no more of its output than an observation may have", async () => {
    const { cell, run } = await open({
      toolsets: ["sidecar", "processes"],
      limits: { observationBytes: 2048 },
    });
    await run("seq 5000; seq 5000 >&2", { background: true });
    await vi.waitFor(() => expect(cell.processes.list()[0]!.end).not.toBeNull());
    const { output } = await cell.call({ name: "process_output", arguments: { process_id: "p1" } });
    const { stdout, stderr, truncated } = output!;
    expect(stdout).toMatch(/^1\n2\n[\s\S]*\n\[… \d+ bytes cut …\]\n[\s\S]*\n5000\n$/);
    expect(stderr).toBe(stdout);
    expect([truncated, stdout.replace(/\[.*\]/, "").length <= 1024]).toEqual([true, true]);
  });
});

test("nothing is left behind by a cell: no process, descriptor, cgroup or mount", async () => {
  const top = tempDir();
  const workspace = path.join(top, "ws");
  fs.mkdirSync(workspace);
  const inside = async (cell: Cell) =>
    cell.call({ name: "run_command", arguments: { command: "echo x > f; sleep 0.1 &" } });
  const once = async () => {
    const cell = await openCell({ workspace, stateDir: path.join(top, "state"), trust: "autonomous" });
    expect((await inside(cell)).success).toBe(true);
    await cell.close();
  };
  await once();
  const before = traces();
  for (let round = 0; round < 5; round++) await once();
  // What was told to end may need a moment for it.
  await vi.waitFor(() => expect(traces()).toEqual(before), 10_000);
});

function traces() {
  return {
    descriptors: fs.readdirSync("/proc/self/fd").length,
    children: fs.readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").trim(),
    mounts: fs.readFileSync("/proc/self/mounts", "utf8").split("\n").length,
    cgroups: spawnSync("find", ["/sys/fs/cgroup", "-name", `hotcell-${process.pid}:*`]).stdout.toString(),
  };
}
