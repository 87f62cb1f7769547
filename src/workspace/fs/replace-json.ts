import fs from "node:fs";

/** The text is durable when this returns. */
export function writeSynced(file: string, text: string): void {
  const fd = fs.openSync(file, "w", 0o600);
  try {
    fs.writeFileSync(fd, text);
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** Replaces a file atomically: after a kill or a power failure it is entirely old or entirely new. */
export function replaceJson(file: string, value: unknown): void {
  writeSynced(`${file}.new`, `${JSON.stringify(value)}\n`);
  fs.renameSync(`${file}.new`, file);
}
