// Unix sockets: commands of a session may use their own, and reach none of the host's.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Cell, type CellOptions, openCell } from "../../../src/cell.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";

/** Connects to a path or, with a leading @, to an abstract name. */
const CONNECT = `import socket, sys
at = sys.argv[1]
try:
    socket.socket(socket.AF_UNIX).connect("\\0" + at[1:] if at[0] == "@" else at)
    print("connected")
except OSError as error:
    print(type(error).__name__, error.errno)`;

const python = (program: string, ...args: readonly string[]) => ["python3", "-c", program, ...args] as const;

/** Commands have their own /tmp, so a toolchain is elsewhere. */
const PARENT = process.getuid!() === 0 ? "/var/lib" : os.homedir();

function isWritable(dir: string): boolean {
  try {
    fs.accessSync(dir, fs.constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function makeProject() {
  const top = tempDir();
  fs.chmodSync(top, 0o755);
  const root = path.join(top, "ws");
  fs.mkdirSync(root);
  return { top, root };
}

async function open(root: string, top: string, options: Partial<CellOptions> = {}): Promise<Cell> {
  const stateDir = path.join(top, "state");
  const cell = await openCell({ workspace: root, stateDir, trust: "autonomous", ...options });
  onTestFinished(() => cell.close());
  return cell;
}

async function listenAt(at: string): Promise<void> {
  const server = net.createServer((socket) => socket.destroy()).listen(at);
  onTestFinished(() => void server.close());
  await once(server, "listening");
  fs.chmodSync(at, 0o777);
}

/** Node can't listen on an abstract socket. */
async function listenAbstract(name: string): Promise<void> {
  const program =
    "import socket, sys; s = socket.socket(socket.AF_UNIX); s.bind('\\0' + sys.argv[1]); s.listen(9); print(1, flush=True); sys.stdin.read()";
  const child = spawn("python3", ["-c", program, name], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.stdin.end());
  await once(child.stdout, "data");
}

async function say(cell: Cell, argv: readonly [string, ...string[]]): Promise<string> {
  const { output, error } = await cell.exec(argv);
  expect(error).toBeNull();
  return `${output?.stdout}${output?.stderr}`.trim();
}

const sayUnshielded = (argv: readonly string[]) =>
  execFileSync(argv[0]!, argv.slice(1), { encoding: "utf8" }).trim();

const ECONNREFUSED = "ConnectionRefusedError 111";
const NOT_THERE = /^(FileNotFoundError 2|ConnectionRefusedError 111|PermissionError 13)$/;
const NO_FAMILY = /97|Address family not supported/;

describe("a unix socket of the host", () => {
  test.each(["kernel", "clone"] as const)(
    "in the project refuses connections from a session (%s), renamed and linked too; without the shield it answers",
    async (strategy) => {
      const { top, root } = makeProject();
      const at = path.join(root, "host.sock");
      await listenAt(at);
      expect(sayUnshielded(python(CONNECT, at))).toBe("connected");
      const cell = await open(root, top, { strategy });
      expect(await say(cell, python(CONNECT, at))).toMatch(NOT_THERE);
      if (strategy === "kernel") {
        expect(await say(cell, python(CONNECT, at))).toBe(ECONNREFUSED);
        await say(cell, ["bash", "-c", "ln host.sock linked; mv host.sock moved; cp -a moved copied"]);
        for (const name of ["linked", "moved", "copied"])
          expect(await say(cell, python(CONNECT, path.join(root, name)))).toMatch(NOT_THERE);
      }
      expect(sayUnshielded(python(CONNECT, at))).toBe("connected");
    },
  );

  const tryBoth = async (dir: string, options: Partial<CellOptions>) => {
    const { top, root } = makeProject();
    const [early, late] = ["early.sock", "late.sock"].map((name) => path.join(dir, name));
    await listenAt(early!);
    const cell = await open(root, top, options);
    expect(await say(cell, python(CONNECT, early!))).toMatch(NOT_THERE);
    await listenAt(late!);
    for (const at of [early!, late!]) {
      expect(sayUnshielded(python(CONNECT, at))).toBe("connected");
      expect(await say(cell, python(CONNECT, at))).toMatch(NOT_THERE);
    }
    expect(await say(cell, ["ls", dir])).toBe("early.sock\nlate.sock");
  };

  test("in the storage is hidden from commands, also if it came after the first command", async () => {
    const storage = tempDir();
    fs.chmodSync(storage, 0o755);
    await tryBoth(storage, { storage, toolsets: ["studio"] });
  });

  // An ordinary user without a home has no place for a toolchain.
  test.runIf(isWritable(PARENT))("in a toolchain is hidden from commands too", async () => {
    const tools = tempDir(PARENT);
    fs.chmodSync(tools, 0o755);
    await tryBoth(tools, { toolchains: [tools] });
  });

  test("in /tmp and in /run is not there", async () => {
    const { top, root } = makeProject();
    const at = path.join(top, "host.sock");
    const run = `/run/hotcell-test-${process.pid}.sock`;
    const places = process.getuid!() === 0 ? [at, run] : [at];
    const cell = await open(root, top);
    for (const place of places) {
      await listenAt(place);
      expect(sayUnshielded(python(CONNECT, place))).toBe("connected");
      expect(await say(cell, python(CONNECT, place))).toMatch(NOT_THERE);
    }
  });

  test("with an abstract name belongs to another network namespace", async () => {
    const { top, root } = makeProject();
    const name = `hotcell-test-${process.pid}`;
    await listenAbstract(name);
    expect(sayUnshielded(python(CONNECT, `@${name}`))).toBe("connected");
    expect(await say(await open(root, top), python(CONNECT, `@${name}`))).toBe(ECONNREFUSED);
  });

  test("in the project can't be reached with fs host, where there are no unix sockets", async () => {
    const { top, root } = makeProject();
    const at = path.join(root, "host.sock");
    await listenAt(at);
    expect(sayUnshielded(python(CONNECT, at))).toBe("connected");
    const cell = await open(root, top, { fs: "host" });
    expect(await say(cell, python(CONNECT, at))).toMatch(NO_FAMILY);
  });
});

describe("a command of a session", () => {
  const MANAGER = `from multiprocessing import Manager
if __name__ == "__main__":
    with Manager() as manager:
        shared = manager.dict(); shared["a"] = 1; print(dict(shared))`;

  test("may listen on a unix socket in the project, in /tmp and on an abstract name, and connect to it", async () => {
    const { top, root } = makeProject();
    const cell = await open(root, top);
    const ECHO = `import os, socket, sys
for at in [sys.argv[1], "/tmp/own.sock", "\\0own"]:
    ear = socket.socket(socket.AF_UNIX); ear.bind(at); ear.listen(1)
    socket.socket(socket.AF_UNIX).connect(at); ear.accept(); print("met")`;
    expect(await say(cell, python(ECHO, path.join(root, "own.sock")))).toBe("met\nmet\nmet");
  });

  test("may use Python's multiprocessing.Manager", async () => {
    const { top, root } = makeProject();
    fs.writeFileSync(path.join(root, "shared.py"), MANAGER);
    expect(await say(await open(root, top), ["python3", "shared.py"])).toBe("{'a': 1}");
  });
});
