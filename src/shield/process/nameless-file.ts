// An unlinked file. A process of any user that gets its descriptor may open it again.
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { explainErrors } from "../../workspace/fs/os-error.ts";
import { tryInMemory } from "./try-in-memory.ts";

const { O_CREAT, O_EXCL, O_RDONLY, O_WRONLY } = fs.constants;

export interface NamelessFile {
  /** The name before unlinking. */
  readonly name: string;
  readonly read: number;
  readonly write: number;
}

/** Uses a directory in memory if possible, so that it also works when the disk is full. */
export function openNamelessFile(): NamelessFile {
  return explainErrors("make a file in", os.tmpdir(), () => tryInMemory(openIn));
}

/** Call it once. */
export function fillFile({ write }: NamelessFile, bytes: Uint8Array): void {
  let at = 0;
  while (at < bytes.length) at += fs.writeSync(write, bytes, at, bytes.length - at, at);
  fs.ftruncateSync(write, bytes.length);
}

/** Reserves space for a command of usual length. */
const RESERVED = new Uint8Array(4096);

function openIn(dir: string): NamelessFile {
  const name = path.join(dir, `hotcell-${randomUUID()}`);
  const opened: number[] = [];
  const open = (flags: number): number => {
    opened.push(fs.openSync(name, flags, 0o600));
    return opened.at(-1)!;
  };
  try {
    const write = open(O_WRONLY | O_CREAT | O_EXCL);
    const read = open(O_RDONLY);
    fs.writeSync(write, RESERVED);
    fs.fchmodSync(write, 0o444);
    return { name, read, write };
  } catch (error) {
    for (const fd of opened) fs.closeSync(fd);
    throw error;
  } finally {
    if (opened.length > 0) fs.unlinkSync(name);
  }
}
