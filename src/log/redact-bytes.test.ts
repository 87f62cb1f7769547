import { expect, test } from "vitest";
import { createByteRedactor } from "./redact-bytes.ts";

const SECRET = "hunter2-é-hunter2";

function redactIn(parts: readonly Buffer[], secrets: readonly string[]): string {
  const redactor = createByteRedactor(secrets)!;
  return Buffer.concat([...parts.map((part) => redactor.add(part)), redactor.end()]).toString();
}

test("a secret is removed wherever the bytes are split", () => {
  const bytes = Buffer.from(`é ${SECRET}${SECRET} hunter2-é ${JSON.stringify(SECRET)} hunter`);
  for (let at = 0; at <= bytes.length; at++)
    for (const parts of [
      [bytes.subarray(0, at), bytes.subarray(at)],
      [bytes.subarray(0, at), bytes.subarray(at, at + 3), bytes.subarray(at + 3)],
    ])
      expect(redactIn(parts, [SECRET])).toBe('é [redacted][redacted] hunter2-é "[redacted]" hunter');
  expect(
    redactIn(
      [...bytes].map((byte) => Buffer.from([byte])),
      [SECRET],
    ),
  ).not.toContain(SECRET);
});

test("of two secrets that begin alike, the longer one is removed whole", () => {
  for (const split of [1, 3, 4, 5]) {
    const bytes = Buffer.from("abcdef abcd abc");
    expect(redactIn([bytes.subarray(0, split), bytes.subarray(split)], ["abcd", "abcdef"])).toBe(
      "[redacted] [redacted] abc",
    );
  }
});

test("bytes that are not text, and what can't be the beginning of a secret, go through at once", () => {
  const redactor = createByteRedactor(["secret.*"])!;
  const bytes = Buffer.from([0, 255, 128, 10]);
  expect(redactor.add(bytes)).toEqual(bytes);
  expect(redactor.add(Buffer.from("a se")).toString()).toBe("a ");
  expect(redactor.add(Buffer.from("t secretXX")).toString()).toBe("set secretXX");
});

test("without secrets there is nothing to do", () => {
  expect(createByteRedactor([""])).toBeNull();
});
