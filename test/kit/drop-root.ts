import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const NOBODY = 65534;

/** From here on this process is an ordinary user's, also of these groups, for good: for test files that run in a process of their own. */
export function dropRoot(groups: readonly number[] = []): void {
  if (process.getuid?.() !== 0) return;
  process.setgroups!([...groups]);
  process.setgid!(NOBODY);
  process.setuid!(NOBODY);
  becomeDumpable();
}

/** Else the programs that it starts could not open `/proc/PID/fd` of it, as they can of any user's process. */
function becomeDumpable(): void {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "hotcell-dumpable-"));
  const library = path.join(dir, "dumpable.node");
  execFileSync("cc", ["-shared", "-fPIC", "-o", library, path.join(import.meta.dirname, "dumpable.c")]);
  try {
    process.dlopen({ exports: {} }, library);
  } catch {
    // It is no module of Node's, which is found only when it was loaded.
  }
  fs.rmSync(dir, { recursive: true });
}
