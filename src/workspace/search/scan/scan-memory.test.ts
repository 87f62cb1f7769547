import fc from "fast-check";
import { expect, test } from "vitest";
import { assertProperty } from "../../../../test/kit/assert-property.ts";
import { MAX_ROW_LENGTH } from "./byte-row.ts";
import { createScanMemory, WINDOW_BYTES, WINDOW_START } from "./scan-memory.ts";

const memory = createScanMemory();
/** Few letters, so that much nearly matches. */
const bytes = (maxLength: number) =>
  fc
    .array(fc.constantFrom(..."abAB\n@`[{\0é"), { maxLength })
    .map((letters) => Buffer.from(letters.join("")));
const places = fc.tuple(fc.nat(40), fc.nat(40));

/** Puts the text at the window's beginning, between bytes that would match too. */
function put(text: Buffer): { from: number; to: number } {
  memory.bytes.fill("a", WINDOW_START, WINDOW_START + 1000);
  text.copy(memory.bytes, WINDOW_START);
  return { from: WINDOW_START, to: WINDOW_START + text.length };
}

test("find gives what indexOf gives, between any two places", () => {
  const property = fc.property(bytes(60), bytes(6), places, (text, literal, [after, before]) => {
    fc.pre(literal.length > 0 && after + before <= text.length);
    memory.clear();
    const needle = memory.needle(literal, false)!;
    const { from, to } = put(text);
    const found = memory.find(needle, from + after, to - before);
    const expected = text.subarray(after, text.length - before).indexOf(literal);
    expect(found).toBe(expected < 0 ? -1 : from + after + expected);
  });
  assertProperty(property, { numRuns: 5000 });
});

test("ignoring case means ASCII letters, and nothing beside them", () => {
  const property = fc.property(bytes(60), bytes(4), (text, letters) => {
    const literal = Buffer.from(letters.toString("latin1").toLowerCase(), "latin1");
    fc.pre(literal.length > 0);
    memory.clear();
    const needle = memory.needle(literal, true)!;
    const { from, to } = put(text);
    const expected = asciiLower(text).indexOf(asciiLower(literal));
    expect(memory.find(needle, from, to)).toBe(expected < 0 ? -1 : from + expected);
  });
  assertProperty(property, { numRuns: 5000 });
});

test("a NUL is found between any two places", () => {
  const texts = fc.array(fc.constantFrom(..."a".repeat(80), "\0"), { maxLength: 250 });
  const property = fc.property(texts, places, (letters, [after, before]) => {
    const text = Buffer.from(letters.join(""));
    fc.pre(after + before <= text.length);
    const { from, to } = put(text);
    memory.bytes[to] = 0;
    const expected = text.subarray(after, text.length - before).indexOf(0);
    expect(memory.findNul(from + after, to - before)).toBe(expected < 0 ? -1 : from + after + expected);
  });
  assertProperty(property, { numRuns: 5000 });
});

test("newlines are counted between any two places", () => {
  const property = fc.property(bytes(100), places, (text, [after, before]) => {
    const { from, to } = put(text);
    const expected = text
      .subarray(after, Math.max(after, text.length - before))
      .filter((byte) => byte === 10);
    expect(memory.countNewlines(from + after, to - before)).toBe(expected.length);
  });
  assertProperty(property, { numRuns: 5000 });
});

test("a row of sets is found where each byte has both halves in common with bytes of its set", () => {
  const sets = fc.array(fc.uint8Array({ maxLength: 4 }), { minLength: 1, maxLength: MAX_ROW_LENGTH });
  const texts = fc.array(fc.nat({ max: 255 }), { maxLength: 80 }).map((list) => Buffer.from(list));
  const property = fc.property(sets, texts, places, fc.nat(), (members, noise, [after, before], seed) => {
    const text = Buffer.concat([
      noise,
      Buffer.from(members.map((set) => set[seed % set.length] ?? 0)),
      noise,
    ]);
    fc.pre(after + before <= text.length);
    memory.clear();
    const row = memory.row(members.map((set) => new Uint8Array(256).map((_, byte) => +set.includes(byte))))!;
    const { from, to } = put(text);
    const searched = [...text.subarray(after, text.length - before)];
    const isLike = (byte: number | undefined, set: Uint8Array) =>
      byte !== undefined &&
      set.some((one) => (one & 15) === (byte & 15)) &&
      set.some((one) => one >> 4 === byte >> 4);
    const expected = searched.findIndex((_, at) => members.every((set, i) => isLike(searched[at + i], set)));
    expect(memory.findRow(row, from + after, to - before)).toBe(expected < 0 ? -1 : from + after + expected);
  });
  assertProperty(property, { numRuns: 5000 });
});

test("a literal that nearly matches everywhere is found too, and takes no time that grows with its length", () => {
  memory.clear();
  const half = "ab".repeat(2000);
  const needle = memory.needle(Buffer.from(`${half}b${half}`), false)!;
  const text = Buffer.alloc(WINDOW_BYTES - 8001, "ab");
  text.copy(memory.bytes, WINDOW_START);
  const end = WINDOW_START + text.length;
  expect(memory.find(needle, WINDOW_START, end)).toBe(-1);
  memory.bytes.write(`${half}b${half}`, end);
  expect(memory.find(needle, WINDOW_START, end + 8001)).toBe(end);
  expect(needle.hard).not.toBeNull();
});

test("what does not fit is not taken", () => {
  memory.clear();
  expect(memory.needle(Buffer.alloc(200_000, "x"), false)).toBeNull();
  expect(memory.needle(Buffer.alloc(0), false)).toBeNull();
});

function asciiLower(text: Buffer): Buffer {
  return Buffer.from(text.map((byte) => (byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte)));
}
