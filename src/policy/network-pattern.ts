// Patterns of rules about the network: `registry.example.com:443`, `*.example.com:443`, `example.com:*`.
import { domainToASCII } from "node:url";
import { formatHostPort, type HostPort, readHostName, readHostPort } from "../core/host-name.ts";
import { quote } from "../core/quote.ts";

/** The name of this machine's own loopback, as commands see it. */
export const THIS_MACHINE = "host.hotcell.internal";

interface NetworkPattern {
  /** `*` for every host. */
  readonly host: string;
  /** Null for every port. */
  readonly port: number | null;
}

export function normalizeNetworkPattern(pattern: string): string {
  return pattern.toLowerCase().replace(/\.(?=:[^:]*$)/, "");
}

/** Why a pattern cannot match any host, and what to write instead; null if it can. */
export function findNetworkPatternFault(pattern: string): string | null {
  const url = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)/i.exec(pattern);
  if (url) return `a rule names a host and a port, no URL; write ${suggest(url[2]!, url[1]!.toLowerCase())}`;
  const [place = "", ...path] = pattern.split("/");
  if (path.length > 0) return `a rule names a host and a port, no path; write ${suggest(place)}`;
  if (!/:[^:\]]*$/.test(pattern)) return `it has no port; write ${suggest(pattern)}`;
  const { host, port } = splitPattern(pattern);
  if (port !== "*" && readHostPort(`x:${port}`) === null)
    return `${quote(port)} is no port; write a number from 1 to 65535, or *`;
  return findHostFault(host, port);
}

function findHostFault(host: string, port: string): string | null {
  if (host === "*") return null;
  const name = readHostName(host.replace(/^\*\./, ""));
  if (name === null)
    return /^[\d.]+$|^\[/.test(host)
      ? "commands reach hosts by name, not by address; write the name of the host"
      : `${quote(host)} is no host name; write it like ${quote(asciiName(host) ?? "example.com")} or "*.example.com"`;
  if (/(^|\.)localhost$/.test(name))
    return `in a command localhost is the cell itself; write ${quote(`network(${THIS_MACHINE}:${port})`)} for this machine`;
  const isThisMachine = THIS_MACHINE === name || THIS_MACHINE.endsWith(`.${name}`);
  return isThisMachine && (host !== THIS_MACHINE || port === "*")
    ? `${THIS_MACHINE} is this machine: it needs a rule with its name and one port; write "network(${THIS_MACHINE}:3000)"`
    : null;
}

/** A name with letters of other scripts, as name servers know it; null if the host is no such name. */
function asciiName(host: string): string | null {
  const ascii = domainToASCII(host);
  return /(^|\.)xn--/.test(ascii) ? readHostName(ascii) : null;
}

/** A rule in quotes, with the port that the scheme stands for. */
function suggest(place: string, scheme = "https"): string {
  const hasPort = /:(\d+|\*)$/.test(place);
  return quote(`network(${place}${hasPort ? "" : scheme === "http" ? ":80" : ":443"})`);
}

function splitPattern(pattern: string): { readonly host: string; readonly port: string } {
  const at = pattern.lastIndexOf(":");
  return { host: pattern.slice(0, at), port: pattern.slice(at + 1) };
}

function readPattern(pattern: string): NetworkPattern {
  const { host, port } = splitPattern(pattern);
  return { host, port: port === "*" ? null : Number(port) };
}

/** Takes `host:port` as `formatHostPort` writes it. */
export function compileNetworkPattern(pattern: string): (subject: string) => boolean {
  const wanted = readPattern(pattern);
  return (subject) => {
    const target = readHostPort(subject);
    return target !== null && (wanted.port === null || wanted.port === target.port) && covers(wanted, target);
  };
}

function covers({ host }: NetworkPattern, target: HostPort): boolean {
  if (target.host === THIS_MACHINE) return host === THIS_MACHINE;
  if (host === "*") return true;
  return host.startsWith("*.") ? target.host.endsWith(host.slice(1)) : target.host === host;
}

/** The exact names and ports of a pattern; null if it has a wildcard. */
export function exactTarget(pattern: string): HostPort | null {
  const { host, port } = readPattern(pattern);
  return port === null || host.startsWith("*") ? null : { host, port };
}

/** The rule that allows exactly this host and port; null if no rule can: for an address, and for the cell's own loopback. */
export function networkRule(target: HostPort): string | null {
  const pattern = formatHostPort(target);
  return findNetworkPatternFault(pattern) === null ? `allow network(${pattern})` : null;
}
