// Loads the imports of a program, reports that it is ready, and waits. Then the program begins.
// Usage: node gate.mjs PROGRAM [ARGUMENT…]. It waits for input on descriptor 3 and reports on descriptor 4.
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
