// The guest processes of hotcell's own program.
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type GuestSandboxes, openGuestSandboxes } from "../../../shield/guest/guest-sandbox.ts";
import { createGuestPool, type GuestPool } from "./guest-pool.ts";
import { createGuestProcess } from "./guest-process.ts";

const CHILD = fileURLToPath(new URL("../guest/guest-child.js", import.meta.url));
/** The folder of the package's code, of which a guest sees nothing but this. */
const CODE = path.resolve(path.dirname(CHILD), "../../..");
const MiB = 1024 * 1024;

export interface GuestProcesses {
  /** Opened by the first use. */
  readonly pool: GuestPool;
  close(): Promise<void>;
}

export function openGuestProcesses(size: number, maxMemoryMiB: number): GuestProcesses {
  let opened: { readonly sandboxes: GuestSandboxes; readonly pool: GuestPool } | null = null;
  const open = () => {
    const sandboxes = openGuestSandboxes({ code: CODE, main: path.relative(CODE, CHILD) });
    const start = () => createGuestProcess(sandboxes.start(maxMemoryMiB * MiB));
    return { sandboxes, pool: createGuestPool({ size, start }) };
  };
  return {
    get pool() {
      opened ??= open();
      return opened.pool;
    },
    async close() {
      await opened?.pool.close();
      opened?.sandboxes.close();
    },
  };
}
