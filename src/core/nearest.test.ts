import { expect, test } from "vitest";
import { nearest } from "./nearest.ts";

const NAMES = ["read_file", "write_file", "list_directory", "fs.read", "file_read", "constructor"];

test.each([
  ["raed_file", ["read_file"]],
  ["READ_FILE", ["read_file"]],
  ["fs_read", ["fs.read"]],
  ["rm", []],
  ["x".repeat(100_000), []],
])("a misspelt word gives the names near it, best first: %.20s", (word, expected) => {
  expect(nearest(word, NAMES).slice(0, 1)).toEqual(expected);
});

test("no more names are given than asked for", () => {
  expect(nearest("file_rea", ["file_read", "file_reads", "file_ready", "file_real"], 2)).toEqual([
    "file_read",
    "file_real",
  ]);
});
