// Chooses the sandbox of a cell: the full tier; the weaker tier if the machine has no user namespaces; or none.
import { HotcellError } from "../core/errors.ts";
import { openLandlockTier } from "./landlock/landlock-tier.ts";
import { type NamespacesOptions, openNamespacesTier } from "./namespaces/namespaces-tier.ts";
import { installLine } from "./package-manager.ts";
import { LANDLOCK_PROGRAM, type Machine, packagesOf, probeMachine } from "./probe.ts";
import type { Tier } from "./process/tier.ts";

export interface ChosenTier extends Tier {
  /** Explains to a person what protection is missing; null if none is. */
  readonly weakened: string | null;
}

export type Choice =
  | { readonly tier: "full" }
  | { readonly tier: "landlock"; readonly weakened: string }
  | { readonly tier: null; readonly why: string };

/** Probes the machine only if the full tier fails to open. */
export async function openTier(options: NamespacesOptions): Promise<ChosenTier> {
  refuseForeign(process.platform, process.arch);
  try {
    return {
      ...(await openNamespacesTier(options)),
      weakened: options.gate.isDirect ? DIRECT_NETWORK : null,
    };
  } catch (error) {
    const choice = chooseTier(await probeMachine());
    if (choice.tier === "full") throw error instanceof HotcellError ? error : noSandbox(`${error}`);
    if (choice.tier === null) throw noSandbox(choice.why);
    const notes = [
      ...(options.commandView.hasReadOnly ? [READ_ONLY_BY_COMMIT] : []),
      ...(options.gate.hasGrants || options.gate.isDirect ? [NO_SOCKETS] : []),
    ];
    return { ...(await openLandlockTier(options)), weakened: [choice.weakened, ...notes].join(" ") };
  }
}

/** A Landlock rule for a directory has no exceptions. The tier works on a session only. */
const READ_ONLY_BY_COMMIT =
  "Commands can change the paths of protect.readonly in the session; a commit leaves these changes out.";

const NO_SOCKETS = "This sandbox has no sockets: rules about the network have no effect.";

/** For observations and the doctor. */
export const DIRECT_NETWORK =
  "Commands use this machine's own network (TOOL_ALLOW_DIRECT_NETWORK): they reach its loopback and the private network too, and rules about the network have no effect.";

/** The first Landlock ABI that prevents truncating files outside the sandbox. */
export const MIN_LANDLOCK = 3;

export function chooseTier(machine: Machine): Choice {
  const { namespaces, bubblewrap, missing, landlock, isRoot } = machine;
  const untried = missing.filter((program) => program !== LANDLOCK_PROGRAM);
  if (untried.length > 0) return lacking(untried, packagesOf(untried), machine);
  if (namespaces === null && bubblewrap !== null) return { tier: "full" };
  if (namespaces === null) return lacking(["bubblewrap"], ["bubblewrap"], machine);
  const without = `user namespaces are not available (${namespaces})`;
  if (isRoot) return { tier: null, why: `${without}, and root cannot use the weaker sandbox` };
  if (missing.length > 0) return lacking(missing, packagesOf(missing), machine);
  if (landlock < MIN_LANDLOCK)
    return {
      tier: null,
      why: `${without}, nor Landlock ${MIN_LANDLOCK} or newer (found: ${landlock || "none"})`,
    };
  return {
    tier: "landlock",
    weakened: `Only Landlock sandboxes commands, because ${without}. Run hotcell doctor: it shows what this leaves open, and the fix.`,
  };
}

function lacking(what: readonly string[], packages: readonly string[], machine: Machine): Choice {
  return { tier: null, why: `missing: ${what.join(", ")}. Install it: ${installLine(packages, machine)}` };
}

export function findForeign(platform: string, arch: string): string | null {
  if (platform === "darwin") return "this version has no sandbox for macOS yet";
  if (platform !== "linux") return `there is no sandbox for the system ${platform}`;
  return arch === "x64" || arch === "arm64"
    ? null
    : `there is no system call filter for the processor ${arch}`;
}

function refuseForeign(platform: string, arch: string): void {
  const foreign = findForeign(platform, arch);
  if (foreign !== null) throw noSandbox(foreign);
}

function noSandbox(why: string): HotcellError {
  return new HotcellError("NO_SANDBOX", `Could not sandbox the command: ${why}. Run hotcell doctor.`);
}
