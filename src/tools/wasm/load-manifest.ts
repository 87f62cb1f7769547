// Reads a tool's folder: its manifest and its code. What is checked here is what runs: nothing is read again later.
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { checkJsonText } from "../../config/check-json-text.ts";
import { readConfigFile } from "../../config/read-config-file.ts";
import { readJson } from "../../config/read-json.ts";
import { HotcellError, osErrorCode } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { LIMITS } from "../../core/limits.ts";
import { openRegularFile, type RegularFile } from "../../core/open-regular-file.ts";
import { quote } from "../../core/quote.ts";
import { type Capabilities, checkNetwork } from "./grant.ts";
import type { ToolGuestLimits } from "./guest-call.ts";
import { MANIFEST_FILE, MANIFEST_SCHEMA } from "./manifest-schema.ts";
import { findSlowPattern } from "./slow-pattern.ts";

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly entry: "tool.wasm" | "tool.js";
  readonly sha256?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly capabilities?: Capabilities;
  readonly limits?: ToolGuestLimits;
}

export interface LoadedTool {
  readonly manifest: Manifest;
  readonly code: Buffer;
  readonly sha256: string;
}

/** Throws CONFIG_INVALID with the key, what was found and what is allowed. */
function loadManifest(dir: string): Manifest {
  const source = path.join(dir, MANIFEST_FILE);
  const text = readConfigFile(source, source, true);
  if (text === null)
    throw invalid(source, "it does not exist. Give the folder of a tool, or make one: hotcell tool new NAME");
  const json = readJson(text, source);
  checkJsonText(json, MANIFEST_SCHEMA, source, "CONFIG_INVALID");
  const manifest = json.value as unknown as Manifest;
  checkNetwork(manifest.capabilities?.network, (problem) =>
    invalid(source, `"capabilities.network" ${problem}`),
  );
  checkSchema(source, "inputSchema", manifest.inputSchema);
  checkSchema(source, "outputSchema", manifest.outputSchema);
  return manifest;
}

export function loadTool(dir: string): LoadedTool {
  const manifest = loadManifest(dir);
  const file = path.join(dir, manifest.entry);
  const code = readCode(file, manifest.entry === "tool.js" ? LIMITS.maxScriptBytes : LIMITS.maxModuleBytes);
  const sha256 = createHash("sha256").update(code).digest("hex");
  if (manifest.sha256 !== undefined && manifest.sha256 !== sha256)
    throw invalid(
      path.join(dir, MANIFEST_FILE),
      `"sha256" is ${quote(manifest.sha256)}, and ${manifest.entry} has ${quote(sha256)}. If the code is the one that you want, run hotcell tool build`,
    );
  return { manifest, code, sha256 };
}

function checkSchema(source: string, key: string, schema: JsonObject | undefined): void {
  if (schema === undefined) return;
  if (schema.type !== "object")
    throw invalid(source, `"${key}.type" is ${quote(schema.type)}; allowed is "object"`);
  const slow = findSlowPattern(schema);
  if (slow !== null)
    throw invalid(
      source,
      `"${key}" has the pattern ${quote(slow)}; allowed are patterns without repeats of repeats, of alternatives or of back-references, which may take for ever`,
    );
}

/** No link: the code is in the folder itself. */
function readCode(file: string, maxBytes: number): Buffer {
  let opened: RegularFile | null;
  try {
    opened = openRegularFile(file, fs.constants.O_NOFOLLOW);
  } catch (error) {
    const code = osErrorCode(error);
    const state =
      code === "ENOENT"
        ? "it does not exist. Build the tool first: hotcell tool build"
        : `it cannot be opened (${code}). It must be a file, not a link`;
    throw invalid(file, state);
  }
  if (opened === null) throw invalid(file, "it is not a regular file");
  const { fd, stat } = opened;
  try {
    if (stat.size > maxBytes) throw invalid(file, `it has ${stat.size} bytes; allowed are ${maxBytes}`);
    return fs.readFileSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

function invalid(source: string, problem: string): HotcellError {
  return new HotcellError("CONFIG_INVALID", `Could not use ${quote(source)}: ${problem}.`, { source });
}
