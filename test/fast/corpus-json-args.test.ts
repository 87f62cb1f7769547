import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { JsonObject } from "../../src/core/json.ts";
import { LIMITS } from "../../src/core/limits.ts";
import type { CallRequest, Meta, MountsObservation, Observation } from "../../src/core/types.ts";
import { STUDIO_STAND_INS } from "../kit/worlds/stand-ins.ts";
import { openTempCell } from "../kit/worlds/temp-cell.ts";

type Text = string | { readonly gen: readonly (readonly [string, number])[] };

interface Row {
  readonly id: string;
  readonly cat: string;
  readonly tool: Text;
  readonly raw: Text;
  readonly expected: "accept" | "reject" | "either";
  readonly code?: string;
  readonly never?: readonly string[];
  readonly reason: string;
}

const ROWS: readonly Row[] = readFileSync(new URL("../corpus/json_args.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));

/** What a toolset calls a code that the corpus names in 002's form. */
const CODES: Readonly<Record<string, readonly string[]>> = {
  E_INVALID_ARGUMENTS: ["E_INVALID_ARGUMENTS", "INVALID_ARGUMENTS"],
  UNKNOWN_TOOL: ["UNKNOWN_TOOL"],
  E_WRITE_LIMIT: ["E_WRITE_LIMIT"],
  E_PRECONDITION_FAILED: ["E_PRECONDITION_FAILED"],
};

interface Answer {
  readonly success: boolean;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly output: JsonObject | null;
  readonly meta: Meta;
}

/** Through the whole pipeline, with stand-ins for tools that would start something. */
async function attempt(row: Row): Promise<{ observation: Answer; records: JsonObject[] }> {
  const options = { toolsets: ["sidecar", "mounts"], tools: STUDIO_STAND_INS, trust: "autonomous" } as const;
  const { cell, records } = await openTempCell(options, { "README.md": "one\ntwo\n" });
  const state = path.join(cell.logFile, "../../state/workflow.md");
  writeFileSync(state, "---\ncurrentNodeId: n1\n---\nBody\n");
  const given = await cell.call<Observation | MountsObservation>(requestOf(row));
  return { observation: "ok" in given ? answerOf(given) : given, records: records() };
}

function answerOf(given: MountsObservation): Answer {
  const { ok, meta, error, ...output } = given;
  return ok
    ? { success: true, error: null, output: output as JsonObject, meta }
    : { success: false, error: error as Answer["error"], output: null, meta };
}

function requestOf({ cat, tool, raw }: Row): CallRequest | string {
  if (cat === "envelope") return expand(raw);
  if (cat !== "callid") return { name: expand(tool), arguments: expand(raw) };
  const { toolCallId, arguments: args } = JSON.parse(expand(raw));
  return { id: toolCallId, name: expand(tool), arguments: args };
}

function expand(text: Text): string {
  return typeof text === "string" ? text : text.gen.map(([part, count]) => part.repeat(count)).join("");
}

const prototypeKeys = Reflect.ownKeys(Object.prototype);

test.each(ROWS)("$id $cat, $expected: $reason", async (row) => {
  const { observation, records } = await attempt(row);
  if (row.expected !== "either") expect(observation.success).toBe(row.expected === "accept");
  if (observation.success) checkAcceptance(row, observation);
  else checkRejection(row, observation);
  expect(records.filter(({ kind }) => kind === "tool.exec")).toEqual([
    expect.objectContaining({ toolCallId: observation.meta.callId, outcome: observation.meta.outcome }),
  ]);
  expect(Reflect.ownKeys(Object.prototype)).toEqual(prototypeKeys);
});

function checkRejection({ code }: Row, { error }: Answer): void {
  if (code) expect(code.split("|").flatMap((name) => CODES[name])).toContain(error?.code);
  expect(error?.message.length).toBeLessThan(1000);
  expect(error?.message).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
}

function checkAcceptance(row: Row, { output, meta }: Answer): void {
  expect(row.never ?? []).not.toContain("write happens");
  expect(row.reason).not.toContain("embedded in prose");
  if (row.never?.includes("log line split")) expect(meta.callId).toMatch(/^[^\p{C}\p{Zl}\p{Zp}]{1,256}$/u);
  if (row.never?.includes("fire immediately")) {
    expect(output?.timeoutMs).toBeGreaterThanOrEqual(1000);
    expect(output?.timeoutMs).toBeLessThanOrEqual(LIMITS.maxTimerMs);
  }
}

test("every row of the corpus is there", () => {
  expect(ROWS.length).toBe(126);
});
