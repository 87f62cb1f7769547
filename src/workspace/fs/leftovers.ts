// Temporary files stand beside their targets, so a kill can leave one anywhere in the tree. A note in the
// state directory is made before each and removed after it; at the next open the notes tell what to clear.
import fs from "node:fs";
import path from "node:path";
import { HotcellError, osErrorCode } from "../../core/errors.ts";
import { processToken, tokenIsAlive } from "../../core/lock.ts";
import { decodeName, osPath } from "./names.ts";
import { atPlace, childPath, type Root, TEMP_PREFIX } from "./paths.ts";

export interface Leftovers {
  /** Notes that a temporary file is about to stand in this directory (canonical, relative); gives its name. */
  announce(directory: string): string;
  /** The temporary file is gone or has become its target. */
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
        // What the note was for is done; a note that stays is cleared at a later open.
      }
    },
  };
}

/** A link that points nowhere: made whole in one step, content included. Some file systems have only short ones; of a file that is not whole, nothing was made yet. */
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
    atPlace(root, directory, {}, ({ found }) => {
      if (found !== null) fs.unlinkSync(childPath(found.fd, temporary));
    }),
  );
  fs.unlinkSync(note);
}

/** Whatever stands there by now, a leftover must not keep the workspace from being opened. */
function unlessRefused(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof HotcellError) && osErrorCode(error) === undefined) throw error;
  }
}
