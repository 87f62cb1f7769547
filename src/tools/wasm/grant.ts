// What a tool asks for and the operator grants: only what both name is given.
import { formatKey } from "../../config/check-json-text.ts";
import { findFault } from "../../config/find-fault.ts";
import { CAPABILITIES } from "../../config/tool-schema.ts";
import { HotcellError } from "../../core/errors.ts";
import { readHost, readHostPort } from "../../core/host-name.ts";
import { quote } from "../../core/quote.ts";
import type { FileAccess } from "./guests.ts";

/** As manifests and configurations write it. */
export interface Capabilities {
  readonly model_access?: boolean;
  /** Hosts, or true: any. */
  readonly network?: readonly string[] | boolean;
  readonly filesystem?: FileAccess;
  /** Names. */
  readonly env?: readonly string[];
}

export interface Granted {
  readonly model: boolean;
  readonly network: readonly string[] | "any";
  readonly filesystem: FileAccess;
  readonly env: readonly string[];
}

const LEVELS: readonly FileAccess[] = ["none", "read", "write"];

export function grantedOf(asked: Capabilities, grant: Capabilities): Granted {
  const level = (capabilities: Capabilities) => LEVELS.indexOf(capabilities.filesystem ?? "none");
  const grantedEnv = new Set(grant.env ?? []);
  return {
    model: asked.model_access === true && grant.model_access === true,
    network: commonHosts(hostsOf(asked), hostsOf(grant)),
    filesystem: LEVELS[Math.min(level(asked), level(grant))]!,
    env: (asked.env ?? []).filter((name) => grantedEnv.has(name)),
  };
}

function hostsOf({ network = false }: Capabilities): readonly string[] | "any" {
  if (network === true) return "any";
  return network === false ? [] : network.map((host) => host.toLowerCase());
}

function commonHosts(
  asked: readonly string[] | "any",
  granted: readonly string[] | "any",
): readonly string[] | "any" {
  if (asked === "any") return granted;
  return granted === "any" ? asked : asked.filter((host) => granted.includes(host));
}

/** The values of the granted variables that are set. */
export function grantedValues(
  { env: names }: Granted,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

/** A caller without a compiler may misspell a value, which must not grant more. */
export function checkGrant(grant: Capabilities, tool: string): void {
  const fail = (problem: string) =>
    new HotcellError("CONFIG_INVALID", `Could not grant ${tool} its capabilities: ${problem}.`);
  const fault = findFault(grant, CAPABILITIES);
  if (fault !== null) throw fail(`${formatKey(fault.path) || "the grant"} ${fault.problem}`);
  checkNetwork(grant.network, (problem) => fail(`network ${problem}`));
}

/** What the schema of the manifest and of the configuration cannot say. */
export function checkNetwork(network: unknown, fail: (problem: string) => HotcellError): void {
  if (network === undefined || typeof network === "boolean") return;
  const allowed =
    'allowed is true, false, or a list of hosts like "api.example.com" or "api.example.com:8443"';
  if (!Array.isArray(network)) throw fail(`is ${quote(network)}; ${allowed}`);
  const wrong = network.find(
    (host) => typeof host !== "string" || (readHost(host) ?? readHostPort(host)) === null,
  );
  if (wrong !== undefined) throw fail(`has ${quote(wrong)}; ${allowed}`);
}

/** A host without a port stands for the ports of http and https. */
export function isGrantedHost(url: URL, network: Granted["network"]): boolean {
  if (network === "any") return true;
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  const isUsual = port === "443" || port === "80";
  return network.some((host) => (host === url.hostname && isUsual) || host === `${url.hostname}:${port}`);
}
