// Builds dist/ with tsc alone, and writes the published JSON Schema beside the code that it comes from.
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const tsc = path.join(
  path.dirname(createRequire(import.meta.url).resolve("typescript/package.json")),
  "bin/tsc",
);
process.chdir(fileURLToPath(new URL("..", import.meta.url)));
rmSync("dist", { recursive: true, force: true });
execFileSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], { stdio: "inherit" });
const { CONFIG_SCHEMA } = await import("../dist/config/schema.js");
writeFileSync("dist/config/config.schema.json", `${JSON.stringify(CONFIG_SCHEMA, null, 2)}\n`);
