// Commands under the weaker tier: what works, what they can't do though a free one can, and how they end.

import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { IS_ROOT } from "../../kit/is-root.ts";
import {
  type LandlockTierWorld,
  makeLandlockTierWorld,
  processesWith,
  type Ran,
} from "../../kit/worlds/landlock-tier-world.ts";
import { directory, file } from "../../kit/worlds/planted-tree.ts";

const CHILD = path.join(import.meta.dirname, "../../kit/children/landlock-tier-child.mjs");

const PROJECT = new Map([
  ["src", directory()],
  ["src/a.txt", file("a\n")],
  [".env", file("KEY=secret\n")],
]);

type Attempt = readonly [what: string, script: (world: LandlockTierWorld) => string, refusal: RegExp];

const DENIED = /Permission denied/;
const NO_FAMILY = /Address family not supported/;
const TCP =
  "perl -MSocket -e 'socket(S, PF_INET, SOCK_STREAM, 0) && connect(S, pack_sockaddr_in($ARGV[0], INADDR_LOOPBACK)) or die \"$!\\n\"'";
const UNIX =
  "perl -MSocket -e 'socket(S, PF_UNIX, SOCK_STREAM, 0) && connect(S, pack_sockaddr_un($ARGV[0])) or die \"$!\\n\"'";

const ATTEMPTS: readonly Attempt[] = [
  ["write outside", (w) => `echo x > ${w.outside}/made`, DENIED],
  ["write to the project itself", (w) => `echo x > ${w.project}/made`, DENIED],
  ["read a secret outside", (w) => `cat ${w.outside}/secret`, DENIED],
  ["read a secret of the project", (w) => `cat ${w.project}/.env`, DENIED],
  ["read it through a link", (w) => `ln -sfn ${w.project}/.env link && cat link`, DENIED],
  ["list the state directory", (w) => `ls ${w.stateDir}`, DENIED],
  ["change the record of its session", (w) => `: >> ${path.dirname(w.copy)}/session.json`, DENIED],
  ["list the user's temporary directory", () => "ls /tmp", DENIED],
  ["connect by TCP", (w) => `${TCP} ${w.port}`, NO_FAMILY],
  ["connect to a unix socket", (w) => `${UNIX} ${w.outside}/socket`, NO_FAMILY],
  ["read another process's environment", (w) => `cat /proc/${w.victim}/environ`, DENIED],
  ["signal a process outside", (w) => `kill -0 ${w.victim}`, /not permitted/],
];

const BENIGN: readonly (readonly [what: string, script: string, stdout: string])[] = [
  ["reads and changes its files", "cat src/a.txt; echo b > src/b.txt; cat src/b.txt; rm src/b.txt", "a\nb\n"],
  ["has pipes and process substitution", "cat <(echo a | tr a b)", "b\n"],
  [
    "has a home and a temporary directory",
    'echo x > ~/f && cat ~/f && f=$(mktemp) && [ -w "$f" ] && rm "$f" ~/f',
    "x\n",
  ],
  ["has jobs", "sleep 1000 & kill $!; wait; echo done", "done\n"],
  [
    "has git",
    "git init -q r && cd r && echo x > x && git add x && git -c user.name=n -c user.email=e commit -qm m && git log --format=%s && cd .. && rm -rf r",
    "m\n",
  ],
  [
    "has Node with child processes",
    `node -e 'console.log(require("node:child_process").execSync("echo x").toString().trim())'`,
    "x\n",
  ],
  [
    "has make and a compiler",
    "printf 'int main(void){return 0;}' > m.c && printf 'm: m.c\\n\\tcc -o m m.c\\n' > Makefile && make -s && ./m && echo ok; rm -f m m.c Makefile",
    "ok\n",
  ],
  ["has no secret of the project", "ls -A", "src\n"],
  [
    "has no file open that it did not open",
    "for fd in {0..20}; do [ -e /proc/$$/fd/$fd ] && echo $fd; done; true",
    "0\n1\n2\n",
  ],
  ["has no input", "cat", ""],
];

