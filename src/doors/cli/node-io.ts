import { writeSync } from "node:fs";
import { LIMITS } from "../../core/limits.ts";
import { type Io, usage } from "./io.ts";

export function createNodeIo(): Io {
  return {
    env: process.env,
    cwd: process.cwd(),
    interactive: process.stdin.isTTY === true && process.stderr.isTTY === true,
    outIsTerminal: process.stdout.isTTY === true,
    errIsTerminal: process.stderr.isTTY === true,
    out: (text) => writeAll(1, text),
    err: (text) => writeAll(2, text),
    readStdin,
    async ask(question, signal) {
      const { createInterface } = await import("node:readline/promises");
      const line = createInterface({ input: process.stdin, output: process.stderr });
      // readline takes Ctrl-C from the terminal; it is meant for the whole command.
      line.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
      const ended = new Promise<string>((resolve) => line.once("close", () => resolve("")));
      try {
        return await Promise.race([line.question(question, signal ? { signal } : {}), ended]);
      } finally {
        line.close();
      }
    },
  };
}

/** Whole, also into a pipe that is read slowly: process.stdout would lose the rest at exit. False when it has no reader. */
function writeAll(fd: number, text: string | Uint8Array): boolean {
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === "EPIPE") return false;
      if (code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
  return true;
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    bytes += (chunk as Buffer).length;
    if (bytes > LIMITS.maxCallBytes)
      throw usage(`The arguments on standard input are over ${LIMITS.maxCallBytes} bytes.`);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString("utf8");
}
