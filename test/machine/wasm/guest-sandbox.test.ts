// What hotcell's guest process could do if a module took it over: the same program inside and outside the sandbox.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openGuestSandboxes } from "../../../src/shield/guest/guest-sandbox.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";

/** A copy of Node starts the sandbox, and the guest lists the directory beside that copy's own. */
const START = `
const { openGuestSandboxes } = await import(PLACES.sandbox);
const sandboxes = openGuestSandboxes({ code: PLACES.code, main: "list.js" });
const guest = sandboxes.start(64 * 1024 * 1024);
guest.channel.on("data", (chunk) => process.stdout.write(chunk));
process.stderr.write(await guest.ended);
sandboxes.close();
`;
const LIST = `
import fs from "node:fs";
const seen = fs.existsSync(PLACES.lib) ? fs.readdirSync(PLACES.lib) : [];
fs.writeSync(3, JSON.stringify(seen));
`;

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

test("of the directory lib beside Node, as that of a version manager, a guest sees Node's own library only", () => {
  const top = tempDir();
  const [bin, lib, code] = ["bin", "lib", "code"].map((name) => path.join(top, name)) as [
    string,
    string,
    string,
  ];
  for (const dir of [bin, path.join(lib, "node_modules/secret"), code])
    fs.mkdirSync(dir, { recursive: true });
  fs.writeFileSync(path.join(lib, "libnode.so.115"), "");
  fs.writeFileSync(path.join(top, "package.json"), '{ "type": "module" }');
  const node = path.join(bin, "node");
  fs.copyFileSync(process.execPath, node, fs.constants.COPYFILE_FICLONE);
  const sandbox = new URL("../../../dist/shield/guest/guest-sandbox.js", import.meta.url).href;
  const places = JSON.stringify({ sandbox, code, lib });
  fs.writeFileSync(path.join(code, "list.js"), LIST.replaceAll("PLACES", places));
  const args = ["--input-type=module", "-e", START.replaceAll("PLACES", places)];
  const { stdout, stderr } = spawnSync(node, args, { encoding: "utf8" });
  expect([stdout, stderr]).toEqual(['["libnode.so.115"]', ""]);
});
