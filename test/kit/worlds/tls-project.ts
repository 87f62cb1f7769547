import path from "node:path";
import { onTestFinished } from "vitest";
import { type CellOptions, openCell } from "../../../src/cell.ts";
import { initRepository, writeFiles } from "./git-project.ts";
import { tempDir } from "./temp-cell.ts";

export const CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMIIBpublic\n-----END CERTIFICATE-----\n";
export const KEY = "-----BEGIN PRIVATE KEY-----\nMIIBprivate\n-----END PRIVATE KEY-----\n";

/** A project with TLS fixtures for the tests of a server. */
export const TLS = {
  ".env": "PORT=3000\n",
  ".gitignore": "*.local\n",
  "package.json": '{ "name": "tls-project" }\n',
  "test/fixtures/agent1-key.pem": KEY,
  "test/fixtures/cert.pem": CERTIFICATE,
  "test/fixtures/credentials.json": '{ "user": "test" }\n',
  "test/fixtures/key.pem": KEY,
  "test/tls.sh":
    'grep -q "BEGIN PRIVATE" test/fixtures/key.pem && grep -q BEGIN test/fixtures/cert.pem && echo passed\n',
};

/** Everything in it is tracked. */
export function tlsProject(): string {
  const root = path.join(tempDir("/var/tmp"), "ws");
  writeFiles(root, TLS);
  initRepository(root);
  return root;
}

export const WAYS: readonly (readonly [string, Partial<CellOptions>])[] = [
  ["the kernel's overlay", { fs: "overlay", strategy: "kernel" }],
  ["a copy", { fs: "overlay", strategy: "clone" }],
  ["fs host", { fs: "host" }],
];

export async function openOn(root: string, options: Partial<CellOptions>) {
  const stateDir = path.join(path.dirname(root), "state");
  const cell = await openCell({ workspace: root, stateDir, trust: "autonomous", ...options });
  onTestFinished(() => cell.close());
  const run = async (command: string) => {
    const { output, meta } = await cell.call({ name: "run_command", arguments: { command } });
    return { stdout: output?.stdout as string, output, meta };
  };
  /** In a script, because a rule would refuse a command line that writes to a secret. */
  const runScript = async (script: string) => {
    return run(`printf %s ${Buffer.from(script).toString("base64")} | base64 -d > /tmp/s; sh /tmp/s`);
  };
  return { cell, run, runScript, stateDir };
}
