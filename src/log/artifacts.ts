import { createHash, hash } from "node:crypto";
import { closeSync, constants, lstatSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { processToken, tokenIsAlive } from "../core/lock.ts";
import { logNamesIn, makeLogDirectory, openLogFile, writeWhole } from "./log-file.ts";

/**
 * Stores bytes once under their sha256, which is their id. For the owner of the log alone: so the unfinished
 * file has one name, and what a kill left of it is overwritten by the next one.
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

/** Takes what is too long to be held in memory, as it comes. */
export interface ArtifactWriter {
  write(bytes: Uint8Array): void;
  /** Gives its id. */
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

/** What processes that were killed have left. */
function removeAbandoned(dir: string): void {
  for (const name of logNamesIn(dir)) {
    if (name.startsWith(UNFINISHED) && !tokenIsAlive(name.slice(UNFINISHED.length)))
      rmSync(join(dir, name), { force: true });
  }
}
