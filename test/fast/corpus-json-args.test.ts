import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseCall } from "../../src/call/parse.ts";
import { type ErrorCode, HotcellError } from "../../src/core/errors.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { LIMITS } from "../../src/core/limits.ts";
import type { CallRequest } from "../../src/core/words.ts";
import { BUILTIN_TOOLS } from "../../src/tools/builtin-tools.ts";
import type { Kit } from "../../src/tools/define-tool.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { createValidator } from "../../src/tools/validate.ts";
import { MOUNT_STAND_INS, STUDIO_STAND_INS } from "../kit/stand-ins.ts";

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

interface Attempt {
  readonly id: string;
  readonly arguments: JsonObject;
  /** Only stand-ins are run: built-in tools would need a workspace. */
  readonly output: JsonObject | null;
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
const registry = createRegistry();
for (const tool of [...BUILTIN_TOOLS, ...standIns]) registry.register(tool);
const validate = await createValidator([...BUILTIN_TOOLS, ...standIns]);

async function attempt(row: Row): Promise<Attempt> {
  const { call } = parseCall(requestOf(row), () => "new-id");
  const tool = registry.get(call.name);
  if (!tool) throw new HotcellError("UNKNOWN_TOOL", "Could not look up the tool.");
  const { arguments: args } = validate(tool, call.arguments);
  const signal = new AbortController().signal;
  const output = standIns.includes(tool) ? await tool.run(args, {} as Kit, signal) : null;
  return { id: call.id, arguments: args, output };
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

async function outcomeOf(row: Row): Promise<Attempt | HotcellError> {
  try {
    return await attempt(row);
  } catch (error) {
    if (error instanceof HotcellError) return error;
    throw error;
  }
}

const prototypeKeys = Reflect.ownKeys(Object.prototype);

test.each(ROWS)("$id $cat, $expected: $reason", async (row) => {
  const outcome = await outcomeOf(row);
  if (row.expected === "accept") expect(outcome).not.toBeInstanceOf(HotcellError);
  if (row.expected === "reject") expect(outcome).toBeInstanceOf(HotcellError);
  if (outcome instanceof HotcellError) checkRejection(row, outcome);
  else checkAcceptance(row, outcome);
  expect(Reflect.ownKeys(Object.prototype)).toEqual(prototypeKeys);
});

function checkRejection({ code }: Row, error: HotcellError): void {
  if (code) expect(code.split("|").map((name) => CODES[name])).toContain(error.code);
  expect(error.message.length).toBeLessThan(1000);
  expect(error.message).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
}

function checkAcceptance(row: Row, { id, arguments: args, output }: Attempt): void {
  expect(row.never ?? []).not.toContain("write happens");
  expect(row.reason).not.toContain("embedded in prose");
  if (row.cat === "benign" || row.cat === "size") expect(args).toEqual(JSON.parse(expand(row.raw)));
  if (row.never?.includes("log line split")) expect(id).toMatch(/^[^\p{C}\p{Zl}\p{Zp}]{1,256}$/u);
  if (row.never?.includes("fire immediately")) {
    expect(output?.timeoutMs).toBeGreaterThanOrEqual(1000);
    expect(output?.timeoutMs).toBeLessThanOrEqual(LIMITS.maxTimeoutMs);
  }
}

test("every row of the corpus is there", () => {
  expect(ROWS.length).toBe(126);
});
