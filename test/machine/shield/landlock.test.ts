// What a command that Landlock and the filter shut in can't do, each with what it can do free; and what works.
import { spawnSync } from "node:child_process";
import os from "node:os";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { seccompFilter } from "../../../src/shield/seccomp/seccomp.ts";
import type { Arch } from "../../../src/shield/seccomp/syscall-table.ts";
import { type Argv, type LandlockWorld, makeLandlockWorld } from "../../kit/worlds/landlock-world.ts";

type Attempt = readonly [what: string, argv: (world: LandlockWorld) => Argv, refusal: RegExp];

const sh = (script: string, ...args: string[]): Argv => ["bash", "--norc", "-c", script, "bash", ...args];
const perl = (script: string, ...args: string[]): Argv => ["perl", "-MSocket", "-e", script, ...args];
const CONNECT_TCP =
  'socket(S, PF_INET, SOCK_STREAM, 0) && connect(S, pack_sockaddr_in($ARGV[0], INADDR_LOOPBACK)) or die "$!\\n"';
const BIND_TCP =
  'socket(S, PF_INET, SOCK_STREAM, 0) && bind(S, pack_sockaddr_in(0, INADDR_LOOPBACK)) or die "$!\\n"';
const SEND_UDP =
  'socket(S, PF_INET, SOCK_DGRAM, 0) && send(S, "x", 0, pack_sockaddr_in(9, INADDR_LOOPBACK)) or die "$!\\n"';
const CONNECT_UNIX =
  'socket(S, PF_UNIX, SOCK_STREAM, 0) && connect(S, pack_sockaddr_un($ARGV[0])) or die "$!\\n"';
const CONNECT_ABSTRACT = CONNECT_UNIX.replace("$ARGV[0]", '"\\0$ARGV[0]"');
const SHARED_MEMORY = '$i = shmget(0, 64, 0600); defined $i or die "$!\\n"; shmctl($i, 0, 0)';

const DENIED = /Permission denied/;
const NO_FAMILY = /Address family not supported/;
const NOT_PERMITTED = /Operation not permitted/;

const FILES: readonly Attempt[] = [
  ["read a file outside", (w) => ["cat", `${w.outside}/secret`], DENIED],
  ["read it through a link", (w) => sh('ln -sfn "$1" link && cat link', `${w.outside}/secret`), DENIED],
  ["read it by way of /proc", (w) => ["cat", `/proc/self/root${w.outside}/secret`], DENIED],
  ["list a directory outside", (w) => ["ls", w.outside], DENIED],
  ["run a program outside", (w) => [`${w.outside}/program`], DENIED],
  ["make a file outside", (w) => sh('echo x > "$1"', `${w.outside}/made`), DENIED],
  ["append to a file outside", (w) => sh('echo x >> "$1"', `${w.outside}/program`), DENIED],
  ["cut a file outside", (w) => ["truncate", "-s", "0", `${w.outside}/program`], DENIED],
  [
    "link a file outside to the inside",
    (w) => ["ln", `${w.outside}/secret`, "linked"],
    /Permission denied|Invalid cross/,
  ],
  ["move a file out", (w) => sh('touch mine && mv -T mine "$1"', `${w.outside}/mine`), DENIED],
  ["remove a file outside", (w) => ["rm", `${w.outside}/program`], DENIED],
  ["make a FIFO outside", (w) => ["mkfifo", `${w.outside}/fifo`], DENIED],
];

const OTHERS: readonly Attempt[] = [
  ["read another process's environment", (w) => ["cat", `/proc/${w.victim}/environ`], DENIED],
  ["limit another process", (w) => ["prlimit", "--pid", `${w.victim}`, "--nofile=99:99"], NOT_PERMITTED],
  ["signal everybody", () => perl('kill("ZERO", -1) or die "$!\\n"'), NOT_PERMITTED],
  ["have shared memory", () => perl(SHARED_MEMORY), NOT_PERMITTED],
  ["connect by TCP", (w) => perl(CONNECT_TCP, `${w.port}`), NO_FAMILY],
  ["send by UDP", () => perl(SEND_UDP), NO_FAMILY],
  ["connect to a unix socket", (w) => perl(CONNECT_UNIX, `${w.outside}/socket`), NO_FAMILY],
  ["connect to an abstract unix socket", (w) => perl(CONNECT_ABSTRACT, w.abstractName), NO_FAMILY],
];

/** What Landlock itself refuses, and since when. */
const VERSIONED: readonly (readonly [version: number, ...Attempt])[] = [
  [4, "connect by TCP", (w) => perl(CONNECT_TCP, `${w.port}`), DENIED],
  [4, "listen by TCP", () => perl(BIND_TCP), DENIED],
  [6, "connect to an abstract unix socket", (w) => perl(CONNECT_ABSTRACT, w.abstractName), NOT_PERMITTED],
  [6, "signal a process outside", (w) => sh('kill -0 "$1"', `${w.victim}`), NOT_PERMITTED],
];

const FILTER = seccompFilter({ arch: os.arch() as Arch, confinement: "landlock" });
/** One instruction: everything is allowed. */
const NO_FILTER = Buffer.from("060000000000ff7f", "hex");
const landlockVersion = Number(
  spawnSync("perl", ["-e", "print syscall(444, 0, 0, 1)"], { encoding: "utf8" }).stdout,
);

let world: LandlockWorld;
beforeAll(async () => {
  world = await makeLandlockWorld();
});
beforeEach(() => world.tidy());
afterAll(() => world.remove());

