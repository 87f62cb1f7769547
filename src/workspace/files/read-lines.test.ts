import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assertProperty } from "../../../test/kit/assert-property.ts";
import { LIMITS } from "../../core/limits.ts";
import { type Lines, readLines } from "./read-lines.ts";
import type { OpenedFile } from "./workspace-fs.ts";

const NEVER = new AbortController().signal;
const ROOMY = 1000;

/** A file that is read in pieces of this size. */
function fileOf(content: Buffer, pieceBytes = 7, size = content.length): OpenedFile {
  function* chunks() {
    for (let at = 0; at < content.length; at += pieceBytes) yield content.subarray(at, at + pieceBytes);
  }
  return { path: "f", size, chunks, close() {} };
}

function read(text: string | Buffer, start: number, end: number, maxBytes = ROOMY): Promise<Lines> {
  return readLines(
    fileOf(Buffer.from(text as string)),
    { start, end, maxBytes, lineCost: 0, maxHashBytes: LIMITS.maxHashBytes },
    NEVER,
  );
}

const WHOLE = { nextLine: null, cutWithinLine: false, lossy: false };

describe("a range of lines", () => {
  test.each([
    ["all", "one\ntwo\nthree\n", 1, Infinity, ["one", "two", "three"], 3],
    ["the middle", "one\ntwo\nthree\n", 2, 2, ["two"], 3],
    ["a last line without a newline", "one\ntwo", 2, 9, ["two"], 2],
    ["empty lines", "\n\nx\n\n", 1, 4, ["", "", "x", ""], 4],
    ["nothing after the end", "one\n", 2, 5, [], 1],
    ["nothing of an empty file", "", 1, Infinity, [], 0],
    ["carriage returns as they are", "a\r\nb\r\n", 1, 2, ["a\r", "b\r"], 2],
  ])("gives %s", async (_, text, start, end, lines, total) => {
    const sha256 = createHash("sha256").update(text).digest("hex");
    expect(await read(text, start, end)).toEqual({
      ...WHOLE,
      lines,
      total,
      sha256,
      bytes: Buffer.byteLength(text),
    });
  });

  test("is the same however the file is cut into pieces", async () => {
    const text = fc.stringMatching(/^[ab\né😀]{0,60}$/u);
    const range = fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 9 }));
    await assertProperty(
      fc.asyncProperty(
        text,
        fc.integer({ min: 1, max: 9 }),
        range,
        async (content, pieceBytes, [start, more]) => {
          const wanted = {
            start,
            end: start + more,
            maxBytes: ROOMY,
            lineCost: 0,
            maxHashBytes: LIMITS.maxHashBytes,
          };
          const { lines, total } = await readLines(fileOf(Buffer.from(content), pieceBytes), wanted, NEVER);
          const all = content.split("\n").slice(0, content.endsWith("\n") || content === "" ? -1 : undefined);
          expect({ lines, total }).toEqual({ lines: all.slice(start - 1, start + more), total: all.length });
        },
      ),
    );
  });
});

describe("what does not fit", () => {
  test("is left out by whole lines, and the next line is named", async () => {
    expect(await read("1234\n1234\n1234\n", 1, 3, 12)).toMatchObject({
      lines: ["1234", "1234"],
      nextLine: 3,
      cutWithinLine: false,
    });
  });

  test("is nothing when the range fits to the byte", async () => {
    expect(await read("1234\n1234\n1234\n", 1, 2, 10)).toMatchObject({ ...WHOLE, lines: ["1234", "1234"] });
  });

  test("of a line that is too long by itself is cut, between characters", async () => {
    expect(await read("skipped\nééééé\nnext\n", 2, 3, 5)).toMatchObject({
      lines: ["éé"],
      nextLine: 3,
      cutWithinLine: true,
      lossy: false,
    });
  });

  test("does not change total and sha256", async () => {
    const { total, sha256 } = await read("a\nb\nc\n", 1, 3);
    expect(await read("a\nb\nc\n", 1, 3, 2)).toMatchObject({ total, sha256 });
  });
});

describe("bytes that are not UTF-8", () => {
  test("are shown as U+FFFD, with a note", async () => {
    expect(await read(Buffer.from([0x61, 0xff, 0x0a, 0xc3]), 1, 2)).toMatchObject({
      lines: ["a\uFFFD", "\uFFFD"],
      lossy: true,
    });
  });

  test("have no note if the file contains U+FFFD itself", async () => {
    expect(await read("a\uFFFD\n", 1, 1)).toMatchObject({ lines: ["a\uFFFD"], lossy: false });
  });
});

test("a file that has grown since it was opened is read up to its old size, and the rest is reported", async () => {
  const grown = "one\ntwo\nthree\n";
  const wanted = { start: 1, end: 9, maxBytes: ROOMY, lineCost: 0, maxHashBytes: ROOMY };
  expect(await readLines(fileOf(Buffer.from(grown), 5, "one\ntwo\n".length), wanted, NEVER)).toEqual({
    ...WHOLE,
    lines: ["one", "two"],
    nextLine: 3,
    total: 3,
    sha256: createHash("sha256").update(grown).digest("hex"),
    bytes: grown.length,
  });
});

describe("a file that is too large to be hashed", () => {
  test("is read only as far as the range needs", async () => {
    const pulled: number[] = [];
    const file = fileOf(Buffer.from("one\ntwo\nthree\nfour\n"), 4, LIMITS.maxHashBytes + 1);
    const counted = {
      ...file,
      *chunks() {
        for (const piece of file.chunks()) yield piece.subarray(0, pulled.push(piece.length) && undefined);
      },
    };
    const lines = await readLines(
      counted,
      { start: 1, end: 2, maxBytes: ROOMY, lineCost: 0, maxHashBytes: LIMITS.maxHashBytes },
      NEVER,
    );
    expect(lines).toEqual({ ...WHOLE, lines: ["one", "two"], total: null, sha256: null, bytes: 8 });
    expect(pulled).toEqual([4, 4]);
  });
});

test("an abort ends a long read with the signal's reason", async () => {
  const controller = new AbortController();
  let pulled = 0;
  const endless: OpenedFile = {
    path: "f",
    size: LIMITS.maxHashBytes + 1,
    close() {},
    *chunks() {
      for (; ; pulled++) {
        if (pulled === 20) setImmediate(() => controller.abort(new Error("enough")));
        yield Buffer.from("no newline");
      }
    },
  };
  const reading = readLines(
    endless,
    { start: 2, end: 2, maxBytes: ROOMY, lineCost: 0, maxHashBytes: LIMITS.maxHashBytes },
    controller.signal,
  );
  await expect(reading).rejects.toThrow("enough");
  expect(pulled).toBeLessThan(60);
});
