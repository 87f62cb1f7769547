import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createNotesReader } from "./kept-notes.ts";
import { writeNotes } from "./layer-notes.ts";
import type { Layer } from "./record.ts";

const LATER_MS = 3_600_000;

/** The second reading of notes that were, or were not, replaced after the first. */
function readTwice(later: number, replace: (note: (path: string) => void) => void) {
  const stateDir = fs.mkdtempSync(path.join(os.tmpdir(), "hotcell-notes-"));
  onTestFinished(() => fs.rmSync(stateDir, { recursive: true }));
  const layer: Layer = { session: "s", name: "1", call: null, since: 0 };
  fs.mkdirSync(path.join(stateDir, "sessions", "s"), { recursive: true });
  const note = (at: string) =>
    writeNotes(layer, stateDir, { bases: new Map([[at, null]]), hidden: new Set(), moved: new Set() });
  const reading = createNotesReader(() => Date.now() + later);
  note("a");
  const first = reading()(layer, stateDir);
  replace(note);
  const second = reading()(layer, stateDir);
  return { isSame: first === second, noted: [...second.bases.keys()] };
}

test("notes are read once as long as they are not replaced", () => {
  expect(readTwice(LATER_MS, () => {})).toEqual({ isSame: true, noted: ["a"] });
});

test("replaced notes are read again", () => {
  expect(readTwice(LATER_MS, (note) => note("b"))).toEqual({ isSame: false, noted: ["b"] });
});

test("notes that are new are read each time: they may be replaced within the same tick", () => {
  expect(readTwice(0, () => {})).toEqual({ isSame: false, noted: ["a"] });
});
