// A command's report about its own sandbox, for the doctor.
import { planEgress } from "./egress/plan-egress.ts";
import { OFFLINE_ENV } from "./host/offline-settings.ts";

export interface SandboxProperties {
  /** Fields of /proc/self/status. */
  readonly status: Readonly<Record<string, string>>;
  readonly interfaces: readonly string[];
  readonly canChangeKernel: boolean;
  readonly variables: readonly string[];
}

// The script opens core_pattern for appending and writes nothing.
export const SELF_CHECK_SCRIPT = String.raw`
grep -E '^(NoNewPrivs|Seccomp|CapEff):' /proc/self/status | sed 's/^/status /'
sed -n 's/^ *\([^: ]*\):.*/interface \1/p' /proc/net/dev
(: >> /proc/sys/kernel/core_pattern) 2>/dev/null && echo kernel
compgen -e | sed 's/^/variable /'
`;

export function readSelfCheck(said: string): SandboxProperties {
  const lines = said.split("\n");
  const after = (word: string) =>
    lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
  return {
    status: Object.fromEntries(after("status").map((line) => line.split(/:\s*/))),
    interfaces: after("interface"),
    canChangeKernel: lines.includes("kernel"),
    variables: after("variable"),
  };
}

const VARIABLES: ReadonlySet<string> = new Set([
  ...["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER"],
  ...["GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_0", "GIT_CONFIG_VALUE_0", "GIT_CONFIG_KEY_1", "GIT_CONFIG_VALUE_1"],
  "GIT_OPTIONAL_LOCKS",
  ...Object.keys(OFFLINE_ENV),
  ...Object.keys(planEgress([]).env),
  // The shell sets these itself.
  ...["_", "OLDPWD", "PWD", "SHLVL"],
]);

/** Describes each property of the sandbox that does not hold. */
export function findLeaks(
  { status, interfaces, canChangeKernel, variables }: SandboxProperties,
  isFull: boolean,
): string[] {
  const foreign = variables.filter((name) => !VARIABLES.has(name));
  const claims: readonly (readonly [boolean, string])[] = [
    [status.NoNewPrivs === "1", "programs can gain privileges"],
    [status.Seccomp === "2", "there is no system call filter"],
    [/^0+$/.test(status.CapEff ?? ""), `there are capabilities (${status.CapEff})`],
    [!canChangeKernel, "the kernel's settings can be written"],
    [foreign.length === 0, `variables come from outside (${foreign.join(", ")})`],
    [!isFull || interfaces.join() === "lo", `there is a network (${interfaces.join(", ")})`],
  ];
  return claims.filter(([holds]) => !holds).map(([, leak]) => leak);
}
