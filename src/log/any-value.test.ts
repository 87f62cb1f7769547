import fc from "fast-check";
import { expect, test } from "vitest";
import { assertProperty } from "../../test/kit/assert-property.ts";
import { execOf, intentOf, makeRunLog } from "../../test/kit/worlds/run-log.ts";
import { LIMITS } from "../core/limits.ts";

/** Any UTF-16 units, lone surrogates and controls among them. */
const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 400 })
    .map((units) => String.fromCharCode(...units)),
);

const anyValue = fc.oneof(
  anyText,
  fc.anything({
    key: anyText,
    maxDepth: 12,
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withObjectString: true,
    withSet: true,
    withSparseArray: true,
    withTypedArray: true,
  }),
  fc.array(fc.array(anyText, { minLength: 20, maxLength: 80 }), { maxLength: 80 }),
  fc.dictionary(anyText, anyText, { size: "large" }),
);

const NOT_INERT = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

test("any value gives exactly one inert, bounded line for each event, and the chain verifies", () => {
  const run = makeRunLog();
  const log = run.open({ secrets: ["a"] });
  let before = 0;
  assertProperty(
    fc.property(anyText, anyText, anyValue, anyValue, (id, toolName, input, output) => {
      const intent = log.intent(intentOf(id, { toolName, input, digest: toolName }));
      log.exec(execOf(id, { intent, toolName, agentId: toolName, input, output, stack: id.repeat(20) }));
      const lines = run.lines().slice(before);
      before += lines.length;
      expect(lines.map((line) => JSON.parse(line).kind)).toEqual(["tool.intent", "tool.exec"]);
      expect(
        lines.filter((line) => Buffer.byteLength(line) > LIMITS.maxLogRecordBytes || NOT_INERT.test(line)),
      ).toEqual([]);
    }),
    { numRuns: 300 },
  );
  expect(run.verify()).toMatchObject({ ok: true, records: before, unknown: [] });
});
