// A server in a process of its own, which can be killed and started again on the same project and state.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { Answer } from "./server-world.ts";
import { tempDir } from "./temp-cell.ts";

const CHILD = fileURLToPath(new URL("../children/server-child.mjs", import.meta.url));

export interface ServerProcess {
  readonly url: string;
  readonly token: string;
  readonly child: ChildProcess;
  /** What it has written to stderr. */
  stderr(): string;
  api(method: string, route: string, body?: object): Promise<Pick<Answer, "status" | "body">>;
  /** Ends it at once. */
  kill(): Promise<void>;
  /** Asks it to end. The exit code. */
  stop(): Promise<number | null>;
}

export interface ServerPlace {
  readonly top: string;
  readonly stateDir: string;
  /** What the calls have done, by line. */
  marks(): string[];
  start(): Promise<ServerProcess>;
}

export function createServerPlace(): ServerPlace {
  const top = tempDir();
  const [project, stateDir, marks] = ["project", "state", "marks"].map((name) => path.join(top, name));
  fs.mkdirSync(project!);
  fs.writeFileSync(marks!, "");
  return {
    top,
    stateDir: stateDir!,
    marks: () => fs.readFileSync(marks!, "utf8").split("\n").slice(0, -1),
    start: () => startServer([CHILD, project!, stateDir!, marks!]),
  };
}

/** Starts a program that prints `{ "url", "tokenFile" }`. */
export async function startServer(
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<ServerProcess> {
  const child = spawn(process.execPath, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk;
    process.stderr.write(chunk);
  });
  const exited = once(child, "exit");
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const [line] = (await Promise.race([once(child.stdout, "data"), exited])) as [unknown];
  if (!(line instanceof Buffer)) throw new Error(`The server ended with ${line}.`);
  const { url, tokenFile } = JSON.parse(String(line)) as { url: string; tokenFile: string };
  const token = fs.readFileSync(tokenFile, "utf8").trim();
  return {
    url,
    token,
    child,
    stderr: () => stderr,
    async api(method, route, body) {
      const answer = await fetch(url + route, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: await answer.json() };
    },
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
    async stop() {
      child.kill("SIGTERM");
      const [code] = (await exited) as [number | null];
      return code;
    },
  };
}
