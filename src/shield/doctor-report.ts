// What was found on a machine, what follows from it, and how it can be changed. Nothing here runs anything.
import { findForeign, MIN_LANDLOCK } from "./choose-tier.ts";
import { asRoot, installLine } from "./package-manager.ts";
import { LANDLOCK_PROGRAM, type Machine, PROGRAMS, packagesOf, type SettingName } from "./probe.ts";
import type { LimitReport } from "./process/command.ts";
import { WATCH_INTERVAL_MS } from "./process/watch-usage.ts";
import { findLeaks, type Inside } from "./self-check.ts";

export interface Finding {
  readonly name: string;
  readonly ok: boolean;
  readonly found: string;
  /** What it means for commands and sessions; null when nothing. */
  readonly consequence: string | null;
  /** A line to run, or what to do. */
  readonly fix: string | null;
}

/** A command that was really run, in a session that was really made. */
export interface Trial {
  readonly strategy: "kernel" | "clone" | null;
  readonly isolation: "full" | "landlock" | null;
  readonly limits: LimitReport | null;
  readonly inside: Inside | null;
  /** Why there is none. */
  readonly failure: string | null;
}

export function findingsOf(machine: Machine, trial: Trial): Finding[] {
  return [
    ofSystem(machine),
    ofNamespaces(machine),
    ...Object.keys(machine.settings).flatMap((name) => ofSetting(machine, name as SettingName)),
    ...(machine.container === null ? [] : [ofContainer(machine)]),
    ofBubblewrap(machine),
    ofPrograms(machine),
    ofOverlay(machine, trial),
    ofLandlock(machine, trial),
    ...(trial.limits === null ? [] : [ofCgroup(trial.limits)]),
    ofEnclosure(trial),
  ];
}

const NOTHING_RUNS = "No command is run.";
const NOT_EVEN_WEAKER = "There is no weaker shield to fall back on.";
const WEAKER = "Sessions copy the project, and commands are shielded by Landlock only.";

function fine(name: string, found: string): Finding {
  return { name, ok: true, found, consequence: null, fix: null };
}

function ofSystem({ platform, arch, release }: Machine): Finding {
  const found = `${platform} ${release}, ${arch}`;
  const foreign = findForeign(platform, arch);
  if (foreign === null) return fine("system", found);
  const consequence = `No command is run: ${foreign}.`;
  return { name: "system", ok: false, found, consequence, fix: "Use Linux on x64 or arm64." };
}

function ofNamespaces(machine: Machine): Finding {
  const { namespaces, isRoot } = machine;
  if (namespaces === null) return fine("user namespaces", "can be made");
  return {
    name: "user namespaces",
    ok: false,
    found: namespaces,
    consequence: isRoot ? `${NOTHING_RUNS} For root there is no weaker shield.` : WEAKER,
    fix: hindrances(machine).length > 0 || machine.container !== null ? "See below." : ASK,
  };
}

const ASK = "Ask whoever runs this machine to allow user namespaces.";

/** What it takes, and where it stands in the way. */
const WANTED: Readonly<Record<SettingName, { readonly value: number; hinders(found: number): boolean }>> = {
  "user.max_user_namespaces": { value: 15000, hinders: (found) => found === 0 },
  "kernel.unprivileged_userns_clone": { value: 1, hinders: (found) => found === 0 },
  "kernel.apparmor_restrict_unprivileged_userns": { value: 0, hinders: (found) => found === 1 },
};

function hindrances({ settings }: Machine): SettingName[] {
  const names = Object.keys(settings) as SettingName[];
  return names.filter((name) => settings[name] !== null && WANTED[name].hinders(settings[name]));
}

function ofSetting(machine: Machine, name: SettingName): Finding[] {
  const found = machine.settings[name];
  if (found === null) return [];
  if (machine.namespaces === null || !hindrances(machine).includes(name)) return [fine(name, `${found}`)];
  const fix = asRoot(`sysctl -w ${name}=${WANTED[name].value}`, machine.isRoot);
  return [
    { name, ok: false, found: `${found}`, consequence: "It keeps user namespaces from being made.", fix },
  ];
}

