#!/usr/bin/env node
// The version needs none of the code behind the commands: each loads what it uses.
import { existsSync, readFileSync } from "node:fs";

const [first] = process.argv.slice(2);
const main = new URL("../dist/doors/cli/main.js", import.meta.url);
if (first === "--version" || first === "-V") {
  process.stdout.write(
    `${JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version}\n`,
  );
} else if (existsSync(main)) {
  const { runCli } = await import(main.href);
  process.exitCode = await runCli(process.argv.slice(2));
} else {
  process.stderr.write("hotcell is not built yet. Run: npm ci && npm run build\n");
  process.exitCode = 2;
}
