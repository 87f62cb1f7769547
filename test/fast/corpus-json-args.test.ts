import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { ErrorCode } from "../../src/core/errors.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { LIMITS } from "../../src/core/limits.ts";
import type { CallRequest, Observation } from "../../src/core/words.ts";
import { MOUNT_STAND_INS, STUDIO_STAND_INS } from "../kit/stand-ins.ts";
import { openTempCell } from "../kit/temp-cell.ts";

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

const CODES: Readonly<Record<string, ErrorCode>> = {
  E_INVALID_ARGUMENTS: "INVALID_ARGUMENTS",
  UNKNOWN_TOOL: "UNKNOWN_TOOL",
  E_WRITE_LIMIT: "FILE_TOO_LARGE",
  E_PRECONDITION_FAILED: "PRECONDITION_FAILED",
};

const standIns = [...MOUNT_STAND_INS, ...STUDIO_STAND_INS];

/** Through the whole pipeline, with stand-ins for the tools that are not built yet. */
async function attempt(row: Row): Promise<{ observation: Observation; records: JsonObject[] }> {
  const files = { "README.md": "one\ntwo\n" };
  const { cell, records } = await openTempCell({ tools: standIns, trust: "autonomous" }, files);
  const observation = await cell.call(requestOf(row));
  return { observation, records: records() };
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

function checkRejection({ code }: Row, { error }: Observation): void {
  if (code) expect(code.split("|").map((name) => CODES[name])).toContain(error?.code);
  expect(error?.message.length).toBeLessThan(1000);
  expect(error?.message).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
}

function checkAcceptance(row: Row, { output, meta }: Observation): void {
  expect(row.never ?? []).not.toContain("write happens");
  expect(row.reason).not.toContain("embedded in prose");
  if (row.never?.includes("log line split")) expect(meta.callId).toMatch(/^[^\p{C}\p{Zl}\p{Zp}]{1,256}$/u);
  if (row.never?.includes("fire immediately")) {
    expect(output?.timeoutMs).toBeGreaterThanOrEqual(1000);
    expect(output?.timeoutMs).toBeLessThanOrEqual(LIMITS.maxTimeoutMs);
  }
}

test("every row of the corpus is there", () => {
  expect(ROWS.length).toBe(126);
});
