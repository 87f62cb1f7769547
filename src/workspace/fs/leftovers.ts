// Temporary files are beside their targets, so a kill can leave one anywhere in the tree. hotcell writes a note into
// the state directory before it creates one, and removes the note after. The next open clears files by these notes.
import fs from "node:fs";
import path from "node:path";
import { HotcellError, osErrorCode } from "../../core/errors.ts";
import { processToken, tokenIsAlive } from "../../core/process-token.ts";
import { decodeName, osPath } from "./names.ts";
import { atResolvedPath, childPath, type Root, TEMP_PREFIX } from "./paths.ts";

export interface Leftovers {
  /** Notes that a temporary file will be created in this directory (canonical, relative). Returns its name. */
  announce(directory: string): string;
  /** Removes the note: the temporary file is gone or was renamed to its target. */
  settle(temporary: string): void;
}

export function openLeftovers(root: Root, notesDir: string): Leftovers {
  fs.mkdirSync(notesDir, { recursive: true, mode: 0o700 });
  clearLeftovers(root, notesDir);
  const token = processToken();
  let count = 0;
  return {
    announce(directory) {
      const temporary = `${TEMP_PREFIX}${token}-${count++}`;
      writeNote(path.join(notesDir, temporary), osPath(`./${directory}`));
      return temporary;
    },
    settle(temporary) {
      try {
        fs.unlinkSync(path.join(notesDir, temporary));
      } catch {
        // The note is no longer needed; a later open clears a remaining one.
      }
    },
  };
}

/** A dangling link is created atomically with its content. Some file systems allow only short links; then the note is a file. If that is incomplete, no temporary file exists yet. */
function writeNote(note: string, directory: string | Buffer): void {
  try {
    fs.symlinkSync(directory, note);
  } catch (error) {
    if (osErrorCode(error) !== "ENAMETOOLONG") throw error;
    fs.writeFileSync(note, directory, { flag: "wx", mode: 0o600 });
  }
}

function readNote(note: string): string {
  const isLink = fs.lstatSync(note).isSymbolicLink();
  return decodeName(isLink ? fs.readlinkSync(note, "buffer") : fs.readFileSync(note));
}

function clearLeftovers(root: Root, notesDir: string): void {
  for (const temporary of fs.readdirSync(notesDir)) {
    const token = temporary.slice(TEMP_PREFIX.length, temporary.lastIndexOf("-"));
    if (!tokenIsAlive(token)) unlessRefused(() => clear(root, notesDir, temporary));
  }
}

function clear(root: Root, notesDir: string, temporary: string): void {
  const note = path.join(notesDir, temporary);
  const directory = readNote(note);
  unlessRefused(() =>
    atResolvedPath(root, directory, {}, ({ found }) => {
      if (found !== null) fs.unlinkSync(childPath(found.fd, temporary));
    }),
  );
  fs.unlinkSync(note);
}

/** A leftover must not prevent the workspace from opening, whatever is at its path now. */
function unlessRefused(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof HotcellError) && osErrorCode(error) === undefined) throw error;
  }
}
