// Notes beside a layer about the project's earlier state. They are removed with the layer.
import fs from "node:fs";
import path from "node:path";
import { osErrorCode } from "../../core/errors.ts";
import { bytesOf, textOf } from "../diff/text.ts";
import { type Fingerprint, sha256Of } from "../fs/fingerprint.ts";
import { layerDir } from "./layer-dirs.ts";
import { type Layer, sessionDir } from "./record.ts";

/** Null: the path did not exist. `unknown`: somebody may have changed it at that time. */
export type Base = Fingerprint | null | "unknown";

export interface Notes {
  readonly bases: Map<string, Base>;
  /** Project paths that the session hides. Paths below them have no notes. */
  readonly hidden: Set<string>;
}

const notesFile = (layer: Layer, stateDir: string): string => `${layerDir(stateDir, layer)}.base`;

export function isEmptyLayer(layer: Layer, stateDir: string): boolean {
  return fs.readdirSync(layerDir(stateDir, layer)).length === 0;
}

export function readNotes(layer: Layer, stateDir: string): Notes {
  try {
    const { bases, hidden } = JSON.parse(fs.readFileSync(notesFile(layer, stateDir), "utf8"));
    return { bases: new Map(bases), hidden: new Set(hidden) };
  } catch (error) {
    // Notes that a power failure truncated count as missing.
    if (osErrorCode(error) !== "ENOENT" && !(error instanceof SyntaxError)) throw error;
    return { bases: new Map(), hidden: new Set() };
  }
}

/** Without fsync, which each call that changes something would wait for. If notes are cut, change times have to prove the bases. */
export function writeNotes(layer: Layer, stateDir: string, { bases, hidden }: Notes): void {
  const file = notesFile(layer, stateDir);
  const text = JSON.stringify({ bases: [...bases], hidden: [...hidden] });
  fs.writeFileSync(`${file}.new`, text, { mode: 0o600 });
  fs.renameSync(`${file}.new`, file);
}

/** Content-addressed: the same text is stored once. */
function textFile({ session }: Layer, stateDir: string, sha256: string): string {
  return path.join(sessionDir(stateDir, session), "base", sha256);
}

/** Without fsync, which would be one for each file that a call changes. The reader finds out whether the text is whole. */
export function keepText(layer: Layer, stateDir: string, sha256: string, text: string): void {
  const file = textFile(layer, stateDir, sha256);
  if (fs.existsSync(file)) return;
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  fs.writeFileSync(`${file}.new`, bytesOf(text), { mode: 0o600 });
  fs.renameSync(`${file}.new`, file);
}

/** Null if it is not stored, or a power failure cut it. */
export function readKeptText(layer: Layer, stateDir: string, sha256: string): string | null {
  try {
    const bytes = fs.readFileSync(textFile(layer, stateDir, sha256));
    return sha256Of(bytes) === sha256 ? textOf(bytes) : null;
  } catch (error) {
    if (osErrorCode(error) === "ENOENT") return null;
    throw error;
  }
}

/** Copies the text of a base to the session of another layer. */
export function copyKeptText(from: Layer, to: Layer, stateDir: string, base: Base): void {
  if (from.session === to.session || base === "unknown" || !base?.sha256) return;
  const text = readKeptText(from, stateDir, base.sha256);
  if (text !== null) keepText(to, stateDir, base.sha256, text);
}
