// The data of a diff. Paths are canonical and relative. In text that is not UTF-8 each invalid byte is a lone
// surrogate, as in names (names.ts).
import type { ProtectionClass } from "../../policy/protected.ts";
import type { Side } from "../fs/tree-reader.ts";

export type ChangeKind = "added" | "modified" | "deleted" | "renamed" | "mode" | "symlink" | "type";

export type { Side };

export interface Hunk {
  /** Depends only on path and lines; identical hunks of one file have different ids. */
  readonly id: string;
  readonly header: string;
  /** Each with its sign, without its newline; CR is kept. `\ No newline at end of file` follows a line without a newline. */
  readonly lines: readonly string[];
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
}

export interface Change {
  readonly path: string;
  readonly kind: ChangeKind;
  /** The old path of a renamed file. */
  readonly from?: string;
  readonly before: Side | null;
  readonly after: Side | null;
  readonly binary: boolean;
  /** Number of lines. */
  readonly added: number;
  readonly removed: number;
  /** Of the regular file on either side; none if it is binary or too large to show. */
  readonly hunks: readonly Hunk[];
  /** Ids of the calls that contributed to it. */
  readonly calls: readonly string[];
  readonly protection: ProtectionClass | null;
  /** The project changed the path too since the session first changed it, and this change undoes that. Set only on request. */
  readonly contested?: true;
}

/** An entry of a layer. A directory has its entries in `below`; an opaque one hides the entries of lower layers. */
export interface TouchedEntry {
  readonly below: ReadonlyMap<string, TouchedEntry> | null;
  readonly isOpaque: boolean;
}

/** A layer, with the call whose changes it holds. */
export interface TouchedLayer {
  readonly entry: TouchedEntry;
  readonly call: string | null;
}
