// The full tier: separate user, mount, pid, ipc, uts and net namespaces, a minimal read-only system, no capabilities,
// a seccomp filter.
import fs from "node:fs";
import { HotcellError } from "../../core/errors.ts";
import { isBelow } from "../../workspace/fs/path-text.ts";
import { argumentsText, enterArgs } from "../../workspace/overlay/mount-namespace.ts";
import { openEgress } from "../egress/egress.ts";
import type { NetworkGate } from "../egress/network-gate.ts";
import { planEgress } from "../egress/plan-egress.ts";
import { createOwnerMark, endAbandoned } from "../process/abandoned.ts";
import {
  BASE_ENV,
  bwrapArgs,
  GIT_SETTINGS,
  HOME,
  HOSTS_FILE,
  rootArgs,
  type SandboxOptions,
} from "../process/bwrap-args.ts";
import type { ShieldedCommand } from "../process/command.ts";
import type { CommandView } from "../process/command-view.ts";
import { withGitSettings } from "../process/git-settings.ts";
import { findHostSockets } from "../process/host-sockets.ts";
import { limitScript } from "../process/limits.ts";
import { commandScript, DESCRIPTORS, sandboxCommandLine } from "../process/sandbox-command-line.ts";
import { createSpawnResources } from "../process/spawn-isolated.ts";
import { startProcess } from "../process/start-process.ts";
import { readSystemRoot, type Toolchains } from "../process/system-root.ts";
import type { Tier } from "../process/tier.ts";
import { seccompFilter } from "../seccomp/seccomp.ts";
import { ownTerminalSize } from "../terminal/connect-terminal.ts";
import { terminalEnv } from "../terminal/terminal-env.ts";
import { openNetwork } from "./network.ts";
import { createSandboxPool } from "./sandbox-pool.ts";

export interface NamespacesOptions {
  readonly commandView: CommandView;
  readonly toolchains: Toolchains;
  /** Environment variables of every command. */
  readonly env: Readonly<Record<string, string>>;
  /** The way of commands to granted hosts. */
  readonly gate: NetworkGate;
}

export async function openNamespacesTier(options: NamespacesOptions): Promise<Tier> {
  const { commandView, toolchains, env, gate } = options;
  const isRoot = process.getuid?.() === 0;
  const user = isRoot ? commandView.owner : { uid: process.getuid!(), gid: process.getgid!() };
  const asRoot = user.uid === 0;
  const { project, storage, repository, home } = commandView;
  refuseProjectInHome(commandView);
  const hidden = commandView.hidden();
  const system = readSystemRoot(toolchains);
  const plan = planEgress(gate.targets);
  // A link may lead to a place that commands do not see. Then the hosts are reached by the proxy only.
  const hasOwnHosts =
    !gate.isDirect && (fs.lstatSync(HOSTS_FILE, { throwIfNoEntry: false })?.isFile() ?? false);
  const args = rootArgs({ project, storage, repository, home, system, hidden, hasOwnHosts });
  const root = { root: args, hosts: plan.hostsFile };
  const mountNamespace = await commandView.openNamespace(root);
  const network = gate.isDirect ? null : await openNetwork(mountNamespace);
  const egress =
    network === null
      ? Promise.resolve(null)
      : openEgress({ userFd: mountNamespace.userFd, networkFd: network }, plan.listeners, gate);
  // Each command waits for it, and reports the error.
  egress.catch(() => {});
  const resources = createSpawnResources();
  const pool = createSandboxPool(resources);
  const mark = createOwnerMark();
  endAbandoned();
  // The view is mounted over the root, so paths hidden in the root are visible again in the view.
  const hiddenInView = hidden.filter(({ at }) => isBelow(at, project));
  // Abstract unix sockets belong to the network namespace.
  const confinement = commandView.isProject || gate.isDirect ? "project" : "session";
  const seccomp = seccompFilter({ arch: process.arch as "x64" | "arm64", confinement });
  const shownDirectories = storage === null ? system.shown : [...system.shown, storage];
  const hostSockets = () => (confinement === "session" ? findHostSockets(shownDirectories) : []);

  const common = { ...BASE_ENV, PATH: system.searchPath, ...(gate.isDirect ? {} : plan.env), ...env };

  const sandboxOptionsOf = async (command: ShieldedCommand): Promise<SandboxOptions> => ({
    project,
    storage,
    repository,
    masked: [...hiddenInView, ...hostSockets(), ...(await commandView.masked())],
    ...user,
    readOnly: command.readOnly ?? false,
  });
  return {
    isolation: "full",
    asRoot,
    async start(command, { stdio, limits, onBegin }) {
      const mountNamespace = await commandView.openNamespace(root);
      const options = await sandboxOptionsOf(command);
      const text = commandScript({
        cwd: command.cwd,
        limits: limitScript(limits),
        env: command.bareEnv
          ? { ...command.env }
          : withGitSettings(GIT_SETTINGS, {
              ...common,
              ...(stdio === "terminal" && terminalEnv(process.env)),
              ...command.env,
            }),
        hasPwd: !command.bareEnv,
        argv: command.argv,
        terminal: stdio === "terminal" ? ownTerminalSize() : null,
        stderrToStdout: command.stderrToStdout ?? false,
      });
      const entry = enterArgs(mountNamespace, [
        ...(network === null ? [] : [`--net=/proc/${process.pid}/fd/${network}`]),
        ...(isRoot && !asRoot ? setUserArgs(user) : []),
      ]);
      const sandbox = pool.open({
        mountNamespace,
        line: sandboxCommandLine(entry, mark),
        stdio,
        bwrapArgs: argumentsText(bwrapArgs(options, DESCRIPTORS)),
        isPlain: options.masked.length === 0 && storage === null,
        seccomp,
        limits,
      });
      return startProcess({
        ready: egress,
        sandbox,
        command: text,
        onBegin() {
          onBegin();
          pool.prepare();
        },
      });
    },
    async close() {
      await pool.close();
      (await egress.catch(() => null))?.close();
      resources.pipes.close();
      if (network !== null) fs.closeSync(network);
    },
  };
}

/** bubblewrap would make the mount point of the project in the home, along links that a program left there. */
function refuseProjectInHome({ home, project, storage, repository }: CommandView): void {
  const places = [project, storage, repository].filter((at) => at !== null);
  if (home === null || !places.some((at) => isBelow(at, HOME))) return;
  throw new HotcellError(
    "NOT_SUPPORTED",
    `Could not give the program a home that lasts: the project is below ${HOME}, which is the home of commands. Move the project, or run the program without a profile.`,
  );
}

/** If hotcell runs as root, a command runs as the owner of the project, without supplementary groups. */
function setUserArgs({ uid, gid }: { readonly uid: number; readonly gid: number }): string[] {
  return [`--setgid=${gid}`, `--setuid=${uid}`];
}
