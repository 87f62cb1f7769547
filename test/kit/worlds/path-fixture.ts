// Builds the files of a row of paths.jsonl: a workspace with neighbours that must not change.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";

export interface PathRow {
  readonly id: string;
  readonly cat: string;
  readonly mode: "rel" | "alias";
  readonly op: "read" | "write" | "list" | "search" | "delete" | "mkdir";
  readonly input: string;
  readonly fixture: readonly Readonly<Record<string, unknown>>[];
  readonly expected: "allow" | "deny" | "enoent" | "either";
  readonly reason: string;
  readonly post?: string;
  readonly policy?: string;
  readonly tags?: readonly string[];
}

export interface World {
  readonly top: string;
  readonly root: string;
  readonly stateDir: string;
  readonly input: string;
  /** Everything outside the workspace. A row must not change it. */
  outside(): string;
  remove(): void;
}

const OUTSIDE = ["outside", "ws-evil", "pkg"];

export function readCorpus<T>(name: string): T[] {
  const text = fs.readFileSync(new URL(`../../corpus/${name}.jsonl`, import.meta.url), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as T);
}

export async function buildWorld(row: PathRow, base = os.tmpdir()): Promise<World> {
  const top = fs.realpathSync(fs.mkdtempSync(path.join(base, "hotcell-paths-")));
  const fill = (text: string) =>
    text.replaceAll("${WS}", `${top}/ws`).replaceAll("${T}", top).replaceAll("${ID}", row.id);
  fs.chmodSync(top, 0o755);
  for (const dir of ["ws/src", "ws/empty", ...OUTSIDE, "state"])
    fs.mkdirSync(path.join(top, dir), { recursive: true });
  for (const file of ["ws/README.md", "ws/src/index.js", "pkg/pkg.txt"])
    fs.writeFileSync(path.join(top, file), "BENIGN\n");
  for (const file of ["outside/secret.txt", "ws-evil/secret.txt"])
    fs.writeFileSync(path.join(top, file), "CANARY-OUTSIDE\n");
  const servers: net.Server[] = [];
  for (const step of row.fixture) await buildStep(step, top, fill, servers);
  const rootTag = row.tags?.find((tag) => tag.startsWith("root="));
  return {
    top,
    root: rootTag === undefined ? `${top}/ws` : fill(rootTag.slice("root=".length)),
    stateDir: `${top}/hotcell-state`,
    input: fill(row.input),
    outside: () => OUTSIDE.map((dir) => snapshot(path.join(top, dir))).join("\n"),
    remove() {
      for (const server of servers) server.close();
      execFileSync("chmod", ["-R", "u+rwX", top]);
      execFileSync("rm", ["-rf", top]);
    },
  };
}

async function buildStep(
  step: Readonly<Record<string, unknown>>,
  top: string,
  fill: (text: string) => string,
  servers: net.Server[],
): Promise<void> {
  const at = (key: string) => path.join(top, String(step[key]));
  if ("mkdir" in step) fs.mkdirSync(at("mkdir"), { recursive: true });
  else if ("file" in step) {
    fs.mkdirSync(path.dirname(at("file")), { recursive: true });
    fs.writeFileSync(at("file"), String(step.content));
  } else if ("symlink" in step) fs.symlinkSync(fill(String(step.target)), at("symlink"));
  else if ("hardlink" in step) fs.linkSync(at("target"), at("hardlink"));
  else if ("fifo" in step) execFileSync("mkfifo", [at("fifo")]);
  else if ("socket" in step) servers.push(await listenOn(at("socket")));
  else if ("sparse" in step) {
    fs.writeFileSync(at("sparse"), "");
    fs.truncateSync(at("sparse"), Number(step.size));
  } else if ("repeat" in step) fs.writeFileSync(at("repeat"), String(step.s).repeat(Number(step.n)));
  else if ("bytes" in step) fs.writeFileSync(at("bytes"), Buffer.from(String(step.hex), "hex"));
  else if ("chmod" in step) fs.chmodSync(at("chmod"), Number.parseInt(String(step.mode), 8));
  else if ("many" in step) {
    fs.mkdirSync(at("many"));
    for (let index = 0; index < Number(step.n); index++) fs.writeFileSync(`${at("many")}/f${index}`, "");
  } else if ("deep" in step)
    fs.mkdirSync(path.join(at("deep"), "d/".repeat(Number(step.n))), { recursive: true });
  else if ("rootlink" in step) fs.symlinkSync("ws", at("rootlink"));
  else throw new Error(`unknown fixture step ${JSON.stringify(step)}`);
}

function listenOn(file: string): Promise<net.Server> {
  return new Promise((resolve, reject) => {
    const server = net.createServer().on("error", reject);
    server.listen(file, () => resolve(server));
  });
}

function snapshot(dir: string): string {
  return fs
    .readdirSync(dir, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const at = path.join(entry.parentPath, entry.name);
      return entry.isFile() ? `${at}=${fs.readFileSync(at, "utf8").slice(0, 200)}` : at;
    })
    .sort()
    .join("\n");
}
