import fs from "node:fs";

/** Returns an empty string if reading fails: a process may have ended, or a setting may not exist. */
export function readSystemText(file: string): string {
  try {
    return fs.readFileSync(file, "latin1");
  } catch {
    return "";
  }
}
