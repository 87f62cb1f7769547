// What a program of `hotcell run` can find of the user, of other sessions and of other homes; each attempt beside the same
// attempt without the sandbox.
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runProgram } from "../../kit/worlds/client-programs.ts";
import { ROOT } from "../../kit/worlds/document.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";

const CLI = path.join(ROOT, "bin/hotcell.js");
const MARK = "only-for-the-user";

/** A user whose files have the mark, and who has two profiles for bash. */
function openWorld() {
  const home = tempDir();
  const project = path.join(home, "project");
  const keys = path.join(home, ".ssh");
  for (const dir of [project, keys]) fs.mkdirSync(dir);
  fs.writeFileSync(path.join(home, "notes"), MARK);
  fs.writeFileSync(path.join(keys, "id_ed25519"), MARK);
  const config = path.join(home, "config.json");
  const profiles = { one: { program: "bash" }, other: { program: "bash" } };
  fs.writeFileSync(config, JSON.stringify({ profiles }));
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    HOTCELL_STATE_DIR: path.join(home, "state"),
    HOTCELL_CONFIG: config,
  };
  const run = async (...words: [string, ...string[]]) => (await runProgram(words, { cwd: project, env })).out;
  return {
    home,
    bash: (command: string) => run("bash", "-c", command),
    inside: (profile: string, command: string) =>
      run(process.execPath, CLI, "run", profile, "--keep", "--", "bash", "-c", command),
  };
}

test("it finds nothing of the user's home and keys, of the state directory, of other sessions and of other homes", async () => {
  const { home, bash, inside } = openWorld();
  await inside("other", `echo ${MARK} > in-a-session; echo ${MARK} > ~/in-a-home`);
  const find = `grep -rls ${MARK} '${home}' ~`;
  const names = (found: string) =>
    [...new Set(found.match(/in-a-session|in-a-home|notes|id_ed25519/g) ?? [])].sort();
  expect(names(await bash(find))).toEqual(["id_ed25519", "in-a-home", "in-a-session", "notes"]);
  expect(names(await inside("other", find))).toEqual(["in-a-home"]);
  expect(names(await inside("one", find))).toEqual([]);
});

test("it sees no process of the user, and cannot end one", async () => {
  const { bash, inside } = openWorld();
  const child = spawn("sleep", ["600"]);
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child, "spawn");
  const attack = `[ -e /proc/${child.pid}/cmdline ] && tr '\\0' ' ' < /proc/${child.pid}/cmdline; kill -0 ${child.pid} && echo reached`;
  expect(await bash(attack)).toBe("sleep 600 reached\n");
  expect(await inside("one", attack)).toBe("");
});

test("it reaches no host without a rule, not even this machine", async () => {
  const { bash, inside } = openWorld();
  const server = http.createServer((_, response) => response.end(MARK));
  onTestFinished(() => void server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const attack = ["127.0.0.1", "localhost", "host.hotcell.internal"]
    .map((host) => `curl -s -m 5 http://${host}:${port}/; curl -s -m 5 --noproxy '*' http://${host}:${port}/`)
    .join("; ");
  expect(await bash(attack)).toContain(MARK);
  const refusal = new RegExp(`^hotcell: No rule is about "host.hotcell.internal:${port}", and .*\\n$`);
  expect(await inside("one", attack)).toMatch(refusal);
});
