// Which addresses are not public. The ranges are those of IANA's special-purpose registries, for both families.
import { BlockList, isIPv4, isIPv6 } from "node:net";

const PRIVATE_IPV4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  // Azure's host agent: a public number with a local meaning.
  "168.63.129.16/32",
];

/** The only range of IPv6 that is routed in public, and the parts of it that are not. */
const PUBLIC_IPV6 = ["2000::/3"];
const PRIVATE_IPV6 = ["2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"];

/** An IPv4 address in their last 32 bits: IPv4-mapped, and NAT64, by which networks without IPv4 reach public servers. */
const EMBEDDING = ["::ffff:0:0/96", "64:ff9b::/96"];

const privateIPv4 = blockList(PRIVATE_IPV4, "ipv4");
const publicIPv6 = blockList(PUBLIC_IPV6, "ipv6");
const privateIPv6 = blockList(PRIVATE_IPV6, "ipv6");
const embedding = blockList(EMBEDDING, "ipv6");

/**
 * Whether an address is private, loopback, link-local, multicast, reserved, or not an address at all: everything that a
 * request to a public server never needs.
 */
export function isPrivateIP(ip: string): boolean {
  if (isIPv4(ip)) return privateIPv4.check(ip, "ipv4");
  if (!isIPv6(ip) || ip.includes("%")) return true;
  if (embedding.check(ip, "ipv6")) return privateIPv4.check(embeddedIPv4(ip), "ipv4");
  return !publicIPv6.check(ip, "ipv6") || privateIPv6.check(ip, "ipv6");
}

function embeddedIPv4(ip: string): string {
  const written = /(?:^|:)(\d+\.\d+\.\d+\.\d+)$/.exec(ip)?.[1];
  if (written !== undefined) return written;
  // `::` may stand for the last groups too: the URL parser's spelling never ends in it unless both are zero.
  const groups = new URL(`http://[${ip}]/`).hostname.slice(1, -1).split(":").slice(-2);
  const [high = 0, low = 0] = groups.map((group) => Number.parseInt(group || "0", 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

function blockList(ranges: readonly string[], family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [net = "", prefix] = range.split("/");
    list.addSubnet(net, Number(prefix), family);
  }
  return list;
}
