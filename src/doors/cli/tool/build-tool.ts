import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { readConfigFile } from "../../../config/read-config-file.ts";
import { readJson } from "../../../config/read-json.ts";
import { HotcellError } from "../../../core/errors.ts";
import { isJsonObject, type JsonObject } from "../../../core/json.ts";
import { quote } from "../../../core/quote.ts";
import { MANIFEST_FILE } from "../../../tools/wasm/manifest-schema.ts";
import { wasmTool } from "../../../tools/wasm/wasm-tool.ts";
import { type ExitCode, type Io, printLines } from "../io.ts";
import { compileTool } from "./compile-tool.ts";

/** Compiles the source that the folder has, and writes the hash of the result into the manifest. */
export async function buildTool(io: Io, dir: string): Promise<ExitCode> {
  const folder = path.resolve(io.cwd, dir);
  const file = path.join(folder, MANIFEST_FILE);
  const text = readConfigFile(file, file, true);
  if (text === null)
    throw failed(`${quote(dir)} has no ${MANIFEST_FILE}. Make a tool: hotcell tool new NAME`);
  const manifest = readJson(text, file).value;
  const entry = isJsonObject(manifest) && manifest.entry === "tool.js" ? "tool.js" : "tool.wasm";
  if (entry === "tool.wasm") compileTool(io, folder);
  if (!fs.existsSync(path.join(folder, entry)))
    throw failed(`${quote(dir)} has no ${entry === "tool.js" ? entry : "tool.c, tool.ts or tool.wasm"}`);
  const sha256 = createHash("sha256")
    .update(fs.readFileSync(path.join(folder, entry)))
    .digest("hex");
  const next = isJsonObject(manifest) ? withHash(text, manifest, sha256) : text;
  if (next !== text) fs.writeFileSync(file, next);
  // Refuses what could not be loaded.
  const { name } = wasmTool({ path: folder });
  printLines(io, `Built ${name}: ${entry}, sha256 ${sha256}`);
  return 0;
}

/** Keeps the form of the rest if the text can be changed in place. */
function withHash(text: string, manifest: JsonObject, sha256: string): string {
  if (manifest.sha256 === sha256) return text;
  const { $schema, name, version, description, entry, sha256: _, ...rest } = manifest;
  const head = { $schema, name, version, description, entry, sha256 };
  const wanted = JSON.parse(JSON.stringify({ ...head, ...rest })) as JsonObject;
  const edited =
    typeof manifest.sha256 === "string"
      ? text.replace(`"${manifest.sha256}"`, `"${sha256}"`)
      : text.replace(/("entry"\s*:\s*"[^"]*")/, `$1,\n  "sha256": "${sha256}"`);
  return isSameJson(edited, wanted) ? edited : `${JSON.stringify(wanted, null, 2)}\n`;
}

function isSameJson(text: string, value: JsonObject): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(text), value);
  } catch {
    return false;
  }
}

function failed(problem: string): HotcellError {
  return new HotcellError("EXECUTION_ERROR", `Could not build the tool: ${problem}.`);
}
