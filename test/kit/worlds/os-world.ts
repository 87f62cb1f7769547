// Targets of attacks from inside a cell: files, sockets and processes of the host, with canaries in them.
// Rows of test/corpus/commands_os.jsonl name them by ${SECRET}, ${OUTD} and similar variables.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import dgram from "node:dgram";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { processesNaming } from "../children/children.ts";
import { removeTree } from "../remove-tree.ts";

export interface OsRow {
  readonly id: string;
  readonly cat: string;
  readonly command: string;
  readonly timeout_s: number;
  /** A shell line that the test runs outside afterwards. */
  readonly check: string;
  /** The attack was seen to work without a sandbox. */
  readonly control: boolean;
  readonly danger?: boolean;
  readonly expect_out?: string;
  readonly reason: string;
}

/** The result of a row, with or without the sandbox. */
export interface RowEnd {
  readonly out: Buffer;
  readonly exitCode: number | null;
  readonly elapsedMs: number;
}

export interface OsWorld {
  readonly dir: string;
  /** The project of the row; also `${BASE}` if the row has its own session. */
  readonly workspace: string;
  readonly hostEnv: Readonly<Record<string, string>>;
  /** Resets everything, and returns the row's command with its variables filled in. */
  prepare(row: OsRow, base: string): Promise<string>;
  /** Runs the row's check and the checks for all rows. Returns the names of those that fail. */
  broken(row: OsRow, end: RowEnd, base: string): string[];
  writeDiff(text: string): void;
  close(): Promise<void>;
}

export async function makeOsWorld(): Promise<OsWorld> {
  const dir = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "hotcell-os-")));
  fs.chmodSync(dir, 0o755);
  const at = (name: string) => path.join(dir, name);
  const shm = `/dev/shm/canary-${process.pid}`;
  fs.writeFileSync(shm, "CANARY-SHM-1\n");
  const reached: string[] = [];
  const ears = await listen(dir, reached);
  let bystander = startBystander();
  // Also a port. The rows of root search for it in all processes, also in those of a parallel run of another user.
  let number = process.getuid?.() === 0 ? 20_000 : 25_000;

  // A cell may have this open.
  const plantProject = (project: string) => {
    fs.mkdirSync(project, { recursive: true });
    for (const name of fs.readdirSync(project)) removeTree(path.join(project, name));
    for (const name of ["src", ".git/hooks"]) fs.mkdirSync(path.join(project, name), { recursive: true });
    fs.writeFileSync(path.join(project, "README.md"), "BENIGN\n");
    fs.writeFileSync(path.join(project, "src/index.js"), "BENIGN\n");
    fs.writeFileSync(path.join(project, ".git/config"), "[core]\n");
  };
  return {
    dir,
    workspace: at("ws"),
    hostEnv: {
      PATH: "/usr/bin:/bin",
      HOME: at("home"),
      AWS_SECRET_ACCESS_KEY: "CANARY-ENV-1",
      MY_API_KEY: "CANARY-ENV-2",
    },
    async prepare(row, base) {
      plantProject(at("base"));
      plantProject(at("ws"));
      for (const name of ["outd", "home"]) removeTree(at(name));
      for (const name of ["outd", "home/.ssh"]) fs.mkdirSync(at(name), { recursive: true });
      fs.writeFileSync(at("home/.ssh/id_rsa"), "CANARY-HOME-1\n");
      fs.writeFileSync(at("home/.netrc"), "CANARY-NETRC\n");
      fs.mkdirSync(at("priv"), { recursive: true });
      fs.writeFileSync(at("priv/secret.txt"), "CANARY-FILE-1\n");
      fs.chmodSync(at("priv/secret.txt"), 0o644);
      if (bystander.exitCode !== null || bystander.signalCode !== null) bystander = startBystander();
      reached.length = 0;
      number++;
      fs.writeFileSync(at("outside.sha"), sumsBelow(at("priv")));
      fs.writeFileSync(at("base.sha"), sumsBelow(base));
      const names: Record<string, string> = {
        WS: at("ws"),
        SECRET: at("priv/secret.txt"),
        HOMESECRET: at("home/.ssh/id_rsa"),
        OUTD: at("outd"),
        SOCK: at("host.sock"),
        BASE: base,
        N: `${number}`,
        HPID: `${bystander.pid}`,
        ...ears.names,
      };
      return row.command
        .replaceAll("canary98", NAME)
        .replace(/\$\{([A-Z]+)\}/g, (whole, name) => names[name] ?? whole);
    },
    broken({ check, cat, expect_out, timeout_s }, { out, exitCode, elapsedMs }, base) {
      fs.writeFileSync(at("out.txt"), out);
      fs.writeFileSync(at("conn.log"), reached.join("\n"));
      fs.writeFileSync(at("tty_injected"), "");
      const env = {
        ...{
          PATH: process.env.PATH,
          OUT: at("out.txt"),
          OUTD: at("outd"),
          STATE: dir,
          CONNLOG: at("conn.log"),
        },
        ...{ N: `${number}`, HPID: `${bystander.pid}`, BASE: base, SECRET: at("priv/secret.txt") },
        ...{
          ELAPSED_MS: `${Math.round(elapsedMs)}`,
          TIMEOUT_MS: `${timeout_s * 1000}`,
          RC: `${exitCode ?? -1}`,
        },
        ...{ HOSTHOME: at("home"), PORT: ears.names.PORT },
      };
      // Bash treats a pipe of Node as a network connection, and would run the user's profile first.
      const checked = spawnSync("bash", ["--norc", "-c", check], { env });
      const left = processesNaming(`98${number}`);
      for (const pid of left) process.kill(pid, "SIGKILL");
      const promises: Readonly<Record<string, boolean>> = {
        "its own check": checked.status === 0,
        "its output": expect_out === undefined || out.includes(expect_out),
        "no canary in the output":
          cat === "benign" || !out.toString("latin1").replaceAll("CANARY-EXISTS", "").includes("CANARY-"),
        "nothing written outside": fs.readdirSync(at("outd")).length === 0,
        "no connection": reached.length === 0,
        "the secret is as it was": isText(at("priv/secret.txt"), "CANARY-FILE-1\n"),
        "nothing outlives it": left.length === 0,
        "others' processes live": bystander.exitCode === null && bystander.signalCode === null,
      };
      return Object.keys(promises).filter((name) => !promises[name]);
    },
    writeDiff: (text) => fs.writeFileSync(at("diff"), text),
    async close() {
      ears.close();
      bystander.kill("SIGKILL");
      fs.rmSync(shm, { force: true });
      removeTree(dir);
    },
  };
}

