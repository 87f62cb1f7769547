// Unix sockets of the host in directories that commands see. A read-only mount does not prevent a connection to them.
import fs from "node:fs";
import path from "node:path";
import { isBelow } from "../../workspace/fs/path-text.ts";
import type { Hidden } from "./system-root.ts";

/** The kernel's table of the sockets in the host's network namespace. */
const TABLE = "/proc/net/unix";

/** The sockets below these directories, to be hidden from a command. */
export function findHostSockets(directories: readonly string[], table = readTable()): Hidden[] {
  const found = namesIn(table).flatMap((name) => locate(name, directories));
  return [...new Set(found)].map((at) => ({ at, kind: "file" }));
}

function readTable(): string {
  return fs.readFileSync(TABLE, "utf8");
}

/** Names are as given to bind(2). Abstract names begin with @. */
function namesIn(table: string): string[] {
  const names = table.split("\n").map((line) => /^(?:\S+\s+){6}\S+ (\/.*)$/.exec(line)?.[1]);
  return names.filter((name) => name !== undefined);
}

/** Resolves links on the way, as a service may have bound its socket by another path of the same directory. */
function locate(name: string, directories: readonly string[]): string[] {
  try {
    const at = path.join(fs.realpathSync(path.dirname(name)), path.basename(name));
    const isSeen = directories.some((directory) => isBelow(at, directory)) && fs.lstatSync(at).isSocket();
    return isSeen ? [at] : [];
  } catch {
    return [];
  }
}
