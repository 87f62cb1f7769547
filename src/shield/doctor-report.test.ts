import { describe, expect, test } from "vitest";
import { GOOD_MACHINE, GOOD_TRIAL, NO_NAMESPACES } from "../../test/kit/worlds/machines.ts";
import { type Finding, listFindings, type Trial } from "./doctor-report.ts";
import { PACKAGE_MANAGERS } from "./package-manager.ts";
import type { Machine } from "./probe.ts";

function failing(machine: Partial<Machine>, trial: Partial<Trial> = {}): Finding[] {
  return listFindings({ ...GOOD_MACHINE, ...machine }, { ...GOOD_TRIAL, ...trial }).filter(({ ok }) => !ok);
}

function fixes(machine: Partial<Machine>, trial: Partial<Trial> = {}): Record<string, string | null> {
  return Object.fromEntries(failing(machine, trial).map(({ name, fix }) => [name, fix]));
}

test("a machine that has everything has nothing to fix", () => {
  expect(failing({})).toEqual([]);
});

describe("where there are no user namespaces", () => {
  const { namespaces, settings } = NO_NAMESPACES;

  test.each([
    ["user.max_user_namespaces", 0, 15000],
    ["kernel.unprivileged_userns_clone", 0, 1],
    ["kernel.apparmor_restrict_unprivileged_userns", 1, 0],
  ])("because %s is %d, the line that sets it to %d is given", (name, found, wanted) => {
    expect(fixes({ namespaces, settings: { ...settings, [name]: found } })).toEqual({
      "user namespaces": "See below.",
      [name]: `sudo sysctl -w ${name}=${wanted}`,
    });
  });

  test("root is given the line without sudo", () => {
    const found = { ...settings, "user.max_user_namespaces": 0 };
    expect(fixes({ namespaces, settings: found, isRoot: true })).toMatchObject({
      "user.max_user_namespaces": "sysctl -w user.max_user_namespaces=15000",
    });
  });

  test.each([
    [
      "docker",
      false,
      "docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined …",
    ],
    [
      "docker",
      true,
      "docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined --cap-add SYS_ADMIN …",
    ],
    ["podman", false, "podman run --security-opt seccomp=unconfined --security-opt unmask=ALL …"],
  ] as const)("in a container of %s (root: %s), its flags are given", (container, isRoot, fix) => {
    expect(fixes({ namespaces, container, isRoot })).toEqual({
      "user namespaces": "See below.",
      container: fix,
    });
  });

  test("and the reason is unknown, the administrator of the machine has to find it", () => {
    expect(fixes({ namespaces })).toEqual({
      "user namespaces": "Ask the administrator of this machine to allow user namespaces.",
    });
  });

  test("an ordinary user has the weaker shield, root none", () => {
    const consequence = (isRoot: boolean) => failing({ namespaces, isRoot })[0]?.consequence;
    expect([consequence(false), consequence(true)]).toEqual([
      "Sessions copy the project, and only Landlock sandboxes commands.",
      "hotcell runs no command. Root cannot use the weaker sandbox.",
    ]);
  });
});

test("where a container hides parts of /proc, its flags are given", () => {
  const runs = "bwrap: Can't mount proc on /newroot/proc: Operation not permitted";
  const bubblewrap = { version: "0.8.0", isSetuid: false, runs };
  expect(failing({ container: "docker", bubblewrap })).toMatchObject([
    { name: "container", fix: expect.stringContaining("systempaths=unconfined") },
    { name: "bubblewrap", found: `version 0.8.0 cannot create a sandbox: ${runs}` },
  ]);
});

describe("bubblewrap", () => {
  test.each(PACKAGE_MANAGERS)("is installed by $program", (manager) => {
    expect(fixes({ bubblewrap: null, manager })).toEqual({
      bubblewrap: `sudo ${manager.install} bubblewrap`,
    });
  });

  test("is searched in the system's own directories, and the finding names them", () => {
    expect(failing({ bubblewrap: null }).map(({ found }) => found)).toEqual([
      "not installed in /usr/sbin, /usr/bin, /sbin, /bin",
    ]);
  });

  test("is installed somehow where no package manager is known", () => {
    expect(fixes({ bubblewrap: null, manager: null })).toEqual({
      bubblewrap: "Install bubblewrap with the package manager of this system.",
    });
  });

  test.each([
    ["0.7.9", false],
    ["0.8.0", true],
    ["0.11.0", true],
    ["1.0", true],
  ])("of version %s will do: %s", (version, ok) => {
    const found = failing({ bubblewrap: { version, isSetuid: false, runs: null } });
    expect(found.map(({ name }) => name)).toEqual(ok ? [] : ["bubblewrap"]);
  });

  test("must not be setuid", () => {
    expect(fixes({ bubblewrap: { version: "0.8.0", isSetuid: true, runs: null } })).toEqual({
      bubblewrap: "sudo chmod u-s $(command -v bwrap)",
    });
  });
});

