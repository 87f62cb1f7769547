import fs from "node:fs";
import { TIME_STEP_MS } from "../file-clock.ts";
import { type Notes, notesFile, readNotes } from "./layer-notes.ts";
import type { Layer } from "./record.ts";

interface Read {
  readonly stamp: string;
  readonly notes: Notes;
}

/** Reads the notes of layers, and those that were not replaced since the last time not again. What it gives is not to be changed. */
export function createNotesReader(now: () => number = Date.now) {
  let last = new Map<string, Read>();
  /** For one look at all layers: what is not asked for in it is forgotten. */
  return (): ((layer: Layer, stateDir: string) => Notes) => {
    const before = last;
    const kept = new Map<string, Read>();
    last = kept;
    return (layer, stateDir) => {
      const file = notesFile(layer, stateDir);
      const stat = fs.statSync(file, { throwIfNoEntry: false });
      const stamp = stat === undefined ? "" : `${stat.ino} ${stat.ctimeMs} ${stat.size}`;
      const known = before.get(file);
      const read = known?.stamp === stamp ? known : { stamp, notes: readNotes(layer, stateDir) };
      // What is newer may be replaced within the same tick of the clock.
      if (stat !== undefined && stat.ctimeMs < now() - TIME_STEP_MS) kept.set(file, read);
      return read.notes;
    };
  };
}
