// Hosts of other networks and name servers. They are in a network namespace that the test makes, so that a process
// outside the cell reaches them: what a command does not reach is there.
import { execFile } from "node:child_process";
import fs from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { IS_ROOT } from "../../kit/is-root.ts";
import { removeTree } from "../../kit/remove-tree.ts";

const CHILD = fileURLToPath(new URL("../../kit/children/network-child.mjs", import.meta.url));
/** Gives the namespace its addresses and its name server. The name server has a port that only root may open. */
const SET_UP = `set -e
ip link set lo up
for address in 10.0.0.1 10.0.0.53 169.254.169.254 203.0.113.7; do ip address add $address/32 dev lo; done
echo 0 > /proc/sys/net/ipv4/ip_unprivileged_port_start
mount --bind "$1/resolv.conf" /etc/resolv.conf
shift
exec "$@"`;
/** An ordinary user is root in a user namespace for the set-up, and again an ordinary user in the next. */
const BECOME_ROOT = IS_ROOT ? [] : ["--map-root-user"];
const BECOME_USER = IS_ROOT ? [] : ["unshare", "--map-user=1000", "--map-group=1000"];

let top: string;
let found: Readonly<Record<"outside" | "inside", Readonly<Record<string, string>>>>;

beforeAll(async () => {
  top = fs.mkdtempSync("/var/tmp/hotcell-lan-");
  fs.mkdirSync(`${top}/project`);
  fs.writeFileSync(`${top}/resolv.conf`, "nameserver 10.0.0.53\n");
  const inNamespace = [...BECOME_USER, process.execPath, CHILD, top];
  const { stdout } = await promisify(execFile)("unshare", [
    ...BECOME_ROOT,
    ...["--net", "--mount", "bash", "-c", SET_UP, "set-up", top],
    ...inNamespace,
  ]);
  found = JSON.parse(stdout);
});
afterAll(() => removeTree(top));

test.each([
  ["a host of the LAN", "lan", "this is 10.0.0.1", "ENETUNREACH"],
  ["the metadata service", "metadata", "this is 169.254.169.254", "ENETUNREACH"],
  ["a public host", "public", "this is 203.0.113.7", "ENETUNREACH"],
  ["a name server by TCP", "nameServerByTcp", "this is 10.0.0.53", "ENETUNREACH"],
  ["a name server by UDP", "nameServerByUdp", "10.0.0.1", "ENETUNREACH"],
  ["the address of a name", "name", "10.0.0.1", "EAI_AGAIN"],
])(
  "without a grant a command does not reach %s; a process outside the cell does",
  (_what, key, outside, inside) => {
    expect([found.outside[key], found.inside[key]]).toEqual([outside, inside]);
  },
);
