// Pipes for a command's output. Node's own pipes are sockets, and a process cannot open a socket by its path, as
// `echo no > /dev/stderr` does.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { HotcellError } from "../../core/errors.ts";
import { HELPER_ENVIRONMENT } from "../../workspace/fs/helper-environment.ts";
import { fdPath, O_PATH } from "../../workspace/fs/paths.ts";
import { tryInMemory } from "./try-in-memory.ts";

const { O_RDONLY, O_WRONLY, O_NONBLOCK } = fs.constants;

export interface Pipe {
  readonly read: number;
  readonly write: number;
}

export interface Pipes {
  open(): Pipe;
  close(): void;
}

/** mkfifo creates many pipes in one run. */
const BATCH = Array.from({ length: 64 }, (_, at) => `${at}`);

export function createPipes(): Pipes {
  const made: number[] = [];
  return {
    open() {
      if (made.length === 0) made.push(...tryInMemory(makeFifos));
      const fifo = made.pop()!;
      try {
        const read = fs.openSync(fdPath(fifo), O_RDONLY | O_NONBLOCK);
        return { read, write: fs.openSync(fdPath(fifo), O_WRONLY) };
      } finally {
        fs.closeSync(fifo);
      }
    },
    close() {
      for (const fd of made.splice(0)) fs.closeSync(fd);
    },
  };
}

/** Unlinks the FIFOs at once. A process of any user that gets a descriptor may open the FIFO again. */
function makeFifos(parent: string): number[] {
  const dir = fs.mkdtempSync(path.join(parent, "hotcell-pipes-"));
  try {
    const { status, stderr } = spawnSync("mkfifo", ["-m", "0666", ...BATCH], {
      cwd: dir,
      env: HELPER_ENVIRONMENT,
    });
    if (status !== 0)
      throw new HotcellError("EXECUTION_ERROR", `Could not create pipes for a command: ${stderr}`);
    return BATCH.map((name) => fs.openSync(path.join(dir, name), O_PATH));
  } finally {
    for (const name of fs.readdirSync(dir)) fs.unlinkSync(path.join(dir, name));
    fs.rmdirSync(dir);
  }
}
