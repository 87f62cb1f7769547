import { describe, expect, test } from "vitest";
import { runFilter } from "../../../test/kit/native/bpf.ts";
import { seccompFilter } from "./seccomp.ts";
import { type Confinement, SECCOMP_RULES } from "./seccomp-rules.ts";
import { type Arch, LAST_KNOWN_SYSCALL, SYSCALL_NAMES, syscallNumber } from "./syscall-table.ts";

const AUDIT_ARCH = { x64: 0xc000003e, arm64: 0xc00000b7 };
const ARCHS: readonly Arch[] = ["x64", "arm64"];
const EVERY = ARCHS.flatMap((arch) => [
  { arch, confinement: "session" as const },
  { arch, confinement: "project" as const },
  { arch, confinement: "landlock" as const },
]);

/** Numbers of calls that no rule names: x64, arm64. */
const UNNAMED: Readonly<Record<string, readonly [number, number | null]>> = {
  read: [0, 63],
  mmap: [9, 222],
  fork: [57, null],
  vfork: [58, null],
  execve: [59, 221],
  socketpair: [53, 199],
  connect: [42, 203],
  seccomp: [317, 277],
  landlock_restrict_self: [446, 446],
  memfd_create: [319, 279],
  name_to_handle_at: [303, 264],
  adjtimex: [159, 171],
  statmount: [457, 457],
};

type Answer = "allowed" | "EPERM" | "ENOSYS" | "EPROTONOSUPPORT" | "EAFNOSUPPORT" | "killed";
const ANSWERS: ReadonlyMap<number, Answer> = new Map([
  [0x7fff0000, "allowed"],
  [0x80000000, "killed"],
  [0x00050001, "EPERM"],
  [0x00050026, "ENOSYS"],
  [0x0005005d, "EPROTONOSUPPORT"],
  [0x00050061, "EAFNOSUPPORT"],
]);

const THREAD = 0x3d0f00n;
const FORK = 0x1200011n;
const HIGH = 1n << 32n;

