// What hotcell's guest process could do if a module took it over: the same program inside and outside the sandbox.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openGuestSandboxes } from "../../../src/shield/guest/guest-sandbox.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";

/** Tries each way out, and writes what worked to a descriptor. */
const PROBE = `
import fs from "node:fs";
import net from "node:net";
import { spawnSync } from "node:child_process";
const [project, port, descriptor] = WORLD;
const works = (work) => { try { work(); return true } catch { return false } };
const found = {
  project: works(() => fs.readFileSync(project)),
  passwords: works(() => fs.readFileSync("/etc/passwd")),
  home: works(() => fs.readdirSync("/root")) || works(() => fs.readdirSync("/home")),
  write: works(() => fs.writeFileSync("/written-by-guest", "")) || works(() => fs.writeFileSync("/tmp/written-by-guest", "")),
  program: spawnSync("/bin/sh", ["-c", "exit 0"]).status === 0,
  variables: Object.keys(process.env).some((name) => name !== "PWD"),
  parent: works(() => fs.readFileSync("/proc/1/environ")),
};
const end = (network) => { fs.writeSync(descriptor, JSON.stringify({ ...found, network })); process.exit(0) };
try { net.connect(port, "127.0.0.1").on("connect", () => end(true)).on("error", () => end(false)) } catch { end(false) }
`;

test("P6.2 a guest process sees no project, no home, no programs, no network, no variables, and writes nowhere", async () => {
  const top = tempDir();
  const project = path.join(top, "project.txt");
  fs.writeFileSync(project, "CANARY");
  fs.writeFileSync(path.join(top, "package.json"), '{ "type": "module" }');
  const code = path.join(top, "code");
  fs.mkdirSync(code);
  const server = net.createServer((socket) => socket.end()).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as net.AddressInfo;
  const write = (name: string, descriptor: number) =>
    fs.writeFileSync(
      path.join(code, name),
      PROBE.replace("WORLD", JSON.stringify([project, port, descriptor])),
    );
  write("control.js", 1);
  write("probe.js", 3);

  const control = JSON.parse(
    spawnSync(process.execPath, [path.join(code, "control.js")], { encoding: "utf8" }).stdout,
  );
  expect(control).toMatchObject({
    project: true,
    passwords: true,
    write: true,
    program: true,
    variables: true,
    network: true,
  });
  fs.rmSync("/tmp/written-by-guest", { force: true });
  fs.rmSync("/written-by-guest", { force: true });

  const sandboxes = openGuestSandboxes({ code, main: "probe.js" });
  onTestFinished(() => sandboxes.close());
  const guest = sandboxes.start(64 * 1024 * 1024);
  let said = "";
  guest.channel.on("data", (chunk) => {
    said += chunk;
  });
  expect(await guest.ended).toBe("");
  const nothing = {
    project: false,
    passwords: false,
    home: false,
    write: false,
    program: false,
    variables: false,
  };
  expect(JSON.parse(said)).toEqual({ ...nothing, parent: false, network: false });
});
