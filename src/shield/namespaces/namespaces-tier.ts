// The full tier: separate user, mount, pid, ipc, uts and net namespaces, a minimal read-only system, no capabilities,
// a seccomp filter.
import fs from "node:fs";
import { argumentsText, enterArgs } from "../../workspace/overlay/mount-namespace.ts";
import { createMark, endAbandoned } from "../process/abandoned.ts";
import {
  BASE_ENV,
  bwrapArgs,
  type Enclosure,
  GIT_SETTINGS,
  isBelow,
  rootArgs,
} from "../process/bwrap-args.ts";
import type { ShieldedCommand } from "../process/command.ts";
import type { Ground } from "../process/command-view.ts";
import { withGitSettings } from "../process/git-settings.ts";
import { limitScript } from "../process/limits.ts";
import { commandText, DESCRIPTORS, entranceLine } from "../process/sandbox-command-line.ts";
import { createSurroundings } from "../process/spawn-isolated.ts";
import { startProcess } from "../process/start-process.ts";
import { readSystemRoot } from "../process/system-root.ts";
import type { Tier } from "../process/tier.ts";
import { seccompFilter } from "../seccomp/seccomp.ts";
import { openNetwork } from "./network.ts";
import { createEntrances } from "./sandbox-pool.ts";

export interface NamespacesOptions {
  readonly ground: Ground;
  /** Directories outside the system that commands may read and run from. */
  readonly toolchains: readonly string[];
  /** Environment variables of every command. */
  readonly env: Readonly<Record<string, string>>;
}

export async function openNamespacesTier({ ground, toolchains, env }: NamespacesOptions): Promise<Tier> {
  const isRoot = process.getuid?.() === 0;
  const user = isRoot ? ground.owner : { uid: process.getuid!(), gid: process.getgid!() };
  const asRoot = user.uid === 0;
  const { project, storage } = ground;
  const hidden = ground.hidden();
  const system = readSystemRoot(toolchains);
  const root = rootArgs({ project, storage, system, hidden });
  const network = await openNetwork(await ground.room(root));
  const surroundings = createSurroundings();
  const entrances = createEntrances(surroundings);
  const mark = createMark();
  endAbandoned();
  // The view is mounted over the root, so paths hidden in the root are visible again in the view.
  const hiddenInView = hidden.filter(({ at }) => isBelow(at, project));
  const seccomp = seccompFilter({ arch: process.arch as "x64" | "arm64", enclosed: "namespaces" });

  const common = { ...BASE_ENV, PATH: system.searchPath, ...env };

  const enclosureOf = async (command: ShieldedCommand): Promise<Enclosure> => ({
    project,
    storage,
    masked: [...hiddenInView, ...(await ground.masked())],
    ...user,
    readOnly: command.readOnly ?? false,
  });
  return {
    isolation: "full",
    asRoot,
    async start(command, { attached, limits, onBegin }) {
      const room = await ground.room(root);
      const enclosure = await enclosureOf(command);
      const text = commandText({
        cwd: command.cwd,
        limits: limitScript(limits),
        env: command.bareEnv
          ? { ...command.env }
          : withGitSettings(GIT_SETTINGS, { ...common, ...command.env }),
        hasPwd: !command.bareEnv,
        argv: command.argv,
        stderrToStdout: command.stderrToStdout ?? false,
      });
      const entry = enterArgs(room, [
        `--net=/proc/${process.pid}/fd/${network}`,
        ...(isRoot && !asRoot ? setUserArgs(user) : []),
      ]);
      const entrance = entrances.open({
        room,
        line: entranceLine(entry, mark),
        attached,
        enclosure: argumentsText(bwrapArgs(enclosure, DESCRIPTORS)),
        isPlain: enclosure.masked.length === 0 && storage === null,
        seccomp,
        limits,
      });
      return startProcess({
        entrance,
        command: text,
        onBegin() {
          onBegin();
          entrances.prepare();
        },
      });
    },
    async close() {
      await entrances.close();
      surroundings.pipes.close();
      fs.closeSync(network);
    },
  };
}

/** If hotcell runs as root, a command runs as the owner of the project, without supplementary groups. */
function setUserArgs({ uid, gid }: { readonly uid: number; readonly gid: number }): string[] {
  return [`--setgid=${gid}`, `--setuid=${uid}`];
}
