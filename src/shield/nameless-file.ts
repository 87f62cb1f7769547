// A file that has no name any more: whoever is given its descriptor may open it again, whichever user it is.
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { explaining } from "../workspace/os-error.ts";

const { O_CREAT, O_EXCL, O_RDONLY, O_WRONLY } = fs.constants;

export interface NamelessFile {
  /** The one that it had. */
  readonly name: string;
  readonly read: number;
  readonly write: number;
}

/** In memory where that can be: it shall work on a full disk too. */
export function openNamelessFile(): NamelessFile {
  try {
    return openIn("/dev/shm");
  } catch {
    return explaining("make a file in", os.tmpdir(), () => openIn(os.tmpdir()));
  }
}

function openIn(dir: string): NamelessFile {
  const name = path.join(dir, `hotcell-${randomUUID()}`);
  const write = fs.openSync(name, O_WRONLY | O_CREAT | O_EXCL, 0o600);
  try {
    const read = fs.openSync(name, O_RDONLY);
    fs.unlinkSync(name);
    fs.fchmodSync(write, 0o444);
    return { name, read, write };
  } catch (error) {
    fs.closeSync(write);
    throw error;
  }
}
