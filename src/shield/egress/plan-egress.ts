// Plans the addresses at which commands find the hosts that rules name. Clients that ignore proxies use these.
import type { HostPort } from "../../core/host-name.ts";
import { LIMITS } from "../../core/limits.ts";

export interface Listener {
  /** An address of loopback in the cell's network namespace. */
  readonly address: string;
  readonly port: number;
  /** The only host that is reached there; null for the proxy. */
  readonly host: string | null;
}

export interface EgressPlan {
  readonly listeners: readonly Listener[];
  /** The content of `/etc/hosts` in the cell. */
  readonly hostsFile: string;
  /** The variables by which clients find the proxy. */
  readonly env: Readonly<Record<string, string>>;
}

// No server of a project listens at these addresses, unless it listens at all addresses.
const addressOf = (index: number): string => `127.64.${index >> 8}.${index & 255}`;
const PROXY_INDEX = 1;
const PROXY_PORT = 3128;

export function planEgress(targets: readonly HostPort[]): EgressPlan {
  const hosts = [...new Set(targets.map(({ host }) => host))].slice(0, LIMITS.maxNamedHosts);
  const addresses = new Map(hosts.map((host, index) => [host, addressOf(PROXY_INDEX + 1 + index)]));
  const named = targets.flatMap(({ host, port }) => {
    const address = addresses.get(host);
    return address === undefined ? [] : [{ address, port, host }];
  });
  const lines = [...LOOPBACK_NAMES, ...[...addresses].map(([host, address]) => `${address} ${host}`)];
  return {
    listeners: [{ address: addressOf(PROXY_INDEX), port: PROXY_PORT, host: null }, ...unique(named)],
    hostsFile: lines.map((line) => `${line}\n`).join(""),
    env: proxyVariables(`http://${addressOf(PROXY_INDEX)}:${PROXY_PORT}`),
  };
}

const LOOPBACK_NAMES = ["127.0.0.1 localhost cell", "::1 localhost ip6-localhost ip6-loopback"];

function unique(listeners: readonly Listener[]): Listener[] {
  return [...new Map(listeners.map((listener) => [`${listener.host}:${listener.port}`, listener])).values()];
}

/** In both cases of letters: programs differ in which one they read. */
function proxyVariables(proxy: string): Record<string, string> {
  const own = "localhost,127.0.0.1,::1,.localhost";
  const variables = { http_proxy: proxy, https_proxy: proxy, no_proxy: own };
  const upper = Object.entries(variables).map(([name, value]) => [name.toUpperCase(), value]);
  return { ...variables, ...Object.fromEntries(upper) };
}
