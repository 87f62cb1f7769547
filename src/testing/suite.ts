// What a contract suite needs of a test framework: nothing but the words to group and to name.
import assert from "node:assert/strict";
import { type ErrorCode, HotcellError } from "../core/errors.ts";

export interface TestWords {
  describe(title: string, body: () => void): void;
  it(title: string, body: () => Promise<void>): void;
}

/** The work must be refused with this code, in words that name what could not be done. */
export function refuses(code: ErrorCode, work: () => unknown): void {
  let refusal: unknown = null;
  try {
    work();
  } catch (error) {
    refusal = error;
  }
  checkRefusal(code, refusal);
}

/** The same, for work that takes its time. */
export async function refusesLater(code: ErrorCode, work: () => Promise<unknown>): Promise<void> {
  checkRefusal(
    code,
    await work().then(
      () => null,
      (error: unknown) => error,
    ),
  );
}

function checkRefusal(code: ErrorCode, refusal: unknown): void {
  assert.ok(refusal instanceof HotcellError, `expected ${code}, got ${refusal ?? "no error"}`);
  assert.equal(refusal.code, code, refusal.message);
  assert.match(refusal.message, /^(Could not|Path|The path|The pattern) .*\.$/s);
}
