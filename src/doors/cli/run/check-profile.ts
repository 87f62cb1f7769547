// hotcell run --profile-check: what of a profile this machine has, and what is missing.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { HotcellError } from "../../../core/errors.ts";
import type { Observation } from "../../../core/types.ts";
import type { Finding } from "../../../shield/doctor-report.ts";
import type { FoundProgram } from "../../../shield/host/locate-program.ts";
import { configuredCell } from "../cell-options.ts";
import { describeFinding } from "../doctor/doctor.ts";
import { inTrialCell } from "../doctor/trial-cell.ts";
import { type ExitCode, type Io, printJson, printLines } from "../io.ts";
import type { CellFlags } from "../main.ts";
import { findProfileProgram, missingText } from "./profile-program.ts";
import { findProfile, type Profile } from "./profiles.ts";

export interface ProfileCheck {
  readonly profile: string;
  readonly description: string;
  /** Whether the program can run on this machine. */
  readonly ok: boolean;
  readonly findings: readonly Finding[];
  readonly arguments: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  readonly hosts: readonly string[];
  readonly secrets: readonly { readonly name: string; readonly isSet: boolean }[];
  readonly homeFiles: readonly { readonly path: string; readonly isThere: boolean }[];
}

/** Exit 1 if something is missing. */
export async function checkProfile(io: Io, name: string, flags: CellFlags): Promise<ExitCode> {
  const { options, config } = await configuredCell(io, flags);
  const profile = findProfile(name, config);
  const found = findProfileProgram(profile, io, options);
  const findings = [...checkProgram(profile, found), ...(await tryProgram(profile, found, options, config))];
  const check = describeProfile(profile, findings, io);
  if (flags.json) printJson(io, check, true);
  else printLines(io, ...checkLines(check));
  return check.ok ? 0 : 1;
}

function checkProgram(profile: Profile, found: FoundProgram | null): Finding[] {
  if (found === null) return [{ ...fine("program", missingText(profile)), ok: false, fix: profile.install }];
  const shown = found.directories.length === 0 ? [] : [fine("shown", found.directories.join(", "))];
  const faults = found.faults.map((fault) => ({ ...fine("shown", fault), ok: false }));
  return [fine("program", found.at), ...(faults.length > 0 ? faults : shown)];
}

type Configured = Awaited<ReturnType<typeof configuredCell>>;

/** Starts it in a sandbox, with its arguments and `--version`. */
async function tryProgram(
  profile: Profile,
  found: FoundProgram | null,
  { toolchains = [], userToolchains = false }: Configured["options"],
  { stateDir }: Configured["config"],
): Promise<Finding[]> {
  if (found === null || found.faults.length > 0) return [];
  const { variables: env, arguments: first } = profile;
  const options = { toolchains, userToolchains, readable: found.directories, env };
  try {
    return await inTrialCell(stateDir, options, async (cell) => {
      const terminal = await cell.exec(["script", "--version"]);
      return [
        ...describeTrial("terminal", terminal, "Install util-linux, of which script is a part."),
        ...describeTrial("version", await cell.exec([found.path, ...first, "--version"]), profile.install),
      ];
    });
  } catch (error) {
    if (!(error instanceof HotcellError)) throw error;
    return [{ ...fine("sandbox", error.message), ok: false, fix: "hotcell doctor" }];
  }
}

function describeTrial(
  name: string,
  { output, error, meta }: Pick<Observation, "output" | "error" | "meta">,
  fix: string | null,
): Finding[] {
  const lines = `${output?.stdout ?? ""}\n${output?.stderr ?? ""}`.split("\n").map((line) => line.trim());
  const [first = ""] = lines.filter((line) => line !== "");
  if (error !== null) return [{ ...fine(name, error.message), ok: false, fix }];
  if (output?.exit_code !== 0)
    return [{ ...fine(name, `status ${output?.exit_code}: ${lines.join(" ").trim()}`), ok: false, fix }];
  return [{ ...fine(name, first), consequence: meta.weakened ?? null }];
}

function fine(name: string, found: string): Finding {
  return { name, ok: true, found, consequence: null, fix: null };
}

function describeProfile(profile: Profile, findings: readonly Finding[], { env }: Io): ProfileCheck {
  const home = env.HOME || os.homedir();
  const { name, description, arguments: first, variables, hosts, secrets, homeFiles } = profile;
  return {
    profile: name,
    description,
    ok: findings.every(({ ok }) => ok),
    findings,
    arguments: first,
    variables,
    hosts,
    secrets: secrets.map((secret) => ({ name: secret, isSet: (env[secret] ?? "") !== "" })),
    homeFiles: homeFiles.map((file) => ({ path: file, isThere: fs.existsSync(path.join(home, file)) })),
  };
}

function checkLines({
  profile,
  description,
  ok,
  findings,
  hosts,
  secrets,
  homeFiles,
}: ProfileCheck): string[] {
  const width = Math.max(...findings.map(({ name }) => name.length));
  const list = (items: readonly string[]) => (items.length === 0 ? "none" : items.join(", "));
  return [
    `${profile}: ${description}`,
    ...findings.flatMap((finding) => describeFinding(finding, width)),
    "It gets:",
    `    hosts       ${list(hosts)}`,
    `    variables   ${list(secrets.map(({ name, isSet }) => (isSet ? name : `${name} (not set)`)))}`,
    `    home files  ${list(homeFiles.map(({ path: file, isThere }) => (isThere ? file : `${file} (not there)`)))}`,
    ok ? `Run it: hotcell run ${profile}` : "Something is missing; see the lines with NO.",
  ];
}