const FORKS = [
  "perl",
  "-e",
  'for (1 .. 50) { my $p = fork // die "$!\\n"; $p or do { sleep 1000; exit } }',
] as const;

/** Each must have ended with the call, whatever it did to stay. */
const STAYING: readonly (readonly [how: string, script: (sleep: string) => string])[] = [
  ["in the background", (sleep) => `${sleep} & echo begun`],
  ["in another session", (sleep) => `setsid ${sleep} & echo begun`],
  [
    "after two forks and a session of its own",
    (sleep) => `(setsid bash -c '${sleep} & disown' &) & sleep 0.2; echo begun`,
  ],
  ["deaf to signals", (sleep) => `(trap '' TERM HUP INT; setsid ${sleep}) & echo begun`],
];

test.runIf(IS_ROOT)("the weaker tier is refused to root", async () => {
  await expect(makeLandlockTierWorld(new Map())).rejects.toMatchObject({
    code: "NO_SANDBOX",
    message:
      "Could not sandbox the command: without user namespaces, as root a command could change the mode of any file. Run hotcell as an ordinary user, or see hotcell doctor.",
  });
});

describe.runIf(!IS_ROOT)("for an ordinary user", () => {
  let world: LandlockTierWorld;
  beforeAll(async () => {
    world = await makeLandlockTierWorld(PROJECT);
  });
  beforeEach(() => {
    for (const made of [`${world.outside}/made`, `${world.project}/made`, `${world.project}/link`])
      fs.rmSync(made, { force: true });
    fs.rmSync(path.join(world.copy, "link"), { force: true });
    fs.writeFileSync(`${world.outside}/secret`, "secret\n");
  });
  afterAll(() => world.remove());

  const ended = (ran: Ran) => ({ exitCode: ran.exitCode, signal: ran.signal, termination: ran.termination });

  describe("a command under Landlock", () => {
    test.each(BENIGN)("%s", async (_, script, stdout) => {
      expect(await world.run(script)).toMatchObject({ exitCode: 0, signal: null, stdout, stderr: "" });
    });

    test("begins in the directory of the copy that stands for the one given", async () => {
      const cwd = path.join(world.project, "src");
      expect(await world.runArgv(["pwd"], { cwd })).toMatchObject({ stdout: `${world.copy}/src\n` });
    });

    test("has a few variables, and those given", async () => {
      const { stdout } = await world.runArgv(["env"], { env: { MINE: "a=b\nc" } });
      const names = stdout.split("\n").flatMap((line) => /^(\w+)=/.exec(line)?.[1] ?? []);
      expect(names.sort()).toEqual([
        "GIT_CONFIG_COUNT",
        "GIT_CONFIG_KEY_0",
        "GIT_CONFIG_VALUE_0",
        "GIT_OPTIONAL_LOCKS",
        "HOME",
        "LANG",
        "LOGNAME",
        "MINE",
        "PATH",
        "SHELL",
        "TERM",
        "TMPDIR",
        "USER",
      ]);
      expect(stdout).toContain("MINE=a=b\nc\n");
    });

    test("has a git that leaves the index of a copy alone in git diff", async () => {
      const make = "git init -q r && cd r && echo x > x && git add x && cp -a . ../c && cd ../c";
      const indexAfter = (diff: string) =>
        `${make} && cp .git/index i && ${diff} && cmp .git/index i; rm -rf ../[rc]`;
      expect(await world.run(indexAfter("git diff"))).toMatchObject({ stdout: "", stderr: "" });
      const { stdout } = await world.run(indexAfter("env -u GIT_CONFIG_COUNT git diff"));
      expect(stdout).toContain(".git/index i differ");
    });

    test("has its two streams joined in the order in which it wrote, where that is asked for", async () => {
      const script = "for ((i = 0; i < 500; i++)); do echo out $i; echo err $i >&2; done";
      const inOrder = Array.from({ length: 500 }, (_, at) => `out ${at}\nerr ${at}\n`).join("");
      const joined = await world.runArgv(["bash", "-c", script], { stderrToStdout: true });
      expect(joined).toMatchObject({ exitCode: 0, stdout: inOrder, stderr: "" });
      const apart = await world.runArgv(["bash", "-c", script]);
      expect(apart).toMatchObject({
        stdout: inOrder.replace(/err .*\n/g, ""),
        stderr: inOrder.replace(/out .*\n/g, ""),
      });
    });

    test("that does not exist is reported in the joined streams too", async () => {
      const { exitCode, stdout, stderr } = await world.runArgv(["no-such-program"], { stderrToStdout: true });
      expect([exitCode, stderr]).toEqual([127, ""]);
      expect(stdout).toContain("no-such-program");
    });

    test("is not steered by its variables before it is shut in", async () => {
      const steered = await world.runArgv(["echo", "ran"], {
        env: { PERL5OPT: "-Mnonsense", LD_PRELOAD: "/nonsense.so", PATH: "/usr/bin" },
      });
      expect(steered).toMatchObject({ exitCode: 0, stdout: "ran\n" });
    });
  });

  describe("a command under Landlock can't, but a free one can", () => {
    test.each(ATTEMPTS)("%s", async (_, script, refusal) => {
      const shut = await world.run(script(world));
      const free = world.free(script(world));
      expect(shut).toMatchObject({ stdout: "", stderr: expect.stringMatching(refusal) });
      expect(shut.exitCode).not.toBe(0);
      expect({ status: free.status, stderr: free.stderr }).toEqual({ status: 0, stderr: "" });
    });
  });

  test("a command under Landlock can't end what watches over it", async () => {
    const ran = await world.run("kill -KILL $PPID; kill -STOP $PPID; echo still");
    expect(ran).toMatchObject({ exitCode: 0, stdout: "still\n" });
    expect(ran.stderr.match(/not permitted/g)).toHaveLength(2);
  });

  test("what is hidden stays so within a directory that may be read", async () => {
    const wide = await makeLandlockTierWorld(PROJECT, (top) => [top]);
    onTestFinished(() => wide.remove());
    fs.writeFileSync(`${wide.outside}/tool`, "tool\n");
    const script = (at: string) => `cat ${at}`;
    expect(await wide.run(script(`${wide.outside}/tool`))).toMatchObject({ stdout: "tool\n" });
    for (const at of [`${wide.project}/.env`, `${path.dirname(wide.copy)}/session.json`])
      expect(await wide.run(script(at))).toMatchObject({ stdout: "", stderr: expect.stringMatching(DENIED) });
  });

  describe("a command under Landlock ends", () => {
    test.each([
      ["exit 0", { exitCode: 0, signal: null, termination: null }],
      ["exit 7", { exitCode: 7, signal: null, termination: null }],
      ["exit 125", { exitCode: 125, signal: null, termination: null }],
      ["exit 137", { exitCode: 137, signal: null, termination: null }],
      ["kill -KILL $$", { exitCode: 137, signal: "SIGKILL", termination: "signal" }],
      ["kill -SEGV $$", { exitCode: 139, signal: "SIGSEGV", termination: "signal" }],
      ["kill -TERM $$", { exitCode: 143, signal: "SIGTERM", termination: "signal" }],
    ])("as it is, by %s", async (script, end) => {
      expect(ended(await world.run(script))).toEqual(end);
    });

    test.each([
      ["/no/such/program", 127],
      ["/etc", 126],
    ])("as in a shell when %s can't be run", async (program, exitCode) => {
      const ran = await world.runArgv([program]);
      expect(ran).toMatchObject({ exitCode, stderr: expect.stringContaining(`can't run ${program}`) });
    });

    test("after its own last words when its time is up", async () => {
      const script = "trap 'echo bye; exit 3' TERM; echo begun; sleep 1000 & wait";
      const ran = await world.run(script, { timeoutMs: 500 });
      expect({ ...ended(ran), stdout: ran.stdout }).toEqual({
        ...{ exitCode: 3, signal: null, termination: "timeout" },
        stdout: "begun\nbye\n",
      });
    });

    test("by force when it does not listen", async () => {
      const ran = await world.run("trap '' TERM; while :; do sleep 0.1; done", { timeoutMs: 500 });
      expect(ended(ran)).toEqual({ exitCode: 137, signal: "SIGKILL", termination: "timeout" });
    });

    test("when the call is cancelled before it has begun", async () => {
      const ran = await world.run("sleep 1000", {}, AbortSignal.abort());
      expect(ended(ran)).toEqual({ exitCode: 137, signal: "SIGKILL", termination: "cancelled" });
    });
  });

  describe("with a command under Landlock ends what it left", () => {
    test.each(STAYING)("%s", async (_, script) => {
      const seconds = `${randomInt(1e6, 1e9)}`;
      const ran = await world.run(script(`sleep ${seconds}`));
      expect(ran).toMatchObject({ exitCode: 0, stdout: "begun\n" });
      expect(processesWith(seconds)).toEqual([]);
    });

    test("after its time is up, also what is deaf", async () => {
      const seconds = `${randomInt(1e6, 1e9)}`;
      const script = `(trap '' TERM; setsid sleep ${seconds}) & sleep ${seconds}`;
      expect(await world.run(script, { timeoutMs: 500 })).toMatchObject({ termination: "timeout" });
      expect(processesWith(seconds)).toEqual([]);
    });

    test("when hotcell itself is killed", async () => {
      const seconds = `${randomInt(1e6, 1e9)}`;
      const child = spawn(process.execPath, [CHILD, world.top, seconds], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      onTestFinished(() => void child.kill("SIGKILL"));
      await Promise.race([once(child.stdout, "data"), once(child, "close")]);
      await vi.waitFor(() => expect(processesWith(seconds)).toHaveLength(5));
      child.kill("SIGKILL");
      await vi.waitFor(() => expect(processesWith(seconds)).toEqual([]), { timeout: 10_000 });
    });

    test("in its group, when what watches over it is killed", async () => {
      const seconds = `${randomInt(1e6, 1e9)}`;
      const started = await world.start(`sleep ${seconds} & echo begun; wait`);
      await once(started.stdout!, "data");
      process.kill(started.pid()!, "SIGKILL");
      expect(await started.ended).toEqual({ exitCode: 137, signal: "SIGKILL" });
      await vi.waitFor(() => expect(processesWith(seconds)).toEqual([]), { timeout: 10_000 });
    });

    test("a fork bomb that is deaf to signals, within the processes that it may have", async () => {
      const word = `bomb${randomInt(1e9)}`;
      const bomb = "trap '' TERM; bomb() { bomb & bomb & }; bomb; bomb; wait; sleep 1000";
      const ran = await world.runArgv(["bash", "-c", bomb, word], {
        limits: { processes: 300, timeoutMs: 1000 },
      });
      expect(ended(ran)).toEqual({ exitCode: 137, signal: "SIGKILL", termination: "timeout" });
      expect(processesWith(word)).toEqual([]);
    });
  });

  test("a command under Landlock has no more processes than it may have", async () => {
    expect(await world.runArgv(FORKS, { limits: { processes: 20 } })).toMatchObject({
      exitCode: 11,
      stderr: "Resource temporarily unavailable\n",
    });
  });

  test("a command under Landlock has as many as it may have", async () => {
    expect(await world.runArgv(FORKS, { limits: { processes: 80 } })).toMatchObject({
      exitCode: 0,
      stderr: "",
    });
  });
});
