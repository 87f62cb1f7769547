// The weaker sandbox, for machines without user namespaces: the command is an ordinary process that has dropped rights.
// It cannot read, change or run files outside the sandbox, nor use the network. It can still see whether a path exists,
// and change mode, times and attributes of files that its user owns. Before Landlock 6 (Linux 6.12) it can also send
// signals to its user's other processes.

import { type Arch, syscallNumber } from "../seccomp/syscall-table.ts";
import { LANDLOCK_LAUNCHER } from "./landlock-launcher.ts";
import { LANDLOCK_SUPERVISOR } from "./landlock-supervisor.ts";

export interface LandlockPlan {
  readonly arch: Arch;
  /** Files and whole directories that the command may read and run. Missing paths are skipped. */
  readonly readable: readonly string[];
  /** Paths that the command may change too. */
  readonly writable: readonly string[];
  readonly descriptors: LandlockDescriptors;
  /** A command prefix that sets the limits and then runs the launcher. */
  readonly limiter: readonly string[];
  readonly argv: readonly [string, ...string[]];
}

export interface LandlockDescriptors {
  /** The channel to hotcell. */
  readonly link: number;
  /** The launcher reads the filter from it until end of file. */
  readonly seccomp: number;
  /** The command's environment variables, NUL-terminated. */
  readonly env: number;
  /** The descriptor to duplicate as the command's standard error; the launcher's own if omitted. */
  readonly stderr?: number;
}

type Call = "prctl" | "capset" | "setsid" | "getsid";

/** The command line of the supervisor, the limiter and the launcher. */
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

/** System call numbers, which differ between architectures. */
function numbers(arch: Arch, calls: readonly Call[]): string[] {
  return calls.flatMap((name) => [`--${name}`, `${syscallNumber(name, arch)}`]);
}
