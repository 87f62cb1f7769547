// Profiles: programs that `hotcell run` knows, and what each of them gets. Those of the package are files in profiles/;
// the user's own configuration may have others, or replace one. A project's configuration may not.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { checkJsonText } from "../../../config/check-json-text.ts";
import type { Config, ProfileConfig } from "../../../config/config.ts";
import { PROFILE_SCHEMA } from "../../../config/profile-schema.ts";
import { readJson } from "../../../config/read-json.ts";
import { HotcellError } from "../../../core/errors.ts";
import { nearest } from "../../../core/nearest.ts";
import { quote } from "../../../core/quote.ts";
import type { RuleOrigin } from "../../../core/types.ts";
import { findNetworkPatternFault } from "../../../policy/network-pattern.ts";
import { usage } from "../io.ts";

export interface Profile extends Required<Omit<ProfileConfig, "description" | "install">> {
  readonly name: string;
  readonly description: string;
  readonly install: string | null;
}

const PACKAGED = fileURLToPath(new URL("../../../../profiles", import.meta.url));
const NAME = /^[a-z0-9][a-z0-9-]{0,31}$/;

export function findProfile(name: string, { profiles }: Pick<Config, "profiles">): Profile {
  const own = new Map(Object.entries(profiles));
  const packaged = new Set(packagedNames());
  const found = own.get(name) ?? (packaged.has(name) ? readPackaged(name) : null);
  if (found === null) throw unknownProfile(name, [...new Set([...packaged, ...own.keys()])]);
  return checkProfile(name, found);
}

/** The rules that open the way to its hosts. */
export function profileRules({ name, hosts }: Profile): RuleOrigin[] {
  return hosts.map((host) => ({ text: `allow network(${host})`, source: `profile ${name}` }));
}

function packagedNames(): string[] {
  return fs.readdirSync(PACKAGED).map((file) => path.basename(file, ".json"));
}

function readPackaged(name: string): ProfileConfig {
  const file = path.join(PACKAGED, `${name}.json`);
  const json = readJson(fs.readFileSync(file, "utf8"), file);
  checkJsonText(json, PROFILE_SCHEMA, file, "CONFIG_INVALID");
  return json.value as unknown as ProfileConfig;
}

function unknownProfile(name: string, known: readonly string[]): HotcellError {
  const [near = name] = nearest(name, known, 1);
  const all = known.map(quote).join(", ");
  return usage(
    `There is no profile ${quote(name)}; there are ${all}. ${near === name ? "" : `Perhaps ${quote(near)}? `}For a program without a profile: hotcell run -- ${name}`,
  );
}

function checkProfile(name: string, profile: ProfileConfig): Profile {
  const { description = "", variables = {}, hosts = [], homeFiles = [], install = null } = profile;
  const { program, arguments: first = [], secrets = [], searched = [] } = profile;
  if (!NAME.test(name))
    throw wrong(name, "its name", "has other characters than small letters, digits and -");
  for (const host of hosts) {
    const fault = findNetworkPatternFault(host);
    if (fault !== null) throw wrong(name, `hosts: ${quote(host)}`, fault);
  }
  for (const variable of [...Object.keys(variables), ...secrets])
    if (!isVariable(variable)) throw wrong(name, quote(variable), "cannot be a variable of a profile");
  for (const file of homeFiles) checkHomeFile(file);
  return {
    name,
    description,
    variables,
    hosts,
    homeFiles,
    install,
    program,
    arguments: first,
    secrets,
    searched,
  };
}

/** hotcell sets HOME and PATH itself. */
function isVariable(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && name !== "HOME" && name !== "PATH";
}

/** A file in a home is named by its way from there. */
export function checkHomeFile(file: string): void {
  const isPlain = file.split("/").every((name) => !["", ".", ".."].includes(name)) && !file.includes("\0");
  if (isPlain) return;
  throw usage(
    `Could not use the home file ${quote(file)}: name a file in your home by its path from there, like .gitconfig or .config/tool/settings.json.`,
  );
}

function wrong(name: string, what: string, problem: string): HotcellError {
  return new HotcellError("CONFIG_INVALID", `Could not use the profile ${quote(name)}: ${what} ${problem}.`);
}
