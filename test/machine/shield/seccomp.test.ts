// The filter in the kernel: what it refuses, what the same calls answer without it, and that programs work.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seccompFilter } from "../../../src/shield/seccomp/seccomp.ts";
import { SECCOMP_RULES } from "../../../src/shield/seccomp/seccomp-rules.ts";
import {
  type Arch,
  SYSCALL_NAMES,
  type SyscallName,
  syscallNumber,
} from "../../../src/shield/seccomp/syscall-table.ts";
import { compile } from "../../kit/native/compile.ts";

const arch = os.arch() as Arch;
const { EPERM, ENOSYS, ENOTTY, EAFNOSUPPORT, EPROTONOSUPPORT } = os.constants.errno;
const SIGSYS = os.constants.signals.SIGSYS;
/** What bubblewrap needs beside the filter; the rest of the machine is as it is. */
const BWRAP = ["--dev-bind", "/", "/", "--unshare-user", "--new-session", "--die-with-parent"];

let dir: string;
let program: string;
let filter: string;
beforeAll(() => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), "seccomp-"));
  program = compile("syscalls", dir);
  filter = path.join(dir, "filter");
  fs.writeFileSync(filter, seccompFilter({ arch, confinement: "project" }));
});
afterAll(() => fs.rmSync(dir, { recursive: true }));

interface Attempt {
  readonly call: SyscallName;
  readonly args: readonly (number | string)[];
  readonly refused: number;
  /** Without the filter. */
  readonly control: number;
}

/** Those that anybody may make, so that the answers differ. */
const TELLING: readonly Attempt[] = [
  { call: "socket", args: [1, 1, 0], refused: EAFNOSUPPORT, control: 0 },
  { call: "socket", args: ["0x100000001", 1, 0], refused: EAFNOSUPPORT, control: 0 },
  { call: "socket", args: [16, 3, 15], refused: EPROTONOSUPPORT, control: 0 },
  { call: "unshare", args: [0x10000000], refused: EPERM, control: 0 },
  { call: "unshare", args: [0x10020000], refused: EPERM, control: 0 },
  { call: "clone", args: [0x10000011], refused: EPERM, control: 0 },
  { call: "clone3", args: [0, 0], refused: ENOSYS, control: os.constants.errno.EINVAL },
  { call: "ioctl", args: [0, 0x5412, 0], refused: EPERM, control: ENOTTY },
  { call: "ioctl", args: [0, "0x100005412", 0], refused: EPERM, control: ENOTTY },
  { call: "ioctl", args: [0, 0x541c, 0], refused: EPERM, control: ENOTTY },
  { call: "keyctl", args: [0, -3, 0], refused: EPERM, control: 0 },
  { call: "ptrace", args: [0, 0, 0, 0], refused: EPERM, control: 0 },
  { call: "personality", args: [0x400000], refused: EPERM, control: 0 },
  { call: "io_uring_setup", args: [0, 0], refused: ENOSYS, control: os.constants.errno.EFAULT },
  { call: "process_vm_readv", args: [0, 0, 0, 0, 0, 0], refused: EPERM, control: 0 },
];

