// What a diff says. Paths are canonical and relative; text that is not UTF-8 has each odd byte as a lone
// surrogate, as names have (names.ts).
import type { ProtectionClass } from "../../policy/protected.ts";
import type { Side } from "../fs/tree-reader.ts";

export type ChangeKind = "added" | "modified" | "deleted" | "renamed" | "mode" | "symlink" | "type";

export type { Side };

export interface Hunk {
  /** The same while path and lines are; where a file has the same hunk twice they differ. */
  readonly id: string;
  readonly header: string;
  /** Each with its sign, without its newline; CR is kept. After one that ends without a newline: `\ No newline at end of file`. */
  readonly lines: readonly string[];
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
}

export interface Change {
  readonly path: string;
  readonly kind: ChangeKind;
  /** Of a renamed file. */
  readonly from?: string;
  readonly before: Side | null;
  readonly after: Side | null;
  readonly binary: boolean;
  /** Lines. */
  readonly added: number;
  readonly removed: number;
  /** Of the regular file on either side; none when it is binary or too large to show. */
  readonly hunks: readonly Hunk[];
  /** Ids of the calls that had a part in it. */
  readonly calls: readonly string[];
  readonly protection: ProtectionClass | null;
  /** The project was changed there too since the session began with it: this undoes that. Only told where it was asked for. */
  readonly contested?: true;
}

/** Something in a layer. A directory has what is below it; one that is opaque shows nothing else. */
export interface Touched {
  readonly below: ReadonlyMap<string, Touched> | null;
  readonly isOpaque: boolean;
}

/** A layer, with the call whose changes it holds. */
export interface TouchedLayer {
  readonly entry: Touched;
  readonly call: string | null;
}