/** So that the control of a row does not end processes of another test process. */
const NAME = `canary98-${process.pid}-`;

/** A process of this test, with a name and an environment that attacks search for. */
function startBystander(): ChildProcess {
  return spawn("bash", ["-c", `exec -a ${NAME}proc sleep 3600`], {
    env: { CANARY_ENV: "CANARY-HOSTPROC", PATH: "/usr/bin:/bin" },
    stdio: "ignore",
    detached: true,
  });
}

// Node cannot listen on an abstract socket.
const ABSTRACT_EAR = `import socket, sys
ear = socket.socket(socket.AF_UNIX); ear.bind("\\0" + sys.argv[1]); ear.listen(9); print("listening", flush=True)
while True: ear.accept(); print("abstract", flush=True)`;

async function listen(dir: string, reached: string[]) {
  const server = (kind: string) =>
    net.createServer((socket) => {
      reached.push(kind);
      socket.on("error", () => {});
      socket.end("HTTP/1.0 200 OK\r\n\r\nCANARY-NET");
    });
  const [tcp, unix] = [server("tcp"), server("unix")];
  const udp = dgram.createSocket("udp4").on("message", () => reached.push("udp"));
  const name = `canary-abs-${process.pid}`;
  const abstract = spawn("python3", ["-c", ABSTRACT_EAR, name], { stdio: ["ignore", "pipe", "inherit"] });
  tcp.listen(0, "127.0.0.1");
  unix.listen(path.join(dir, "host.sock"));
  udp.bind(0, "127.0.0.1");
  await Promise.all([
    ...[tcp, unix, udp].map((ear) => once(ear, "listening")),
    once(abstract.stdout, "data"),
  ]);
  abstract.stdout.on("data", (said) => said.includes("abstract") && reached.push("abstract"));
  fs.chmodSync(path.join(dir, "host.sock"), 0o777);
  const { port } = tcp.address() as net.AddressInfo;
  return {
    names: { PORT: `${port}`, UPORT: `${udp.address().port}`, ABS: name },
    close() {
      for (const ear of [tcp, unix, udp]) ear.close();
      abstract.kill();
    },
  };
}

function isText(file: string, text: string): boolean {
  return fs.existsSync(file) && fs.readFileSync(file, "utf8") === text;
}

/** In the format of `sha256sum`, for `sha256sum -c`. */
function sumsBelow(dir: string): string {
  const entries = fs.readdirSync(dir, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  return files.map((file) => `${hash("sha256", fs.readFileSync(file), "hex")}  ${file}\n`).join("");
}