/** Call, arguments, and the answers around a session and, where they differ, under Landlock and around the project. */
const TABLE: readonly (readonly [string, readonly bigint[], Answer, Answer?, Answer?])[] = [
  ["read", [0n], "allowed"],
  ["openat", [], "allowed"],
  ["mmap", [], "allowed"],
  ["fork", [], "allowed"],
  ["vfork", [], "allowed"],
  ["execve", [], "allowed"],
  ["socketpair", [1n, 1n], "allowed"],
  ["connect", [], "allowed"],
  ["kill", [1n, 9n], "allowed"],
  ["kill", [0xfffffffffffffffen, 9n], "allowed"],
  ["kill", [0xffffffffffffffffn, 9n], "allowed", "EPERM"],
  ["kill", [0xffffffffn, 9n], "allowed", "EPERM"],
  ["chmod", [0n, 0o1777n], "allowed"],
  ["chmod", [0n, 0o4755n], "EPERM"],
  ["chmod", [0n, 0o2755n], "EPERM"],
  ["fchmod", [3n, 0o644n], "allowed"],
  ["fchmod", [3n, 0o6755n], "EPERM"],
  ["fchmodat", [0n, 0n, 0o4755n], "EPERM"],
  ["fchmodat2", [0n, 0n, 0o4755n, 0n], "EPERM"],
  ["creat", [0n, 0o4755n], "EPERM"],
  ["open", [0n, 0o102n, 0o644n], "allowed"],
  ["open", [0n, 0o102n, 0o4755n], "EPERM"],
  ["openat", [0n, 0n, 0o102n, 0o644n], "allowed"],
  // Without O_CREAT nobody sets the mode: whatever is in the register means nothing.
  ["openat", [0n, 0n, 0n, 0o4755n], "allowed"],
  ["openat", [0n, 0n, 0o102n, 0o4755n], "EPERM"],
  ["openat", [0n, 0n, 0o20200002n, 0o2755n], "EPERM"],
  ["openat2", [0n, 0n, 0n, 24n], "ENOSYS"],
  ["fchmodat", [0n, 0n, 0o755n], "allowed"],
  ["seccomp", [], "allowed"],
  ["landlock_restrict_self", [], "allowed"],
  ["memfd_create", [], "allowed"],
  ["name_to_handle_at", [], "allowed"],
  ["adjtimex", [], "allowed"],
  ["statmount", [], "allowed"],
  ["prctl", [38n, 1n], "allowed"],
  ["clone", [THREAD], "allowed"],
  ["clone", [FORK], "allowed"],
  ["clone", [0x4111n], "allowed"],
  ["clone", [0x80n | 17n], "allowed"],
  ["clone", [0x10000000n | 17n], "EPERM"],
  ["clone", [0x20000n | 17n], "EPERM"],
  ["clone", [0x2000000n | 17n], "EPERM"],
  ["clone", [HIGH | 0x40000000n], "EPERM"],
  ["clone3", [], "ENOSYS"],
  ["unshare", [0x400n], "allowed"],
  ["unshare", [0n], "allowed"],
  ["unshare", [0x10000000n], "EPERM"],
  ["unshare", [0x20000n], "EPERM"],
  ["unshare", [0x80n], "EPERM"],
  ["unshare", [0x400n | 0x40000000n], "EPERM"],
  ["personality", [0n], "allowed"],
  ["personality", [0xffffffffn], "allowed"],
  ["personality", [0xffffffffffffffffn], "allowed"],
  ["personality", [0x40000n], "allowed"],
  ["personality", [0x400000n], "EPERM"],
  ["personality", [0x440000n], "EPERM"],
  ["personality", [8n], "EPERM"],
  ["mknod", [0n, 0o100644n], "allowed"],
  ["mknod", [0n, 0o644n], "allowed"],
  ["mknod", [0n, 0o010644n], "allowed"],
  ["mknod", [0n, 0o020644n], "EPERM"],
  ["mknod", [0n, 0o060644n], "EPERM"],
  ["mknodat", [0n, 0n, 0o010600n], "allowed"],
  ["mknodat", [0n, 0n, 0o140600n], "allowed"],
  ["mknodat", [0n, 0n, 0o020000n], "EPERM"],
  ["mknodat", [0n, 0n, 0o067777n], "EPERM"],
  ["mknodat", [0n, 0n, 0xf0000n | 0o020000n], "EPERM"],
  ["ioctl", [0n, 0x5401n], "allowed"],
  ["ioctl", [0n, 0x5413n], "allowed"],
  ["ioctl", [0n, 0x5412n], "EPERM"],
  ["ioctl", [0n, HIGH | 0x5412n], "EPERM"],
  ["ioctl", [0n, 0x541cn], "EPERM"],
  ["ioctl", [0n, 0x5423n], "EPERM"],
  ["ioctl", [0n, 0xffffffff0000541cn], "EPERM"],
  ["socket", [2n, 1n, 0n], "allowed", "EAFNOSUPPORT"],
  ["socket", [10n, 2n, 17n], "allowed", "EAFNOSUPPORT"],
  ["socket", [16n, 3n, 0n], "allowed"],
  ["socket", [16n, 3n, 9n], "EPROTONOSUPPORT"],
  ["socket", [HIGH | 16n, 3n, HIGH | 16n], "EPROTONOSUPPORT"],
  ["socket", [1n, 1n, 0n], "allowed", "EAFNOSUPPORT", "EAFNOSUPPORT"],
  ["socket", [HIGH | 1n, 1n, 0n], "allowed", "EAFNOSUPPORT", "EAFNOSUPPORT"],
  ["socket", [0n, 1n, 0n], "EAFNOSUPPORT"],
  ["socket", [17n, 3n, 0n], "EAFNOSUPPORT"],
  ["socket", [38n, 5n, 0n], "EAFNOSUPPORT"],
  ["socket", [40n, 1n, 0n], "EAFNOSUPPORT"],
  ["prlimit64", [0n, 7n], "allowed"],
  ["prlimit64", [4711n, 0n], "allowed", "EPERM"],
  ["shmat", [1n], "allowed", "EPERM"],
  ["msgsnd", [1n], "allowed", "EPERM"],
  ["semop", [1n], "allowed", "EPERM"],
  ["mq_open", [1n], "allowed", "EPERM"],
];

