// The network namespace of a cell. It has only loopback, and all commands of the cell share it.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { HELPER_OPTIONS } from "../../workspace/fs/helper-environment.ts";
import { enterArgs, type MountNamespace } from "../../workspace/overlay/mount-namespace.ts";

// bubblewrap brings loopback up.
const HOLD = ["bwrap", "--unshare-net", "--dev-bind", "/", "/", "--", "sh", "-c", "echo $$ && read _"];

/** Returns a file descriptor that keeps the namespace alive. */
export async function openNetwork(mountNamespace: MountNamespace): Promise<number> {
  const line = [...enterArgs(mountNamespace), ...HOLD];
  const helper = spawn(line[0]!, line.slice(1), {
    ...HELPER_OPTIONS,
    stdio: ["pipe", "pipe", "ignore"],
  });
  try {
    return fs.openSync(`/proc/${await pidOf(helper)}/ns/net`, fs.constants.O_RDONLY);
  } finally {
    helper.stdin!.end();
  }
}

async function pidOf(helper: ChildProcess): Promise<number> {
  const [said] = await Promise.race([once(helper.stdout!, "data"), once(helper, "close").then(() => [""])]);
  return Number(said);
}
