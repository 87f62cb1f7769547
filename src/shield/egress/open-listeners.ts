// Opens listening sockets in the cell's network namespace. A process that has entered the namespace creates them and
// hands them over; from then on hotcell itself accepts the connections, and nothing of hotcell runs in the cell.
import { spawn } from "node:child_process";
import type { Server } from "node:net";
import { fileURLToPath } from "node:url";
import { HotcellError } from "../../core/errors.ts";
import { HELPER_OPTIONS } from "../../workspace/fs/helper-environment.ts";
import type { Listener } from "./plan-egress.ts";

const CHILD = fileURLToPath(new URL("./listener-child.js", import.meta.url));

/** Descriptors of the cell's network namespace, and of the user namespace that owns it if hotcell is not root. */
export interface CellNamespace {
  readonly userFd: number | null;
  readonly networkFd: number;
}

/** The process gets the descriptors itself: hotcell may close its own before the process uses them. */
const [NETWORK_FD, USER_FD] = [4, 5];

/** The servers in the order of `listeners`. */
export async function openListeners(
  { userFd, networkFd }: CellNamespace,
  listeners: readonly Listener[],
): Promise<readonly Server[]> {
  const user = userFd === null ? [] : [`--user=/proc/self/fd/${USER_FD}`, "--preserve-credentials"];
  const enter = [...user, `--net=/proc/self/fd/${NETWORK_FD}`, "--"];
  const child = spawn("nsenter", [...enter, process.execPath, CHILD, JSON.stringify(listeners)], {
    ...HELPER_OPTIONS,
    stdio: ["ignore", "ignore", "pipe", "ipc", networkFd, ...(userFd === null ? [] : [userFd])],
  });
  const servers = new Map<number, Server>();
  let said = "";
  child.stderr!.on("data", (chunk) => {
    said += chunk;
  });
  child.on("message", (index, handle) => {
    servers.set(Number(index), handle as Server);
  });
  await new Promise<void>((resolve, reject) => {
    child.once("error", (error) => reject(cannotListen(error.message)));
    child.once("close", () =>
      servers.size === listeners.length ? resolve() : reject(cannotListen(said.trim())),
    );
  }).catch((error) => {
    for (const server of servers.values()) server.close();
    throw error;
  });
  return listeners.map((_, index) => servers.get(index)!);
}

function cannotListen(reason: string): HotcellError {
  return new HotcellError(
    "NO_SANDBOX",
    `Could not open the cell's way to granted hosts: ${reason}. Run hotcell doctor.`,
  );
}
