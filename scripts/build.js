// Builds dist/ with tsc alone, and writes the published JSON Schemas beside the code that they come from.
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
const { PROFILE_SCHEMA } = await import("../dist/config/profile-schema.js");
const { MANIFEST_SCHEMA } = await import("../dist/tools/wasm/manifest-schema.js");
const publish = (file, schema) => writeFileSync(file, `${JSON.stringify(schema, null, 2)}\n`);
publish("dist/config/profile.schema.json", PROFILE_SCHEMA);
publish("dist/config/config.schema.json", CONFIG_SCHEMA);
publish("dist/tools/wasm/tool-manifest.schema.json", MANIFEST_SCHEMA);
