// The Landlock tier on a session's copy of a project, with files and a process outside that it must not reach.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { createProtection } from "../../../src/policy/protected.ts";
import { NO_TOOLCHAINS } from "../../../src/shield/host/user-toolchains.ts";
import { openLandlockTier } from "../../../src/shield/landlock/landlock-tier.ts";
import type { CommandEnd, CommandLimits } from "../../../src/shield/process/command.ts";
import { openCommandView } from "../../../src/shield/process/command-view.ts";
import { DEFAULT_LIMITS, limitReport } from "../../../src/shield/process/limits.ts";
import type { StartedProcess } from "../../../src/shield/process/start-process.ts";
import { supervise } from "../../../src/shield/process/supervise.ts";
import { startDiskMeter } from "../../../src/shield/process/watch-usage.ts";
import type { PlantedTree } from "./planted-tree.ts";
import { makeSessionWorld } from "./session-world.ts";

export interface Ran extends CommandEnd {
  readonly stdout: string;
  readonly stderr: string;
}

export interface LandlockTierWorld {
  readonly top: string;
  readonly project: string;
  readonly stateDir: string;
  /** The copy that commands work in. */
  readonly copy: string;
  readonly outside: string;
  readonly port: number;
  /** A process outside, of the same user. */
  readonly victim: number;
  run(script: string, limits?: Partial<CommandLimits>, signal?: AbortSignal): Promise<Ran>;
  start(script: string): Promise<StartedProcess>;
  runArgv(argv: readonly [string, ...string[]], options?: RunOptions): Promise<Ran>;
  /** The same without a sandbox, in the project. */
  free(script: string): { readonly status: number | null; readonly stderr: string };
  remove(): Promise<void>;
}

interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stderrToStdout?: boolean;
  readonly limits?: Partial<CommandLimits>;
  readonly signal?: AbortSignal;
}

export async function makeLandlockTierWorld(
  files: PlantedTree,
  toolchainsIn: (top: string) => readonly string[] = () => [],
): Promise<LandlockTierWorld> {
  const world = makeSessionWorld(files);
  const outside = path.join(world.top, "outside");
  fs.mkdirSync(outside);
  const session = await world.create("clone");
  const { project, stateDir } = world;
  const opened = { workspace: session.workspace, session, stateDir, run: session.record.id, close() {} };
  const commandView = openCommandView(opened, createProtection());
  const tier = await openLandlockTier({
    commandView,
    toolchains: { named: toolchainsIn(world.top), user: NO_TOOLCHAINS },
    env: {},
  });
  const tcp = await listen({ port: 0, host: "127.0.0.1" });
  const servers = [tcp, await listen(path.join(outside, "socket"))];
  const victim = spawn("sleep", ["1000"], { stdio: "ignore" });

  const runArgv = async (argv: readonly [string, ...string[]], options: RunOptions = {}): Promise<Ran> => {
    const { cwd = project, env = {}, stderrToStdout = false } = options;
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    const out = { stdout: "", stderr: "" };
    const started = await tier.start(
      { argv, cwd, env, stderrToStdout },
      { stdio: "captured", limits, onBegin: () => {} },
    );
    const usage = {
      limits,
      report: limitReport(tier, false),
      pid: started.pid,
      isHomeOver: () => false,
      isDiskOver: startDiskMeter(commandView.disk)(limits.diskBytes),
    };
    const end = await supervise(started, {
      limits,
      usage,
      signal: options.signal ?? new AbortController().signal,
      onOutput(stream, bytes) {
        out[stream] += bytes;
      },
      ranOutOfMemory: () => false,
    });
    return { ...end, ...out };
  };
  return {
    top: world.top,
    project,
    stateDir,
    copy: commandView.copy!.directory,
    outside,
    port: (tcp.address() as net.AddressInfo).port,
    victim: victim.pid!,
    start: (script) =>
      tier.start(
        { argv: ["bash", "-c", script], cwd: project },
        { stdio: "captured", limits: DEFAULT_LIMITS, onBegin: () => {} },
      ),
    runArgv,
    run: (script, limits, signal) =>
      runArgv(["bash", "-c", script], { ...(limits && { limits }), ...(signal && { signal }) }),
    free: (script) => spawnSync("bash", ["--norc", "-c", script], { cwd: project, encoding: "utf8" }),
    async remove() {
      victim.kill("SIGKILL");
      for (const server of servers) server.close();
      tier.close();
      await commandView.close();
      world.remove();
    },
  };
}

async function listen(where: string | net.ListenOptions): Promise<net.Server> {
  const server = net.createServer((socket) => socket.destroy()).listen(where);
  await once(server, "listening");
  return server;
}

/** Processes that have this word among their arguments. */
export function processesWith(word: string): number[] {
  return fs
    .readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && commandLine(name).includes(word))
    .map(Number);
}

function commandLine(pid: string): readonly string[] {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
  }
}