describe.each(EVERY)("the seccomp filter for $arch, confined by $confinement", ({ arch, confinement }) => {
  const rows = TABLE.flatMap(([name, args, first, landlock = first, project = first]) => {
    const number = numberOf(name, arch);
    const expected = { session: first, project, landlock }[confinement];
    return number === null ? [] : [{ name, number, args, expected }];
  });

  test.each(rows)("$name $args is $expected", ({ number, args, expected }) => {
    expect(ask({ arch, confinement }, number, args)).toBe(expected);
  });

  const always = SECCOMP_RULES.filter((rule) => rule.when === undefined && rule.confinement === undefined);
  const named = always.flatMap(({ calls }) => calls.map((name) => ({ name, number: numberOf(name, arch) })));

  test.each(named.filter(({ number }) => number !== null))(
    "$name is refused whatever its arguments",
    ({ number }) => {
      const asks = [0n, 1n, 0xffffffffffffffffn].map((value) =>
        ask({ arch, confinement }, number!, Array(6).fill(value)),
      );
      expect(new Set(asks).size).toBe(1);
      expect(asks[0]).toMatch(/^E/);
    },
  );

  test("calls that are newer than the rules, and those of x32, are not there", () => {
    const numbers = [LAST_KNOWN_SYSCALL + 1, 512, 0x40000000, 0x40000000 + 59, 0xffffffff];
    expect(numbers.map((number) => ask({ arch, confinement }, number, []))).toEqual(
      numbers.map(() => "ENOSYS"),
    );
    expect(ask({ arch, confinement }, LAST_KNOWN_SYSCALL, [])).toBe("allowed");
  });

  test("a call by the numbers of another architecture is killed", () => {
    const others = [0x40000003, 0x40000028, arch === "x64" ? AUDIT_ARCH.arm64 : AUDIT_ARCH.x64];
    const program = seccompFilter({ arch, confinement });
    const asked = others.map((other) => runFilter(program, { number: 0, arch: other, args: [] }));
    expect(asked.map((value) => ANSWERS.get(value))).toEqual(["killed", "killed", "killed"]);
  });

  test("every number up to the last known one comes to an answer, most of them allowed", () => {
    const answers = Array.from({ length: LAST_KNOWN_SYSCALL + 1 }, (_, number) =>
      ask({ arch, confinement }, number, []),
    );
    expect(answers).not.toContain(undefined);
    expect(answers.filter((answer) => answer === "allowed").length).toBeGreaterThan(350);
  });

  test("the program is small enough for the kernel and for bubblewrap", () => {
    expect(seccompFilter({ arch, confinement }).length / 8).toBeLessThan(300);
  });
});

describe("the table of numbers", () => {
  test.each(ARCHS)("no two calls have the same number on %s", (arch) => {
    const numbers = SYSCALL_NAMES.map((name) => syscallNumber(name, arch)).filter(
      (number) => number !== null,
    );
    expect(new Set(numbers).size).toBe(numbers.length);
  });

  test("only the calls of x64's own hardware and history are missing on arm64", () => {
    expect(SYSCALL_NAMES.filter((name) => syscallNumber(name, "arm64") === null)).toEqual([
      "chmod",
      "creat",
      "open",
      "modify_ldt",
      "iopl",
      "ioperm",
      "mknod",
    ]);
  });
});

function ask(filter: { arch: Arch; confinement: Confinement }, number: number, args: readonly bigint[]) {
  const arch = AUDIT_ARCH[filter.arch];
  return ANSWERS.get(runFilter(seccompFilter(filter), { number, arch, args }));
}

function numberOf(name: string, arch: Arch): number | null {
  const unnamed = UNNAMED[name];
  if (unnamed !== undefined) return unnamed[arch === "x64" ? 0 : 1];
  return syscallNumber(SYSCALL_NAMES.find((known) => known === name)!, arch);
}
