import fs from "node:fs";

/** Empty when it can't be read: a process may end, a setting may not be there. */
export function readSystemText(file: string): string {
  try {
    return fs.readFileSync(file, "latin1");
  } catch {
    return "";
  }
}
