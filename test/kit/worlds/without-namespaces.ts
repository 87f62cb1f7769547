// A user namespace in which no other can be created, as on a machine that does not allow them. For root only.
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { text } from "node:stream/consumers";
import type { Ended } from "./landlock-world.ts";

/** This process maps the ids from outside; then the child becomes root in its namespace. */
const BEGIN = 'echo ready; read _; exec setpriv --reuid 0 --regid 0 --clear-groups bash -c "$@"';
/** Each user namespace has its own settings. */
const FORBID =
  'echo 0 > /proc/sys/user/max_user_namespaces && exec setpriv --reuid "$1" --regid "$1" --clear-groups "${@:2}"';
const SAME_IDS = "0 0 65536";

/** Runs a program in the namespace, as this user. */
export async function runWithoutNamespaces(
  uid: number,
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Ended> {
  const args = ["--user", "bash", "--norc", "-c", BEGIN, "bash", FORBID, "bash", `${uid}`, ...argv];
  const child = spawn("unshare", args, { env: { ...process.env, ...env } });
  await once(child.stdout, "data");
  for (const map of ["uid_map", "gid_map"]) fs.writeFileSync(`/proc/${child.pid}/${map}`, SAME_IDS);
  child.stdin.end("\n");
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return { status, stdout, stderr };
}
