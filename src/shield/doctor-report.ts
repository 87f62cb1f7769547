// Turns the probe of a machine into findings, each with its consequence and its fix. Nothing here starts a process.
import { HELPER_ENVIRONMENT } from "../workspace/fs/helper-environment.ts";
import { findForeign, MIN_LANDLOCK } from "./choose-tier.ts";
import { asRoot, installLine } from "./package-manager.ts";
import { LANDLOCK_PROGRAM, type Machine, PROGRAMS, packagesOf, type SettingName } from "./probe.ts";
import type { LimitReport } from "./process/command.ts";
import { WATCH_INTERVAL_MS } from "./process/watch-usage.ts";
import { findLeaks, type SandboxProperties } from "./self-check.ts";

export interface Finding {
  readonly name: string;
  readonly ok: boolean;
  readonly found: string;
  /** The consequence for commands and sessions, if there is one. */
  readonly consequence: string | null;
  /** A command line, or an instruction. */
  readonly fix: string | null;
}

/** The result of a real command in a real session. */
export interface Trial {
  readonly strategy: "kernel" | "clone" | null;
  readonly isolation: "full" | "landlock" | null;
  readonly limits: LimitReport | null;
  readonly inside: SandboxProperties | null;
  /** Why the session or the command failed. */
  readonly failure: string | null;
}

export function listFindings(machine: Machine, trial: Trial): Finding[] {
  return [
    checkSystem(machine),
    checkNamespaces(machine),
    ...Object.keys(machine.settings).flatMap((name) => checkSetting(machine, name as SettingName)),
    ...(machine.container === null ? [] : [checkContainer(machine)]),
    checkBubblewrap(machine),
    checkPrograms(machine),
    checkOverlay(machine, trial),
    checkLandlock(machine, trial),
    ...(trial.limits === null ? [] : [checkCgroup(trial.limits)]),
    checkSandbox(trial),
  ];
}

const NOTHING_RUNS = "hotcell runs no command.";
const NOT_EVEN_WEAKER = "There is no weaker sandbox to fall back to.";
const WEAKER = "Sessions copy the project, and only Landlock sandboxes commands.";

function fine(name: string, found: string): Finding {
  return { name, ok: true, found, consequence: null, fix: null };
}

function checkSystem({ platform, arch, release }: Machine): Finding {
  const found = `${platform} ${release}, ${arch}`;
  const foreign = findForeign(platform, arch);
  if (foreign === null) return fine("system", found);
  const consequence = `hotcell runs no command: ${foreign}.`;
  return { name: "system", ok: false, found, consequence, fix: "Use Linux on x64 or arm64." };
}

function checkNamespaces(machine: Machine): Finding {
  const { namespaces, isRoot } = machine;
  if (namespaces === null) return fine("user namespaces", "can be made");
  return {
    name: "user namespaces",
    ok: false,
    found: namespaces,
    consequence: isRoot ? `${NOTHING_RUNS} Root cannot use the weaker sandbox.` : WEAKER,
    fix: blockingSettings(machine).length > 0 || machine.container !== null ? "See below." : ASK,
  };
}

const ASK = "Ask the administrator of this machine to allow user namespaces.";

/** The required value of each setting, and which values prevent user namespaces. */
const WANTED: Readonly<Record<SettingName, { readonly value: number; hinders(found: number): boolean }>> = {
  "user.max_user_namespaces": { value: 15000, hinders: (found) => found === 0 },
  "kernel.unprivileged_userns_clone": { value: 1, hinders: (found) => found === 0 },
  "kernel.apparmor_restrict_unprivileged_userns": { value: 0, hinders: (found) => found === 1 },
};

function blockingSettings({ settings }: Machine): SettingName[] {
  const names = Object.keys(settings) as SettingName[];
  return names.filter((name) => settings[name] !== null && WANTED[name].hinders(settings[name]));
}

function checkSetting(machine: Machine, name: SettingName): Finding[] {
  const found = machine.settings[name];
  if (found === null) return [];
  if (machine.namespaces === null || !blockingSettings(machine).includes(name))
    return [fine(name, `${found}`)];
  const fix = asRoot(`sysctl -w ${name}=${WANTED[name].value}`, machine.isRoot);
  return [{ name, ok: false, found: `${found}`, consequence: "It prevents user namespaces.", fix }];
}

const CONTAINER_FLAGS = {
  docker:
    "docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined",
  podman: "podman run --security-opt seccomp=unconfined --security-opt unmask=ALL",
} as const;

function checkContainer(machine: Machine): Finding {
  const { container, isRoot } = machine;
  const found = `inside ${container}`;
  if (!isContainerTheCause(machine)) return fine("container", found);
  return {
    name: "container",
    ok: false,
    found,
    consequence: "By default it forbids new namespaces, or mounting /proc in them.",
    fix: `${CONTAINER_FLAGS[container!]}${isRoot ? " --cap-add SYS_ADMIN" : ""} …`,
  };
}