describe("under the seccomp filter", () => {
  test.each(TELLING)("$call $args answers $refused; without the filter $control", (attempt) => {
    const line = callLine(attempt.call, attempt.args);
    expect({ with: makeCalls([line], true), without: makeCalls([line], false) }).toEqual({
      with: [`${attempt.refused}`],
      without: [`${attempt.control}`],
    });
  });

  test("every call that is refused always is refused by the kernel", () => {
    const rows = SECCOMP_RULES.filter((rule) => rule.when === undefined && rule.confinement === undefined)
      .flatMap(({ calls, errno }) => calls.map((call) => ({ call, errno })))
      .filter(({ call }) => syscallNumber(call, arch) !== null);
    const answers = makeCalls(
      rows.map(({ call }) => callLine(call, [])),
      true,
    );
    expect(rows.map(({ call }, index) => `${call} ${answers[index]}`)).toEqual(
      rows.map(({ call, errno }) => `${call} ${errno}`),
    );
  });

  test.runIf(arch === "x64")(
    "a call by 32-bit numbers ends the process; without the filter it does not",
    () => {
      expect(makeCalls(["compat"], true)).toEqual([`signal ${SIGSYS}`]);
      expect(makeCalls(["compat"], false)).not.toEqual([`signal ${SIGSYS}`]);
    },
  );

  test.each([
    ["a pipeline in a shell", "bash", ["-c", "echo a b | tr a-z A-Z | (cat; wait)"], "A B\n"],
    ["git", "git", ["--version"], expect.stringMatching(/^git version/)],
    [
      "Node with a worker, a child process and a loopback connection",
      process.execPath,
      ["--input-type=module", "-e", nodeProgram()],
      "worker child loopback\n",
    ],
  ])("%s works", (_, command, args, expected) => {
    expect(runFiltered(command, args)).toEqual({ status: 0, stdout: expected, stderr: "" });
  });

  const hasPython = spawnSync("python3", ["--version"]).status === 0;
  test.runIf(hasPython)("Python with a thread and a child process works", () => {
    const thread = "t = threading.Thread(target=print, args=('thread',)); t.start(); t.join()";
    const child = "print(subprocess.check_output(['echo', 'child'], text=True), end='')";
    const lines = ["import threading, subprocess", thread, child].join("\n");
    expect(runFiltered("python3", ["-uc", lines])).toEqual({
      status: 0,
      stdout: "thread\nchild\n",
      stderr: "",
    });
  });
});

/** Newer than the headers may be, or in them only for an architecture that asks for it. */
const MAY_BE_MISSING: readonly SyscallName[] = ["clone3", "fchmodat2", "open_tree_attr"];

describe("the table of numbers", () => {
  test.each([
    ["this machine", "sys/syscall.h", arch],
    ["arm64", "asm-generic/unistd.h", "arm64" as const],
  ])("is what the kernel's headers say for %s", (_, header, of) => {
    const known = headerNumbers(header);
    const named = SYSCALL_NAMES.filter((name) => syscallNumber(name, of) !== null);
    const checked = named.filter((name) => known.has(name));
    expect(named.filter((name) => !known.has(name) && !MAY_BE_MISSING.includes(name))).toEqual([]);
    expect(checked.map((name) => `${name} ${syscallNumber(name, of)}`)).toEqual(
      checked.map((name) => `${name} ${known.get(name)}`),
    );
  });
});

function callLine(call: SyscallName, args: readonly (number | string)[]): string {
  return [syscallNumber(call, arch), ...args].join(",");
}

function makeCalls(lines: readonly string[], filtered: boolean): string[] {
  const { stdout, stderr, status } = inBwrap([program, ...lines], filtered);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout.trimEnd().split("\n");
}

function runFiltered(command: string, args: readonly string[]) {
  const { status, stdout, stderr } = inBwrap([command, ...args], true);
  return { status, stdout, stderr };
}

function inBwrap(argv: readonly string[], filtered: boolean) {
  const fd = fs.openSync(filter, "r");
  try {
    const option = filtered ? ["--seccomp", "3"] : [];
    return spawnSync("bwrap", [...BWRAP, ...option, "--", ...argv], {
      encoding: "utf8",
      stdio: ["pipe", "pipe", "pipe", fd],
    });
  } finally {
    fs.closeSync(fd);
  }
}

function headerNumbers(header: string): ReadonlyMap<string, number> {
  const text = execFileSync("cc", ["-E", "-dM", "-include", header, "-x", "c", "/dev/null"], {
    encoding: "utf8",
  });
  return new Map([...text.matchAll(/^#define __NR_(\w+) (\d+)$/gm)].map(([, name, n]) => [name!, Number(n)]));
}

function nodeProgram(): string {
  return `
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import net from "node:net";
import { Worker } from "node:worker_threads";
const worker = new Worker("import { parentPort } from 'node:worker_threads'; parentPort.postMessage('worker')", { eval: true });
const [said] = await once(worker, "message");
const child = execFileSync("echo", ["child"], { encoding: "utf8" }).trim();
const server = net.createServer((socket) => socket.end("loopback")).listen(0, "127.0.0.1");
await once(server, "listening");
const [data] = await once(net.connect(server.address().port, "127.0.0.1"), "data");
server.close();
console.log(said, child, String(data));
`;
}