function expectRefused(argv: Argv, refusal: RegExp, filter: Buffer): void {
  const shut = world.shut(argv, filter);
  const free = world.free(argv);
  expect({ shut, free: { status: free.status, stderr: free.stderr } }).toEqual({
    shut: { status: expect.any(Number), stdout: "", stderr: expect.stringMatching(refusal) },
    free: { status: 0, stderr: "" },
  });
  expect(shut.status).not.toBe(0);
}

describe("a command shut in by Landlock and the filter can't, but a free one can", () => {
  test.each([...FILES, ...OTHERS])("%s", (_, argv, refusal) => expectRefused(argv(world), refusal, FILTER));
});

describe("Landlock without the filter refuses to", () => {
  test.each(FILES)("%s", (_, argv, refusal) => {
    expectRefused(argv(world), refusal, NO_FILTER);
  });

  const rows = VERSIONED.filter(([version]) => landlockVersion >= version);
  test.each(rows)("since version %s: %s", (_, __, argv, refusal) =>
    expectRefused(argv(world), refusal, NO_FILTER),
  );
});

describe("a command shut in", () => {
  const run = (...argv: Argv) => world.shut(argv, FILTER);
  const done = (stdout: string) => ({ status: 0, stdout, stderr: "" });

  test("changes what is inside", () => {
    const script = "mkdir -p a b && echo x > a/x && mv a/x b/y && ln b/y a/z && cat a/z && rm -r a b";
    expect(run("bash", "-c", script)).toEqual(done("x\n"));
  });

  test("has pipes, jobs and /dev/null", () => {
    expect(run("bash", "-c", "sleep 1000 & kill $!; echo a | tr a b; echo c > /dev/null")).toEqual(
      done("b\n"),
    );
  });

  test("has git", () => {
    const script =
      "git init -q repo && cd repo && echo x > x && git add x && git -c user.name=n -c user.email=e commit -qm m && git log --format=%s && cd .. && rm -rf repo";
    expect(run("bash", "-c", script)).toEqual(done("m\n"));
  });

  test("has Node with child processes", () => {
    const script =
      "console.log(require('node:child_process').execFileSync('echo', ['x'], { encoding: 'utf8' }).trim())";
    expect(run(process.execPath, "-e", script)).toEqual(done("x\n"));
  });

  test("gets its arguments as they are", () => {
    const words = ["", "a b", "$(id)", "--rw", "--", "line\nbreak", "ü"];
    expect(run("printf", "%s|", ...words)).toEqual(done(words.map((word) => `${word}|`).join("")));
  });

  test("has no capability, no new privileges, and a filter", () => {
    const { stdout } = run(
      "grep",
      "-E",
      "^(CapPrm|CapEff|CapInh|CapAmb|NoNewPrivs|Seccomp):",
      "/proc/self/status",
    );
    const none = "0".repeat(16);
    expect(
      Object.fromEntries(
        stdout
          .trim()
          .split("\n")
          .map((line) => line.split(":\t")),
      ),
    ).toEqual({
      ...{ CapInh: none, CapPrm: none, CapEff: none, CapAmb: none },
      ...{ NoNewPrivs: "1", Seccomp: "2" },
    });
  });

  test("leads a session of its own", () => {
    const script = 'read -ra stat < /proc/$$/stat; [ "${stat[5]}" = $$ ] && echo leads';
    expect(run("bash", "-c", script)).toEqual(done("leads\n"));
  });

  test("has no file open that it did not open", () => {
    const script = "for fd in {0..20}; do [ -e /proc/$$/fd/$fd ] && echo $fd; done; true";
    expect(run("bash", "-c", script)).toEqual(done("0\n1\n2\n"));
  });

  test("has its own environment, and nothing of the launcher's", () => {
    const { stdout } = run("env");
    expect(stdout.trim().split("\n").sort()).toEqual([
      `HOME=${world.inside}`,
      "LANG=C",
      "PATH=/usr/local/bin:/usr/bin:/bin",
    ]);
  });

  test("ends with its own exit code", () => {
    expect(run("bash", "-c", "exit 7")).toEqual({ status: 7, stdout: "", stderr: "" });
  });
});

describe("the launcher runs nothing", () => {
  const script: Argv = ["echo", "ran"];
  test("and says 127 when there is no such program", () => {
    expect(world.shut(["no-such-program"], FILTER)).toEqual({
      status: 127,
      stdout: "",
      stderr: "hotcell: can't run no-such-program: No such file or directory\n",
    });
  });

  test("and says 126 when the program may not be run", () => {
    expect(world.shut([`${world.outside}/secret`], FILTER)).toEqual({
      status: 126,
      stdout: "",
      stderr: `hotcell: can't run ${world.outside}/secret: Permission denied\n`,
    });
  });

  test.each([
    ["a writable directory is missing", () => FILTER, { writable: ["/no/such"] }, /\/no\/such: No such file/],
    ["the filter is cut off", () => FILTER.subarray(0, 20), {}, /the filter is cut off/],
    ["the filter is empty", () => Buffer.alloc(0), {}, /the filter is cut off/],
    ["the kernel does not take the filter", () => Buffer.alloc(8), {}, /filter: Invalid argument/],
    [
      "there is no filter",
      () => FILTER,
      { descriptors: { link: 3, seccomp: 99, env: 5 } },
      /filter: Bad file descriptor/,
    ],
  ])("when %s", (_, filter, plan, why) => {
    expect(world.shut(script, filter(), plan)).toEqual({
      status: 125,
      stdout: "",
      stderr: expect.stringMatching(why),
    });
  });
});