/** The container is the cause if no kernel setting is. */
function isContainerTheCause(machine: Machine): boolean {
  if (machine.namespaces !== null) return blockingSettings(machine).length === 0;
  return (machine.bubblewrap?.runs ?? null) !== null;
}

const MIN_BUBBLEWRAP = [0, 8] as const;

/** Elsewhere a program may belong to somebody else than the system. */
const HELPER_DIRECTORIES = HELPER_ENVIRONMENT.PATH.replaceAll(":", ", ");

/** A failed run counts only if user namespaces work: without them bubblewrap cannot run anyway. */
function checkBubblewrap(machine: Machine): Finding {
  const { bubblewrap, namespaces } = machine;
  const line = installLine(["bubblewrap"], machine);
  const wrong = (found: string, fix: string | null, consequence = NOTHING_RUNS): Finding => {
    return { name: "bubblewrap", ok: false, found, consequence, fix };
  };
  if (bubblewrap === null) return wrong(`not installed in ${HELPER_DIRECTORIES}`, line);
  const { version, isSetuid, runs } = bubblewrap;
  if (isOld(version))
    return wrong(`version ${version}; ${MIN_BUBBLEWRAP.join(".")} or newer is needed`, line);
  if (isSetuid)
    return wrong(
      `version ${version}, setuid`,
      asRoot("chmod u-s $(command -v bwrap)", machine.isRoot),
      SETUID,
    );
  if (runs !== null && namespaces === null)
    return wrong(`version ${version} cannot create a sandbox: ${runs}`, null);
  return fine("bubblewrap", `version ${version}`);
}

const SETUID =
  "It has root's rights while it creates the sandbox. A bug in it would give these rights to commands.";

function isOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major < MIN_BUBBLEWRAP[0] || (major === MIN_BUBBLEWRAP[0] && minor < MIN_BUBBLEWRAP[1]);
}

function checkPrograms(machine: Machine): Finding {
  const { missing } = machine;
  const isForLandlock = missing.every((program) => program === LANDLOCK_PROGRAM);
  if (missing.length === 0) return fine("programs", [...PROGRAMS.keys()].join(", "));
  return {
    name: "programs",
    ok: false,
    found: `missing: ${missing.join(", ")}, in ${HELPER_DIRECTORIES}`,
    consequence: isForLandlock ? NOT_EVEN_WEAKER : NOTHING_RUNS,
    fix: installLine(packagesOf(missing), machine),
  };
}

function checkOverlay({ namespaces }: Machine, { strategy, failure }: Trial): Finding {
  if (strategy === "kernel") return fine("overlay", "mounted on the state directory");
  return {
    name: "overlay",
    ok: false,
    found: strategy === null ? (failure ?? "not tried") : "cannot be mounted on the state directory",
    consequence:
      strategy === null
        ? "hotcell cannot create sessions."
        : "Sessions copy the project, so they start more slowly.",
    fix: namespaces === null ? "Set HOTCELL_STATE_DIR to a directory on a local disk." : "See above.",
  };
}

function checkLandlock({ landlock }: Machine, { isolation }: Trial): Finding {
  const found = landlock === 0 ? "not in this kernel" : `version ${landlock}`;
  const isUsed = isolation === "landlock";
  if (isUsed && landlock < 6)
    return {
      name: "Landlock",
      ok: false,
      found,
      consequence: "Commands can send signals to your other processes.",
      fix: "Use Linux 6.12 or newer.",
    };
  if (landlock >= MIN_LANDLOCK || isolation === "full") return fine("Landlock", found);
  const fix = "Use Linux 6.2 or newer, with Landlock.";
  return { name: "Landlock", ok: false, found, consequence: NOT_EVEN_WEAKER, fix };
}

function checkCgroup({ memory, processes }: LimitReport): Finding {
  const isPolled = memory === "polled" || processes === "polled";
  if (!isPolled) return fine("cgroup", "memory and processes are counted by the kernel");
  return {
    name: "cgroup",
    ok: true,
    found: "cannot be created here",
    consequence: `Memory${processes === "polled" ? " and processes are" : " is"} polled every ${WATCH_INTERVAL_MS} ms, and can exceed the limit in between.`,
    fix: null,
  };
}

function checkSandbox({ isolation, inside, failure }: Trial): Finding {
  const name = "sandbox";
  if (isolation === null || inside === null)
    return { name, ok: false, found: failure ?? "not tried", consequence: NOTHING_RUNS, fix: "See above." };
  const leaks = findLeaks(inside, isolation === "full");
  if (leaks.length > 0)
    return {
      name,
      ok: false,
      found: leaks.join("; "),
      consequence: "The sandbox does not hold. Run no commands.",
      fix: "Report this: see SECURITY.md.",
    };
  if (isolation === "full")
    return fine(
      name,
      "no privileges, no capabilities, filtered system calls, only loopback, none of your variables",
    );
  const consequence = "docs/threat-model.md lists what this leaves open.";
  return { name, ok: false, found: "only Landlock", consequence, fix: "See above." };
}
