// Set-up of the vitest project machine-as-user: its processes drop root permanently, before the first test file is loaded.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const NOBODY = 65534;
/** A supplementary group, for projects that are shared with it. */
const OTHER_GROUP = 1234;

if (process.getuid!() === 0) {
  process.setgroups!([OTHER_GROUP]);
  process.setgid!(NOBODY);
  process.setuid!(NOBODY);
  becomeDumpable();
}

/** Otherwise its child processes could not open its `/proc/PID/fd`, as they can for processes that never were root. */
function becomeDumpable(): void {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "hotcell-dumpable-"));
  const library = path.join(dir, "dumpable.node");
  const source = path.join(import.meta.dirname, "native/dumpable.c");
  execFileSync("cc", ["-shared", "-fPIC", "-o", library, source]);
  try {
    process.dlopen({ exports: {} }, library);
  } catch {
    // This is not a Node module; `dlopen` throws after it has loaded the library.
  }
  fs.rmSync(dir, { recursive: true });
}
