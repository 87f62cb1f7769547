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
  /** Entries below this directory changed that are too deep to be listed. They are discarded and rewound with it, and not committed. */
  readonly unlisted?: true;
  /** A link that leads out of the project: a commit confirms it separately. */
  readonly leadsOutside?: true;
  /** It has a secret's name: the change has no content, and a commit takes it only by name. */
  readonly secret?: true;
  /** The project changed the path too since the session first changed it, and this change undoes that. Set only on request. */
  readonly contested?: true;
  /** Set if the project's git ignores it: the topmost path that is ignored, this one or a directory above it. */
  readonly ignored?: string;
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
