// Chooses the sandbox of a cell: the full tier; the weaker tier if the machine has no user namespaces; or none.
import { HotcellError } from "../core/errors.ts";
import { openLandlockTier } from "./landlock/landlock-tier.ts";
import { type NamespacesOptions, openNamespacesTier } from "./namespaces/namespaces-tier.ts";
import { installLine } from "./package-manager.ts";
import { LANDLOCK_PROGRAM, type Machine, packagesOf, probeMachine } from "./probe.ts";
import type { Tier } from "./process/tier.ts";

export interface ChosenTier extends Tier {
  /** Explains to a person what the tier lacks; null for the full tier. */
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
    return { ...(await openNamespacesTier(options)), weakened: null };
  } catch (error) {
    const choice = chooseTier(await probeMachine());
    if (choice.tier === "full") throw error instanceof HotcellError ? error : noSandbox(`${error}`);
    if (choice.tier === null) throw noSandbox(choice.why);
    return { ...(await openLandlockTier(options)), weakened: choice.weakened };
  }
}

/** The first Landlock ABI that prevents truncating files outside the sandbox. */
export const MIN_LANDLOCK = 3;

export function chooseTier(machine: Machine): Choice {
  const { namespaces, bubblewrap, missing, landlock, isRoot } = machine;
  const untried = missing.filter((program) => program !== LANDLOCK_PROGRAM);
  if (untried.length > 0) return lacking(untried, packagesOf(untried), machine);
  if (namespaces === null && bubblewrap !== null) return { tier: "full" };
  if (namespaces === null) return lacking(["bubblewrap"], ["bubblewrap"], machine);
  const without = `user namespaces can't be had (${namespaces})`;
  if (isRoot) return { tier: null, why: `${without}, and for root there is no weaker shield` };
  if (missing.length > 0) return lacking(missing, packagesOf(missing), machine);
  if (landlock < MIN_LANDLOCK)
    return {
      tier: null,
      why: `${without}, nor Landlock ${MIN_LANDLOCK} or newer (found: ${landlock || "none"})`,
    };
  return {
    tier: "landlock",
    weakened: `Commands are shielded by Landlock only, because ${without}. Run hotcell doctor to see what that leaves open, and the fix.`,
  };
}

function lacking(what: readonly string[], packages: readonly string[], machine: Machine): Choice {
  return { tier: null, why: `missing: ${what.join(", ")}. Install it: ${installLine(packages, machine)}` };
}

export function findForeign(platform: string, arch: string): string | null {
  if (platform === "darwin") return "this version has no shield for macOS yet";
  if (platform !== "linux") return `there is no shield for the system ${platform}`;
  return arch === "x64" || arch === "arm64"
    ? null
    : `there is no system call filter for the processor ${arch}`;
}

function refuseForeign(platform: string, arch: string): void {
  const foreign = findForeign(platform, arch);
  if (foreign !== null) throw noSandbox(foreign);
}

function noSandbox(why: string): HotcellError {
  return new HotcellError("NO_SANDBOX", `Could not shield the command: ${why}. Run hotcell doctor.`);
}
