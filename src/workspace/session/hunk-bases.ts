// Where some hunks of a file were committed into what somebody else had made of it, the session has not seen that:
// for the next merge it begins with what it began with before, and these hunks.
import fs from "node:fs";
import { pathTo } from "../commit/exactly.ts";
import { sha256Of } from "../commit/fingerprint.ts";
import { readJournal, readSteps } from "../commit/journal.ts";
import { openKeptUndo } from "../commit/kept-undo.ts";
import { bytesOf, textOf } from "../diff/text.ts";
import { threeWayMerge } from "../diff/three-way-merge.ts";
import { readStack, textOfBase } from "./bases.ts";
import { keepText, readNotes, writeNotes } from "./layer-notes.ts";
import type { Layer, SessionRecord } from "./record.ts";

/** Done twice it is done once. */
export function moveHunkBases(txDir: string, { stack }: SessionRecord, layer: Layer, stateDir: string): void {
  const known = readStack(stack, stateDir);
  const notes = readNotes(layer, stateDir);
  let isMoved = false;
  for (const { path, before, after } of mergedHunks(txDir)) {
    const base = known.bases.get(path)?.base;
    const text = textOfBase(path, known, stateDir);
    if (text === null || base === undefined || base === null || base === "unknown") continue;
    const moved = threeWayMerge(before, text, after);
    if ("conflict" in moved) continue;
    const sha256 = sha256Of(bytesOf(moved.text));
    keepText(layer, stateDir, sha256, moved.text);
    notes.bases.set(path, { ...base, sha256, ino: "", dev: "" });
    isMoved = true;
  }
  if (isMoved) writeNotes(layer, stateDir, notes);
}

interface MergedHunks {
  readonly path: string;
  /** The project's text before they were put, and with them. */
  readonly before: string;
  readonly after: string;
}

function mergedHunks(txDir: string): MergedHunks[] {
  const outcomes = readJournal(txDir)?.outcomes ?? [];
  const steps = readSteps(txDir).steps;
  const kept = openKeptUndo(txDir);
  try {
    return steps.flatMap(({ path, content, settles, text }, index) => {
      const isMeant = content === "hunks" && settles === "merged" && outcomes[index]?.state === "done";
      const undo = kept.spotOf(index);
      const before = isMeant && fs.existsSync(pathTo(undo)) ? textOf(fs.readFileSync(pathTo(undo))) : null;
      return before === null || text === null ? [] : [{ path, before, after: text }];
    });
  } finally {
    kept.close();
  }
}
