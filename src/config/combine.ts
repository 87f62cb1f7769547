// Puts the settings of one file over those of another.
import { TRUST_LEVELS } from "../core/types.ts";
import type { Config, FileConfig } from "./config.ts";

/** Lists of rules, of protected paths and of secrets are joined; of other settings the later one counts. */
export function overrideWith(
  base: Config,
  { protect, limits, webSearch, rules = [], secrets = [], ...file }: FileConfig,
): Config {
  const known = new Set(base.rules.map(({ text }) => text));
  return {
    ...base,
    ...file,
    rules: [...base.rules, ...rules.filter(({ text }) => !known.has(text))],
    secrets: [...base.secrets, ...secrets],
    webSearch: { ...base.webSearch, ...webSearch },
    protect: {
      secrets: [...base.protect.secrets, ...(protect?.secrets ?? [])],
      readonly: [...base.protect.readonly, ...(protect?.readonly ?? [])],
      allow: [...base.protect.allow, ...(protect?.allow ?? [])],
    },
    limits: { ...base.limits, ...limits },
  };
}

/** The same for a file that a project brings along: it loosens nothing that the user set. */
export function tightenWith(base: Config, file: FileConfig): Config {
  const next = overrideWith(base, file);
  const trust = TRUST_LEVELS.find((level) => level === base.trust || level === next.trust)!;
  const lower = (key: "timeoutMs" | "maxResponseBytes" | "toolMemoryMb" | "guestProcesses") =>
    Math.min(base[key], next[key]);
  const limits = Object.entries(next.limits).map(([name, value]) => [
    name,
    Math.min(value, base.limits[name as keyof Config["limits"]]),
  ]);
  return {
    ...next,
    trust,
    approve: base.approve === "calls" ? "calls" : next.approve,
    userToolchains: base.userToolchains && next.userToolchains,
    timeoutMs: lower("timeoutMs"),
    maxResponseBytes: lower("maxResponseBytes"),
    toolMemoryMb: lower("toolMemoryMb"),
    guestProcesses: lower("guestProcesses"),
    limits: Object.fromEntries(limits) as Config["limits"],
  };
}
