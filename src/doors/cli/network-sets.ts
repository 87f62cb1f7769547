// Named sets of hosts: `--allow-network NAME` stands for the allow rules of a set.
import { execFileSync } from "node:child_process";
import type { Config } from "../../config/config.ts";
import type { HotcellError } from "../../core/errors.ts";
import { formatHostPort } from "../../core/host-name.ts";
import { quote } from "../../core/quote.ts";
import type { RuleOrigin } from "../../core/types.ts";
import { readRequestUrl, targetOf } from "../../net/request-target.ts";
import { findNetworkPatternFault } from "../../policy/network-pattern.ts";
import { type Io, usage } from "./io.ts";
import { outsideProject } from "./outside-project.ts";

const NPM = "npm";
const NPM_TIMEOUT_MS = 20_000;

interface User extends Pick<Io, "env"> {
  readonly workspace: string;
}

/** The rules of the sets. A set of the configuration has precedence over a built-in one of the same name. */
export function networkSetRules(
  names: readonly string[],
  { networkSets }: Pick<Config, "networkSets">,
  user: User,
): RuleOrigin[] {
  const sets = new Map(Object.entries(networkSets));
  for (const [name, places] of sets) for (const place of places) refuseFault(name, place);
  return names.flatMap((name) => {
    const places = sets.get(name) ?? (name === NPM ? [npmRegistry(user)] : null);
    if (places === null) throw unknownSet(name, [...sets.keys(), NPM]);
    const source = `--allow-network ${name}`;
    return places.map((place) => ({ text: `allow network(${place})`, source }));
  });
}

function refuseFault(name: string, place: string): void {
  const fault = findNetworkPatternFault(place);
  if (fault !== null) throw usage(`Could not read networkSets: ${quote(place)} in ${quote(name)}: ${fault}.`);
}

function unknownSet(name: string, known: readonly string[]): HotcellError {
  const names = [...new Set(known)].map(quote).join(", ");
  return usage(
    `There is no set of hosts ${quote(name)}; there are ${names}. Add it to networkSets in a configuration that you name with --config.`,
  );
}

/** Asks npm itself, in a directory without a project's settings. */
function npmRegistry({ env, workspace }: User): string {
  try {
    const said = execFileSync("npm", ["config", "get", "registry"], {
      cwd: "/",
      env: withoutProjectSettings(outsideProject(env, workspace)),
      timeout: NPM_TIMEOUT_MS,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return formatHostPort(targetOf(readRequestUrl(said.trim())));
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n", 1)[0] : String(error);
    throw usage(
      `Could not ask npm for its registry: ${reason}. Write the host as a rule instead: --rule 'allow network(HOST:443)'`,
    );
  }
}

/** What npm starts gets the settings of the project's .npmrc as variables, in lower case. */
function withoutProjectSettings(env: Io["env"]): Io["env"] {
  if (env.npm_command === undefined) return env;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("npm_config_")));
}
