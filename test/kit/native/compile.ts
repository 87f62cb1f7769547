import { execFileSync } from "node:child_process";
import path from "node:path";

/** Compiles a C program of this folder into a directory. Returns its path. */
export function compile(name: string, into: string): string {
  const program = path.join(into, name);
  execFileSync("cc", ["-O2", "-Wall", "-Werror", "-o", program, path.join(import.meta.dirname, `${name}.c`)]);
  return program;
}
