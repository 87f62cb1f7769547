// The full tier: user, mount, pid, ipc, uts and net namespaces of the command's own, a minimal read-only system,
// no capabilities, a seccomp filter.
import fs from "node:fs";
import { enterArgs, FURNITURE } from "../workspace/overlay/room.ts";
import { createMark, endAbandoned } from "./abandoned.ts";
import { BASE_ENV, bwrapArgs, type Enclosure } from "./bwrap-args.ts";
import type { ShieldedCommand } from "./command.ts";
import { type Ground, isInEtc } from "./ground.ts";
import { limitScript } from "./limits.ts";
import { openNetwork } from "./network.ts";
import { seccompFilter } from "./seccomp.ts";
import { createSurroundings } from "./spawn-alone.ts";
import { startProcess } from "./start-process.ts";
import { readSystemRoot } from "./system-root.ts";
import type { Tier } from "./tier.ts";

export interface NamespacesOptions {
  readonly ground: Ground;
  /** Directories outside the system that commands may read and run from. */
  readonly toolchains: readonly string[];
  /** Variables that every command has. */
  readonly env: Readonly<Record<string, string>>;
}

export async function openNamespacesTier({ ground, toolchains, env }: NamespacesOptions): Promise<Tier> {
  const isRoot = process.getuid?.() === 0;
  const user = isRoot ? ground.owner : { uid: process.getuid!(), gid: process.getgid!() };
  const asRoot = user.uid === 0;
  const network = await openNetwork(await ground.room());
  const system = readSystemRoot(toolchains);
  const surroundings = createSurroundings();
  const mark = createMark();
  endAbandoned();
  const hidden = ground.hidden().filter(({ at }) => !isInEtc(at));
  const seccomp = seccompFilter({ arch: process.arch as "x64" | "arm64", enclosed: "namespaces" });

  const enclosureOf = async (command: ShieldedCommand): Promise<Enclosure> => ({
    view: FURNITURE.view,
    project: ground.project,
    system,
    masked: [...hidden, ...(await ground.masked())],
    ...user,
    cwd: command.cwd,
    readOnly: command.readOnly ?? false,
    env: command.bareEnv
      ? (command.env ?? {})
      : { ...BASE_ENV, PATH: system.searchPath, ...env, ...command.env },
  });
  return {
    isolation: "full",
    asRoot,
    async start(command, { attached, limits, place, onBegin }) {
      const room = await ground.room();
      const enclosure = await enclosureOf(command);
      return startProcess({
        entry: [
          ...enterArgs(room, [`--net=/proc/${process.pid}/fd/${network}`]),
          ...(isRoot && !asRoot ? becoming(user) : []),
        ],
        bwrapArgs: (descriptors) => bwrapArgs(enclosure, descriptors),
        seccomp,
        // bubblewrap itself sets PWD.
        limits: limitScript(limits),
        argv: [...(command.bareEnv ? ["env", "-u", "PWD"] : []), ...command.argv],
        attached,
        surroundings,
        mark,
        place,
        onBegin,
      });
    },
    close() {
      surroundings.pipes.close();
      fs.closeSync(network);
    },
  };
}

/** As root a command runs as the owner of the project. */
function becoming({ uid, gid }: { readonly uid: number; readonly gid: number }): string[] {
  return ["setpriv", "--reuid", `${uid}`, "--regid", `${gid}`, "--clear-groups", "--"];
}
