// The functions of a test framework that a contract suite needs: to group and to name tests.
import assert from "node:assert/strict";
import { type ErrorCode, HotcellError } from "../core/errors.ts";

export interface TestApi {
  describe(title: string, body: () => void): void;
  it(title: string, body: () => Promise<void>): void;
}

/** The work must be refused with this code, and the message must name the action that failed. */
export function expectRefusal(code: ErrorCode, work: () => unknown): void {
  let refusal: unknown = null;
  try {
    work();
  } catch (error) {
    refusal = error;
  }
  checkRefusal(code, refusal);
}

/** The same, for work that takes its time. */
export async function expectLaterRefusal(code: ErrorCode, work: () => Promise<unknown>): Promise<void> {
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