test("missing programs are installed by the packages that they are in, each once", () => {
  expect(fixes({ missing: ["nsenter", "prlimit", "perl"] })).toEqual({
    programs: "sudo apt-get install -y util-linux perl",
  });
});

test("a state directory that can't hold an overlay is moved", () => {
  expect(fixes({}, { strategy: "clone" })).toEqual({
    overlay: "Set HOTCELL_STATE_DIR to a directory on a local disk.",
  });
});

test("on macOS nothing is promised", () => {
  expect(failing({ platform: "darwin", arch: "arm64" })).toEqual([
    {
      name: "system",
      ok: false,
      found: "darwin 6.18.0, arm64",
      consequence: "hotcell runs no command: this version has no sandbox for macOS yet.",
      fix: "Use Linux on x64 or arm64.",
    },
  ]);
});

test("limits that are polled are said, and are no failure", () => {
  const limits = { ...GOOD_TRIAL.limits!, memory: "polled", processes: "polled" } as const;
  expect(listFindings(GOOD_MACHINE, { ...GOOD_TRIAL, limits }).find(({ name }) => name === "cgroup")).toEqual(
    {
      name: "cgroup",
      ok: true,
      found: "cannot be created here",
      consequence: "Memory and processes are polled every 250 ms, and can exceed the limit in between.",
      fix: null,
    },
  );
});

describe("the sandbox, seen from inside,", () => {
  const inside = GOOD_TRIAL.inside!;
  const status = inside.status;

  test.each([
    ["programs can gain privileges", { status: { ...status, NoNewPrivs: "0" } }],
    ["there is no system call filter", { status: { ...status, Seccomp: "0" } }],
    ["there are capabilities (000001ffffffffff)", { status: { ...status, CapEff: "000001ffffffffff" } }],
    ["the kernel's settings can be written", { canChangeKernel: true }],
    ["variables come from outside (AWS_KEY)", { variables: ["HOME", "AWS_KEY"] }],
    ["there is a network (lo, eth0)", { interfaces: ["lo", "eth0"] }],
  ])("fails when %s", (leak, more) => {
    expect(failing({}, { inside: { ...inside, ...more } })).toMatchObject([{ name: "sandbox", found: leak }]);
  });

  test("fails when nothing could be asked", () => {
    const nothing = {
      isolation: null,
      inside: null,
      limits: null,
      failure: "Could not sandbox the command.",
    };
    expect(failing({}, nothing)).toMatchObject([
      { name: "sandbox", found: "Could not sandbox the command.", consequence: "hotcell runs no command." },
    ]);
  });
});

describe("Landlock", () => {
  test("that lets signals out is said where it is used", () => {
    expect(
      failing({ ...NO_NAMESPACES, landlock: 5 }, { isolation: "landlock", strategy: "clone" }),
    ).toMatchObject([
      { name: "user namespaces" },
      { name: "overlay" },
      { name: "Landlock", consequence: "Commands can send signals to your other processes." },
      { name: "sandbox", found: "only Landlock" },
    ]);
  });

  test("that is missing or too old is said where there is nothing else", () => {
    const nothing = { isolation: null, strategy: "clone", inside: null, limits: null } as const;
    expect(fixes({ ...NO_NAMESPACES, landlock: 2 }, nothing)).toMatchObject({
      Landlock: "Use Linux 6.2 or newer, with Landlock.",
    });
  });

  test("needs perl, and nothing else does", () => {
    expect(failing({ missing: ["perl"] })).toMatchObject([
      { name: "programs", consequence: "There is no weaker sandbox to fall back to." },
    ]);
  });

  test("that is missing does not matter where it is not used", () => {
    expect(failing({ landlock: 0 })).toEqual([]);
  });
});
