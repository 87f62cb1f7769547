import { writeSync } from "node:fs";
import { type Io, usage } from "./io.ts";
import { outsideProject } from "./outside-project.ts";

export function createNodeIo(): Io {
  return {
    env: process.env,
    cwd: process.cwd(),
    interactive: process.stdin.isTTY === true && process.stderr.isTTY === true,
    outIsTerminal: process.stdout.isTTY === true,
    errIsTerminal: process.stderr.isTTY === true,
    out: (text) => writeAll(1, text),
    err: (text) => writeAll(2, text),
    page: (text) => showInPager(text, process.stdout.isTTY === true),
    readStdin,
    askKey,
    askLine,
    ask: async (question, signal) => (await askLine(question, signal)) ?? "",
  };
}

/** $PAGER, or less: it ends at once if the text fits the screen, and passes colours on. */
async function showInPager(text: string, isTerminal: boolean): Promise<void> {
  const { PAGER = "less", LESS = "FRX" } = process.env;
  const [program, ...args] = PAGER.split(" ").filter((word) => word !== "");
  if (!isTerminal || program === undefined) return void writeAll(1, text);
  const { spawn } = await import("node:child_process");
  const pager = spawn(program, args, {
    env: { ...outsideProject(process.env, process.cwd()), LESS },
    stdio: ["pipe", "inherit", "inherit"],
  });
  // A person may leave the pager before it has read everything.
  pager.stdin.on("error", () => {});
  pager.stdin.end(text);
  const isMissing = await new Promise<boolean>((resolve) => {
    pager.on("error", () => resolve(true));
    pager.on("close", () => resolve(false));
  });
  if (isMissing) writeAll(1, text);
}

async function askLine(question: string, signal?: AbortSignal): Promise<string | null> {
  const { createInterface } = await import("node:readline/promises");
  const line = createInterface({ input: process.stdin, output: process.stderr });
  // readline takes Ctrl-C from the terminal; it is meant for the whole command.
  line.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
  const ended = new Promise<null>((resolve) => line.once("close", () => resolve(null)));
  try {
    return await Promise.race([line.question(question, signal ? { signal } : {}), ended]);
  } finally {
    line.close();
  }
}

/** Every other key is ignored. */
async function askKey(question: string, keys: string): Promise<string | null> {
  const { stdin } = process;
  writeAll(2, question);
  stdin.setRawMode(true);
  let answer: string | null = null;
  await new Promise<void>((resolve) => {
    const read = (bytes: Buffer) => {
      const typed = bytes.toString("latin1").toLowerCase();
      answer = typed.length === 1 && keys.includes(typed) ? typed : null;
      if (answer === null && !/^[\r\n\x1b\x03\x04]$/.test(typed)) return;
      stdin.off("data", read);
      stdin.off("end", resolve);
      resolve();
    };
    stdin.on("data", read).once("end", resolve).resume();
  });
  stdin.setRawMode(false);
  stdin.pause();
  writeAll(2, `${answer ?? ""}\n`);
  return answer;
}

/** Whole, also into a pipe that is read slowly: process.stdout would lose the rest at exit. False when it has no reader. */
function writeAll(fd: number, text: string | Uint8Array): boolean {
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === "EPIPE" || isHungUp(fd, code)) return false;
      if (code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
  return true;
}

/** Whether it was a terminal, and the person closed its window. */
function isHungUp(fd: number, code: string | undefined): boolean {
  return code === "EIO" && (fd === 1 ? process.stdout : process.stderr).isTTY;
}

async function readStdin(maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    bytes += (chunk as Buffer).length;
    if (bytes > maxBytes) throw usage(`Standard input is larger than ${maxBytes} bytes.`);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}
