// Notes about a session's database, which the next changing call reports. Until then they are in the session's directory,
// because another process may make that call.
import fs from "node:fs";
import path from "node:path";
import { osErrorCode } from "../../../core/errors.ts";
import { replaceJson } from "../../fs/replace-json.ts";

/** An entry, and why a note names it. */
interface NotedEntry {
  readonly path: string;
  readonly reason: string;
}

export interface PendingNotes {
  add(note: string): void;
  /** Does nothing if there are none. */
  addEntries(what: string, entries: readonly NotedEntry[]): void;
  /** All of them, once; null if there is none. */
  take(): string | null;
}

const FILE = "database.notes";

export function openPendingNotes(dir: string): PendingNotes {
  const file = path.join(dir, FILE);
  let notes = readNotes(file);
  const replace = (next: readonly string[]): void => {
    notes = next;
    tryWrite(file, next);
  };
  const add = (note: string): void => {
    if (!notes.includes(note)) replace([...notes, note]);
  };
  return {
    add,
    addEntries(what, entries) {
      if (entries.length > 0) add(describeEntries(what, entries));
    },
    take() {
      if (notes.length === 0) return null;
      const text = notes.join(" ");
      replace([]);
      return text;
    },
  };
}

function readNotes(file: string): readonly string[] {
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : [];
}

/** On a full disk only this process can report them. */
function tryWrite(file: string, notes: readonly string[]): void {
  try {
    if (notes.length > 0) replaceJson(file, notes);
    else if (fs.existsSync(file)) fs.unlinkSync(file);
  } catch (error) {
    if (osErrorCode(error) === undefined) throw error;
  }
}

const MAX_LISTED = 5;

function describeEntries(what: string, entries: readonly NotedEntry[]): string {
  const listed = entries.slice(0, MAX_LISTED).map(({ path, reason }) => `${path} (${reason})`);
  const more = entries.length > MAX_LISTED ? ` and ${entries.length - MAX_LISTED} more` : "";
  return `${what} ${listed.join(", ")}${more}.`;
}
