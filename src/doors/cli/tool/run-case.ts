// One case of a tool: a JSON file with an input, files of the project, grants, and what must come of it. A case comes with
// the tool, so it grants nothing of the person who runs it: no network, and variables and answers of the model are its own.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { openCell } from "../../../cell.ts";
import { checkJsonText } from "../../../config/check-json-text.ts";
import { readConfigFile } from "../../../config/read-config-file.ts";
import { readJson } from "../../../config/read-json.ts";
import type { Schema } from "../../../config/schema.ts";
import { HotcellError } from "../../../core/errors.ts";
import type { JsonObject } from "../../../core/json.ts";
import { quote } from "../../../core/quote.ts";
import type { Observation } from "../../../core/types.ts";
import { wasmTool } from "../../../tools/wasm/wasm-tool.ts";
import { createCaseModel } from "./case-model.ts";
import { readGrants } from "./read-grants.ts";

interface Case {
  readonly input: JsonObject;
  readonly files: Readonly<Record<string, string>>;
  readonly grant: readonly string[];
  /** The values of granted variables. */
  readonly env: Readonly<Record<string, string>>;
  /** The answers of the model, in order. */
  readonly model: readonly string[];
  readonly output?: JsonObject;
  /** The code of the error that must come. */
  readonly error?: string;
  /** Files as they must be afterwards. */
  readonly changed: Readonly<Record<string, string>>;
}

const TEXTS: Schema = { type: "object", additionalProperties: { type: "string" } };
const TEXT_LIST: Schema = { type: "array", items: { type: "string" } };

const CASE_SCHEMA: Schema = {
  type: "object",
  additionalProperties: false,
  required: ["input"],
  properties: {
    input: { type: "object" },
    files: TEXTS,
    grant: TEXT_LIST,
    env: TEXTS,
    model: TEXT_LIST,
    output: { type: "object" },
    error: { type: "string" },
    changed: TEXTS,
  },
};

/** Null if the case passes, otherwise what came instead. */
export async function runCase(folder: string, file: string): Promise<string | null> {
  const wanted = readCase(file);
  const grant = readGrants(wanted.grant);
  if (grant.network !== undefined)
    throw wrongCase(file, "it grants the network, and cases have none. Use hotcell tool run for that");
  const tool = wasmTool({ path: folder, grant, env: wanted.env });
  const top = fs.mkdtempSync(path.join(os.tmpdir(), "hotcell-tool-"));
  try {
    const workspace = path.join(top, "project");
    fs.mkdirSync(workspace);
    for (const [name, text] of Object.entries(wanted.files)) {
      fs.mkdirSync(path.dirname(path.join(workspace, name)), { recursive: true });
      fs.writeFileSync(path.join(workspace, name), text);
    }
    await using cell = await openCell({
      workspace,
      stateDir: path.join(top, "state"),
      fs: "host",
      toolsets: [],
      tools: [tool],
      trust: "autonomous",
      model: createCaseModel(wanted.model),
    });
    const got = await cell.call({ name: tool.name, arguments: wanted.input });
    return compareResult(wanted, got) ?? compareFiles(wanted, workspace);
  } finally {
    fs.rmSync(top, { recursive: true });
  }
}

function readCase(file: string): Case {
  const json = readJson(readConfigFile(file, file, true)!, file);
  checkJsonText(json, CASE_SCHEMA, file, "CONFIG_INVALID");
  const wanted = {
    files: {},
    grant: [],
    env: {},
    model: [],
    changed: {},
    ...(json.value as unknown as Pick<Case, "input"> & Partial<Case>),
  };
  const names = [...Object.keys(wanted.files), ...Object.keys(wanted.changed)];
  const outside = names.find((name) => path.isAbsolute(name) || name.split("/").includes(".."));
  if (outside !== undefined)
    throw wrongCase(
      file,
      `it names the file ${quote(outside)}; allowed are paths in its project, without ".."`,
    );
  return wanted;
}

function compareResult({ output, error }: Case, got: Observation): string | null {
  if (got.error !== null && got.error.code !== error) return `${got.error.code}: ${got.error.message}`;
  if (error !== undefined && got.error === null) return `it succeeds, and ${error} was expected`;
  return output === undefined || isDeepStrictEqual(got.output, output)
    ? null
    : `the output is ${JSON.stringify(got.output)}, and ${JSON.stringify(output)} was expected`;
}

function compareFiles({ changed }: Case, workspace: string): string | null {
  for (const [name, text] of Object.entries(changed)) {
    const found = readText(path.join(workspace, name));
    if (found !== text)
      return `${name} is ${JSON.stringify(found)}, and ${JSON.stringify(text)} was expected`;
  }
  return null;
}

/** The tool may have put a link there. */
function readText(file: string): string | null {
  return fs.lstatSync(file, { throwIfNoEntry: false })?.isFile() ? fs.readFileSync(file, "utf8") : null;
}

function wrongCase(file: string, problem: string): HotcellError {
  return new HotcellError("CONFIG_INVALID", `Could not use the case ${quote(file)}: ${problem}.`);
}
