import fs from "node:fs";
import path from "node:path";
import { openRemembered } from "../../approval/remembered.ts";
import { openPreview } from "../../call/tools-and-policy.ts";
import { osErrorCode } from "../../core/errors.ts";
import { inertJson } from "../../core/inert-json.ts";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { parseJson } from "../../core/parse-json.ts";
import { quote } from "../../core/quote.ts";
import { type PolicyTestResult, readPolicyTest, runPolicyTest } from "../../policy/policy-test.ts";
import { formatOrigin } from "../../policy/rule.ts";
import { cellOptions } from "./cell-options.ts";
import { type ExitCode, type Io, printJson, printLines, usage } from "./io.ts";
import type { CellFlags } from "./main.ts";
import { type SessionFlags, sessionStoreFor } from "./session/find-session.ts";

/** Exit 0 for every verdict: it is an answer, not a failure. */
export async function explainPolicy(
  io: Io,
  tool: string,
  given: string | undefined,
  flags: CellFlags,
): Promise<ExitCode> {
  const args = readArguments(given ?? "{}");
  const cell = await openPreview(await cellOptions(io, flags));
  try {
    const verdict = cell.explain(tool, args);
    if (flags.json === true) printJson(io, verdict, true);
    else
      printLines(
        io,
        verdict.decision,
        `  ${verdict.reason}`,
        `  rule: ${verdict.rule.text} (${formatOrigin(verdict.rule)})`,
      );
    return 0;
  } finally {
    cell.close();
  }
}

/** The answers of persons that hold for longer than one call. */
export function listRemembered(io: Io, flags: SessionFlags): ExitCode {
  const answers = openRemembered(sessionStoreFor(io, flags).stateDir).list();
  if (flags.json === true) printJson(io, answers, true);
  else if (answers.length === 0) printLines(io, "hotcell remembers no answer.");
  else
    printLines(
      io,
      ...answers.map(
        ({ id, rule, tool, for: kind, of }) =>
          `${id}  ${rule ?? `${tool}, one exact call`}  for ${kind} ${of}`,
      ),
    );
  return 0;
}

export function revokeRemembered(io: Io, id: string, flags: SessionFlags): ExitCode {
  openRemembered(sessionStoreFor(io, flags).stateDir).revoke(id);
  printLines(io, `Forgot ${id}.`);
  return 0;
}

export async function testPolicy(io: Io, file: string, flags: CellFlags): Promise<ExitCode> {
  const test = readPolicyTest(readFile(io, file), file);
  const { tests: _, ...settings } = test;
  const cell = await openPreview({ ...(await cellOptions(io, flags)), ...settings });
  try {
    const results = runPolicyTest(test, cell.explain);
    const failed = results.filter(({ problem }) => problem !== null);
    if (flags.json === true) printJson(io, results.map(summary), true);
    else
      printLines(io, ...failed.map(describe), `${results.length - failed.length} of ${results.length} hold`);
    return failed.length === 0 ? 0 : 1;
  } finally {
    cell.close();
  }
}

function readArguments(text: string): JsonObject {
  const value = parseJson(text);
  if (!isJsonObject(value)) throw usage(`The arguments are ${quote(value)}; give a JSON object.`);
  return value;
}

function readFile(io: Io, file: string): string {
  try {
    return fs.readFileSync(path.resolve(io.cwd, file), "utf8");
  } catch (error) {
    throw usage(`Could not read the policy test ${quote(file)}: the system refused (${osErrorCode(error)}).`);
  }
}

function summary({ entry, verdict, problem }: PolicyTestResult): JsonObject {
  return { ...entry, got: verdict?.decision ?? null, by: verdict?.rule.text ?? null, problem };
}

function describe({ entry, problem }: PolicyTestResult): string {
  return `FAILED ${entry.tool} ${inertJson(entry.arguments ?? {})}: ${problem}`;
}
