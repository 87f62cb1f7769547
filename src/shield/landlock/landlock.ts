// The weaker shield, for where there are no user namespaces: the command is an ordinary process that has
// given up rights. It can't read, change or run what is outside, nor reach the network. It can still see
// that a path exists, and change mode, times and attributes of what its user owns. Before Landlock 6 (Linux
// 6.12) it can also send signals to its user's other processes.

import { type Arch, syscallNumber } from "../seccomp/syscall-table.ts";
import { LANDLOCK_LAUNCHER } from "./landlock-launcher.ts";
import { LANDLOCK_SUPERVISOR } from "./landlock-supervisor.ts";

export interface LandlockPlan {
  readonly arch: Arch;
  /** Files and directories with all below; to be read and run. One that is missing is left out. */
  readonly readable: readonly string[];
  /** To be changed too. */
  readonly writable: readonly string[];
  readonly descriptors: LandlockDescriptors;
  /** In front of the launcher: what sets limits, and then runs the rest. */
  readonly limiter: readonly string[];
  readonly argv: readonly [string, ...string[]];
}

export interface LandlockDescriptors {
  /** To and from hotcell. */
  readonly link: number;
  /** The filter, to its end. */
  readonly seccomp: number;
  /** The command's variables, each with a NUL at its end. */
  readonly env: number;
  /** Of which the command's standard error is a copy; when left out, it is the launcher's own. */
  readonly stderr?: number;
}

type Call = "prctl" | "capset" | "setsid" | "getsid";

/** What runs a command and watches over it. */
export function landlockArgs(plan: LandlockPlan): string[] {
  const { arch, descriptors, limiter } = plan;
  return [
    ...["perl", "-e", LANDLOCK_SUPERVISOR, "--"],
    ...numbers(arch, ["prctl", "setsid"]),
    ...["--link", `${descriptors.link}`],
    "--",
    ...limiter,
    ...launcherArgs(plan),
  ];
}

export function launcherArgs({ arch, readable, writable, descriptors, argv }: LandlockPlan): string[] {
  return [
    ...["perl", "-e", LANDLOCK_LAUNCHER, "--"],
    ...numbers(arch, ["prctl", "capset", "setsid", "getsid"]),
    ...Object.entries(descriptors).flatMap(([name, fd]) => [`--${name}`, `${fd}`]),
    ...readable.flatMap((at) => ["--ro", at]),
    ...writable.flatMap((at) => ["--rw", at]),
    "--",
    ...argv,
  ];
}

/** They differ between architectures. */
function numbers(arch: Arch, calls: readonly Call[]): string[] {
  return calls.flatMap((name) => [`--${name}`, `${syscallNumber(name, arch)}`]);
}
