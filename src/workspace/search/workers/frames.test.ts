import fc from "fast-check";
import { expect, test } from "vitest";
import { assertProperty } from "../../../../test/kit/assert-property.ts";
import { createFrameReader, frameOf } from "./frames.ts";

test("messages come as they were sent, however the bytes are cut", () => {
  const messages = fc.array(
    fc.record({ text: fc.string({ unit: "binary" }), numbers: fc.array(fc.double()) }),
  );
  const property = fc.property(messages, fc.integer({ min: 1, max: 50 }), (sent, size) => {
    const bytes = Buffer.concat(sent.flatMap(frameOf));
    const read: unknown[] = [];
    const take = createFrameReader((message) => read.push(message));
    for (let at = 0; at < bytes.length; at += size) take(bytes.subarray(at, at + size));
    expect(read).toEqual(sent);
  });
  assertProperty(property);
});
