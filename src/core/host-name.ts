// Host names and ports, as rules, URLs, proxies and the configuration write them.
import { isIPv4, isIPv6 } from "node:net";

export interface HostPort {
  /** A name in lower case without a final dot, or an IP address without brackets. */
  readonly host: string;
  readonly port: number;
}

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const MAX_NAME_CHARS = 253;
const MAX_PORT = 65_535;

/** Null if the text is neither a host name nor an IP address. An IPv6 address has brackets, as in a URL. */
export function readHost(text: string): string | null {
  if (text.startsWith("[") && text.endsWith("]")) return readIPv6(text.slice(1, -1));
  return isIPv4(text) ? text : readHostName(text);
}

/** Null for an IP address in any spelling: resolvers read `127.1` and `0x7f000001` as addresses. */
export function readHostName(text: string): string | null {
  const name = text.toLowerCase().replace(/\.$/, "");
  const labels = name.split(".");
  const isName = name.length <= MAX_NAME_CHARS && labels.every((label) => LABEL.test(label));
  return isName && !/^(?:\d+|0x[0-9a-f]*)$/.test(labels.at(-1)!) ? name : null;
}

/** One spelling for each address. A zone (`%eth0`) is refused. */
function readIPv6(text: string): string | null {
  if (!isIPv6(text) || text.includes("%")) return null;
  return new URL(`http://[${text}]/`).hostname.slice(1, -1);
}

/** Reads `host:port`; null if it is anything else. */
export function readHostPort(text: string): HostPort | null {
  const [, written = "", digits = ""] = /^(.*):(\d{1,5})$/s.exec(text) ?? [];
  const host = readHost(written);
  const port = Number(digits);
  return host !== null && port > 0 && port <= MAX_PORT ? { host, port } : null;
}

export function formatHostPort({ host, port }: HostPort): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
