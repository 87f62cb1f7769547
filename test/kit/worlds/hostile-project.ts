// A project that attacks its users. Its programs write a mark outside the project if the host runs them. Commands of a cell
// cannot write there.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { onTestFinished } from "vitest";
import { tempDir } from "./temp-cell.ts";

export interface HostileProject {
  readonly root: string;
  readonly stateDir: string;
  /** Names of the programs of the project that ran on the host. */
  ran(): string[];
  /** Everything beside the project. It must not change. */
  outside(): string;
  /** An environment whose PATH has the project's programs first. */
  readonly env: Readonly<Record<string, string>>;
}

export const CANARY = "CANARY-OUTSIDE";

/** Links by name, with their targets relative to the project. Each target is a file with the canary. */
export function linksToFiles(top: string): Readonly<Record<string, string>> {
  return {
    "l-absolute": `${top}/outside/plain`,
    "l-relative": "../outside/plain",
    "l-chain": "l-chain2",
    "l-chain2": "l-dir/plain",
    "l-proc-root": `/proc/self/root${top}/outside/plain`,
    "l-proc-cwd": `/proc/self/cwd/../outside/plain`,
    "l-through-own-path": `${top}/ws/../outside/plain`,
  };
}

/** Programs that a cell uses, and programs that models often call. */
export const PROGRAMS = [
  ...["bash", "sh", "ls", "cat", "env", "git", "node"],
  ...["bwrap", "nsenter", "unshare", "prlimit", "setpriv", "mount", "mkdir", "cp"],
];

export const ODD_NAMES = [
  "new\nline",
  "-rf",
  "*",
  "$(touch x)",
  "a\u001b[2Jb",
  "back\\slash",
  " ",
  "n".repeat(255),
];

export async function makeHostileProject(): Promise<HostileProject> {
  const top = tempDir();
  fs.chmodSync(top, 0o755);
  const root = path.join(top, "ws");
  for (const dir of ["ws", "ran", "outside"]) fs.mkdirSync(path.join(top, dir));
  fs.writeFileSync(path.join(top, "outside/plain"), `${CANARY}\n`);
  fs.writeFileSync(path.join(root, "a.txt"), "a\n");
  plantRepository(root, top);
  plantPrograms(root, top);
  plantLinks(root, top);
  fs.mkdirSync(path.join(root, "odd"));
  for (const name of ODD_NAMES) fs.writeFileSync(path.join(root, "odd", name), "odd\n");
  execFileSync("mkfifo", [path.join(root, "fifo")]);
  const server = net.createServer().listen(path.join(root, "socket"));
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return {
    root,
    stateDir: path.join(top, "state"),
    ran: () => fs.readdirSync(path.join(top, "ran")).sort(),
    outside: () => shell("find . -printf '%p %M %s %l\\n' | sort; cat plain", path.join(top, "outside")),
    env: {
      PATH: `${root}:${root}/node_modules/.bin:.:${process.env.PATH}`,
      BASH_ENV: `${root}/.bashrc`,
      ENV: `${root}/.bashrc`,
      HOME: root,
    },
  };
}

/** Writes a program that writes its mark. */
function plantProgram(at: string, top: string, name: string, then = ""): void {
  fs.mkdirSync(path.dirname(at), { recursive: true });
  fs.writeFileSync(at, `#!/bin/sh\n/bin/touch ${top}/ran/${name} 2>/dev/null\n${then}exit 0\n`, {
    mode: 0o755,
  });
}

function plantPrograms(root: string, top: string): void {
  for (const name of PROGRAMS) {
    plantProgram(path.join(root, name), top, name);
    plantProgram(path.join(root, "node_modules/.bin", name), top, name);
  }
  for (const name of [".bashrc", ".bash_profile", ".profile"])
    plantProgram(path.join(root, name), top, "profile");
}

/** Programs that git runs: a monitor, hooks, filters. */
function plantRepository(root: string, top: string): void {
  shell(
    "git init -q -b main; git add a.txt; git -c user.name=m -c user.email=m@example.org commit -qm a",
    root,
  );
  plantProgram(path.join(root, "evil/monitor"), top, "fsmonitor");
  plantProgram(path.join(root, "evil/clean"), top, "clean", "cat\n");
  plantProgram(path.join(root, "evil/smudge"), top, "smudge", "cat\n");
  for (const hook of ["post-checkout", "pre-commit", "post-index-change"])
    plantProgram(path.join(root, "evil", hook), top, "hook");
  fs.writeFileSync(path.join(root, ".gitattributes"), "* filter=evil\n");
  const settings = {
    "core.fsmonitor": `${root}/evil/monitor`,
    "core.hooksPath": `${root}/evil`,
    "filter.evil.clean": `${root}/evil/clean`,
    "filter.evil.smudge": `${root}/evil/smudge`,
  };
  for (const [name, value] of Object.entries(settings)) shell(`git config ${name} '${value}'`, root);
}

function plantLinks(root: string, top: string): void {
  for (const [name, target] of Object.entries(linksToFiles(top)))
    fs.symlinkSync(target, path.join(root, name));
  fs.symlinkSync("../outside", path.join(root, "l-dir"));
  fs.symlinkSync("../outside/new", path.join(root, "l-new"));
  fs.symlinkSync("l-loop", path.join(root, "l-loop"));
  fs.symlinkSync("/proc/self/environ", path.join(root, "l-environ"));
}

function shell(script: string, cwd: string): string {
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: cwd, GIT_CONFIG_NOSYSTEM: "1" };
  return execFileSync("bash", ["-c", script], { cwd, env, encoding: "utf8" });
}
