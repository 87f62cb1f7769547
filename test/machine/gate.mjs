// Loads what a program imports, says so, and waits to be let in; only then the program begins.
// Usage: node gate.mjs PROGRAM [ARGUMENT…], with descriptor 3 to wait at and 4 to say so.
import { closeSync, readFileSync, readSync, writeSync } from "node:fs";
import { pathToFileURL } from "node:url";

process.argv.splice(1, 1);
const program = pathToFileURL(process.argv[1]);
for (const [, name] of readFileSync(program, "utf8").matchAll(/ from "(\.[^"]+)";$/gm))
  await import(new URL(name, program));
writeSync(4, "ready");
readSync(3, Buffer.alloc(1));
for (const fd of [3, 4]) closeSync(fd);
await import(program);
