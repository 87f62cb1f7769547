import { createHash, hash } from "node:crypto";
import { closeSync, constants, lstatSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { processToken, tokenIsAlive } from "../core/process-token.ts";
import { logNamesIn, makeLogDirectory, openLogFile, writeWhole } from "./log-file.ts";

/**
 * Stores bytes once under their sha256, which is their id. Only the owner of the log may call it: so the unfinished file
 * has one name, and the next call overwrites what a killed process left of it.
 */
export function storeArtifact(dir: string, bytes: Uint8Array): string {
  const id = hash("sha256", bytes, "hex");
  const file = join(dir, id);
  if (lstatSync(file, { throwIfNoEntry: false })?.size === bytes.length) return id;
  makeLogDirectory(dir);
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
  const fd = openLogFile(file, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC);
  try {
    writeWhole(fd, bytes, null);
  } finally {
    closeSync(fd);
  }
}

/** Writes an artifact in parts, if it is too long for memory. */
export interface ArtifactWriter {
  write(bytes: Uint8Array): void;
  /** Returns the id. */
  finish(): string;
  abandon(): void;
}

const UNFINISHED = "unfinished-";

export function openArtifact(dir: string): ArtifactWriter {
  makeLogDirectory(dir);
  removeAbandoned(dir);
  const unfinished = join(dir, UNFINISHED + processToken());
  const fd = openLogFile(unfinished, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL);
  const sha256 = createHash("sha256");
  return {
    write(bytes) {
      sha256.update(bytes);
      writeWhole(fd, bytes, null);
    },
    finish() {
      closeSync(fd);
      const id = sha256.digest("hex");
      renameSync(unfinished, join(dir, id));
      return id;
    },
    abandon() {
      closeSync(fd);
      rmSync(unfinished, { force: true });
    },
  };
}

/** Removes unfinished files of killed processes. */
function removeAbandoned(dir: string): void {
  for (const name of logNamesIn(dir)) {
    if (name.startsWith(UNFINISHED) && !tokenIsAlive(name.slice(UNFINISHED.length)))
      rmSync(join(dir, name), { force: true });
  }
}