const CONTAINER_FLAGS = {
  docker:
    "docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined",
  podman: "podman run --security-opt seccomp=unconfined --security-opt unmask=ALL",
} as const;

function ofContainer(machine: Machine): Finding {
  const { container, isRoot } = machine;
  const found = `inside ${container}`;
  if (!isToBlame(machine)) return fine("container", found);
  return {
    name: "container",
    ok: false,
    found,
    consequence: "By itself it forbids to make namespaces, or to mount /proc in them.",
    fix: `${CONTAINER_FLAGS[container!]}${isRoot ? " --cap-add SYS_ADMIN" : ""} …`,
  };
}

/** When nothing else is. */
function isToBlame(machine: Machine): boolean {
  if (machine.namespaces !== null) return hindrances(machine).length === 0;
  return (machine.bubblewrap?.runs ?? null) !== null;
}

const MIN_BUBBLEWRAP = [0, 8] as const;

/** Without user namespaces there is nothing that it could do. */
function ofBubblewrap(machine: Machine): Finding {
  const { bubblewrap, namespaces } = machine;
  const line = installLine(["bubblewrap"], machine);
  const wrong = (found: string, fix: string | null, consequence = NOTHING_RUNS): Finding => {
    return { name: "bubblewrap", ok: false, found, consequence, fix };
  };
  if (bubblewrap === null) return wrong("not installed", line);
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
    return wrong(`version ${version} can't make an enclosure: ${runs}`, null);
  return fine("bubblewrap", `version ${version}`);
}

const SETUID = "It has root's rights while it makes the enclosure, and a fault in it would give them away.";

function isOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major < MIN_BUBBLEWRAP[0] || (major === MIN_BUBBLEWRAP[0] && minor < MIN_BUBBLEWRAP[1]);
}

function ofPrograms(machine: Machine): Finding {
  const { missing } = machine;
  const isForLandlock = missing.every((program) => program === LANDLOCK_PROGRAM);
  if (missing.length === 0) return fine("programs", [...PROGRAMS.keys()].join(", "));
  return {
    name: "programs",
    ok: false,
    found: `missing: ${missing.join(", ")}`,
    consequence: isForLandlock ? NOT_EVEN_WEAKER : NOTHING_RUNS,
    fix: installLine(packagesOf(missing), machine),
  };
}

function ofOverlay({ namespaces }: Machine, { strategy, failure }: Trial): Finding {
  if (strategy === "kernel") return fine("overlay", "mounted on the state directory");
  return {
    name: "overlay",
    ok: false,
    found: strategy === null ? (failure ?? "not tried") : "can't be mounted on the state directory",
    consequence:
      strategy === null ? "No session can be made." : "Sessions copy the project: slower to begin.",
    fix: namespaces === null ? "Set HOTCELL_STATE_DIR to a directory on a local disk." : "See above.",
  };
}

function ofLandlock({ landlock }: Machine, { isolation }: Trial): Finding {
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

function ofCgroup({ memory, processes }: LimitReport): Finding {
  const isPolled = memory === "polled" || processes === "polled";
  if (!isPolled) return fine("cgroup", "memory and processes are counted by the kernel");
  return {
    name: "cgroup",
    ok: true,
    found: "none can be made here",
    consequence: `Memory${processes === "polled" ? " and processes are" : " is"} looked at every ${WATCH_INTERVAL_MS} ms, and may be overshot between.`,
    fix: null,
  };
}

function ofEnclosure({ isolation, inside, failure }: Trial): Finding {
  const name = "enclosure";
  if (isolation === null || inside === null)
    return { name, ok: false, found: failure ?? "not tried", consequence: NOTHING_RUNS, fix: "See above." };
  const leaks = findLeaks(inside, isolation === "full");
  if (leaks.length > 0)
    return {
      name,
      ok: false,
      found: leaks.join("; "),
      consequence: "Commands are not kept in as they should be. Don't run any.",
      fix: "Report this: see SECURITY.md.",
    };
  if (isolation === "full")
    return fine(name, "no privileges, no capabilities, filtered calls, loopback only, no variables of yours");
  const consequence = "What that leaves open is in docs/threat-model.md.";
  return { name, ok: false, found: "by Landlock only", consequence, fix: "See above." };
}
