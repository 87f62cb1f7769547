import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openLeftovers } from "./leftovers.ts";
import { openRoot, type Root, TEMP_PREFIX } from "./paths.ts";

/** Of a process that there can't be. */
const TEMPORARY = `${TEMP_PREFIX}0:killed-0`;

let home: string;
let notes: string;
let root: Root;

beforeEach(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), "hotcell-leftovers-"));
  notes = path.join(home, "notes");
  fs.mkdirSync(notes);
  fs.mkdirSync(path.join(home, "project/d"), { recursive: true });
  root = openRoot(path.join(home, "project"));
});
afterEach(() => {
  fs.closeSync(root.fd);
  fs.rmSync(home, { recursive: true });
});

describe("a temporary file that a kill left is cleared away with its note", () => {
  const leave = () => fs.writeFileSync(path.join(home, "project/d", TEMPORARY), "half");
  const left = () => [...fs.readdirSync(notes), ...fs.readdirSync(path.join(home, "project/d"))];

  test("where the note is a link", () => {
    leave();
    fs.symlinkSync("./d", path.join(notes, TEMPORARY));
    openLeftovers(root, notes);
    expect(left()).toEqual([]);
  });

  test("where it is a file, for want of so long a link", () => {
    leave();
    fs.writeFileSync(path.join(notes, TEMPORARY), "./d");
    openLeftovers(root, notes);
    expect(left()).toEqual([]);
  });

  test("where it is a file that the kill cut off, before anything was made", () => {
    fs.writeFileSync(path.join(notes, TEMPORARY), "");
    openLeftovers(root, notes);
    expect(left()).toEqual([]);
  });
});

test("a place too deep for a link is noted, and settled", () => {
  const leftovers = openLeftovers(root, notes);
  const temporary = leftovers.announce("d/".repeat(3000));
  expect(fs.readdirSync(notes)).toEqual([temporary]);
  leftovers.settle(temporary);
  expect(fs.readdirSync(notes)).toEqual([]);
});
