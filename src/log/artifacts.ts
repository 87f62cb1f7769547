import { hash } from "node:crypto";
import { closeSync, constants, lstatSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { makeDirectory, openRegular, writeWhole } from "./log-file.ts";

/**
 * Stores bytes once under their sha256, which is their id. One process at a time, by the caller's lock:
 * so the unfinished file has one name, and what a kill left of it is overwritten by the next one.
 */
export function storeArtifact(dir: string, bytes: Uint8Array): string {
  const id = hash("sha256", bytes, "hex");
  const file = join(dir, id);
  if (lstatSync(file, { throwIfNoEntry: false })?.size === bytes.length) return id;
  makeDirectory(dir);
  const unfinished = join(dir, "unfinished");
  try {
    writeFile(unfinished, bytes);
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
  return id;
}

function writeFile(file: string, bytes: Uint8Array): void {
  const fd = openRegular(file, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC);
  try {
    writeWhole(fd, bytes, null);
  } finally {
    closeSync(fd);
  }
}
