// A directory for sandboxed commands, a directory beside it, and functions that run commands with and without the sandbox.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { type LandlockPlan, launcherArgs } from "../../../src/shield/landlock/landlock.ts";
import type { Arch } from "../../../src/shield/seccomp/syscall-table.ts";

export interface LandlockWorld {
  readonly inside: string;
  readonly outside: string;
  readonly port: number;
  /** A process outside, of the same user. */
  readonly victim: number;
  /** The abstract unix socket on which it listens, without its leading zero. */
  readonly abstractName: string;
  free(argv: Argv): Ended;
  shut(argv: Argv, filter: Buffer, plan?: Partial<LandlockPlan>): Ended;
  /** Undoes all changes of the attempts. */
  tidy(): void;
  remove(): void;
}

export type Argv = readonly [string, ...string[]];

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

// Git and Node fail if they find settings that they cannot read.
const SETTINGS = ["/etc/ld.so.cache", "/etc/alternatives", "/etc/gitconfig", "/etc/ssl/openssl.cnf"];
const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/proc", "/dev/urandom", ...SETTINGS];
/** The environment of the launcher, which needs perl. The command does not get it. */
const LAUNCHER_ENV = { PATH: "/usr/bin:/bin", OUTSIDE: "yes" };
const NODE = path.dirname(path.dirname(process.execPath));

export async function makeLandlockWorld(): Promise<LandlockWorld> {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), "landlock-"));
  const [inside, outside] = [path.join(root, "inside"), path.join(root, "outside")];
  fs.mkdirSync(inside);
  fs.mkdirSync(outside);
  fs.writeFileSync(`${outside}/secret`, "secret\n");
  const abstractName = path.basename(root);
  const tcp = await listen({ port: 0, host: "127.0.0.1" });
  const servers = [tcp, await listen(`${outside}/socket`)];
  const victim = await startVictim(abstractName);
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: inside, LANG: "C" };

  function shut(argv: Argv, filter: Buffer, plan: Partial<LandlockPlan> = {}): Ended {
    const writable = [inside, "/dev/null"];
    const readable = [...SYSTEM, NODE];
    const arch = os.arch() as Arch;
    const descriptors = { link: 3, seccomp: 4, env: 5 };
    const given = { arch, readable, writable, descriptors, limiter: [], argv, ...plan };
    const [program, ...args] = launcherArgs(given);
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}\0`);
    return withFile(path.join(root, "filter"), filter, (filterFd) =>
      withFile(path.join(root, "env"), Buffer.from(variables.join("")), (envFd) => {
        // The last descriptor simulates one that leaks into the command.
        const stdio = ["ignore", "pipe", "pipe", "ignore", filterFd, envFd, envFd] as const;
        const options = { encoding: "utf8", env: LAUNCHER_ENV, cwd: inside } as const;
        return ended(spawnSync(program!, args, { ...options, stdio: [...stdio] }));
      }),
    );
  }

  return {
    inside,
    outside,
    port: (tcp.address() as net.AddressInfo).port,
    abstractName,
    victim: victim.pid!,
    free: ([command, ...args]) => ended(spawnSync(command, args, { encoding: "utf8", env, cwd: inside })),
    shut,
    tidy() {
      for (const name of ["made", "mine", "fifo"]) fs.rmSync(`${outside}/${name}`, { force: true });
      fs.rmSync(`${inside}/linked`, { force: true });
      fs.writeFileSync(`${outside}/program`, "#!/bin/sh\n", { mode: 0o755 });
    },
    remove() {
      victim.kill("SIGKILL");
      for (const server of servers) server.close();
      fs.rmSync(root, { recursive: true });
    },
  };
}

/** In Perl, because Node's handling of abstract names depends on its version. */
const VICTIM = `
socket(S, PF_UNIX, SOCK_STREAM, 0) && bind(S, pack_sockaddr_un("\\0$ARGV[0]")) && listen(S, 9) or die "$!\\n";
$| = 1; print "listens\\n"; sleep`;

async function startVictim(abstractName: string): Promise<ChildProcess> {
  const victim = spawn("perl", ["-MSocket", "-e", VICTIM, abstractName], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(victim.stdout!, "data");
  return victim;
}

async function listen(where: string | net.ListenOptions): Promise<net.Server> {
  const server = net.createServer((socket) => socket.destroy()).listen(where);
  await once(server, "listening");
  return server;
}

function withFile<T>(at: string, bytes: Buffer, use: (fd: number) => T): T {
  fs.writeFileSync(at, bytes);
  const fd = fs.openSync(at, "r");
  try {
    return use(fd);
  } finally {
    fs.closeSync(fd);
  }
}

function ended({ status, stdout, stderr }: Ended): Ended {
  return { status, stdout, stderr };
}
