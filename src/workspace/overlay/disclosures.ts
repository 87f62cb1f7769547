// For the clone strategy: copies of the files that have a secret's name but that commands may see. They are in `mask`
// in the session's directory, as a tree below the project's, whose scan leaves out all secrets.
import fs from "node:fs";
import path from "node:path";
import { HotcellError } from "../../core/errors.ts";
import { parentsOf } from "../fs/path-text.ts";
import { childPath, openRoot, type Root } from "../fs/paths.ts";
import type { CloneTree } from "../layers/clone-tree.ts";
import { readTree } from "../layers/layer-tree.ts";
import { emptyDirectory } from "../layers/session-dirs.ts";
import { isSameFile, writeDisclosed } from "../secrets/disclosed-copy.ts";
import {
  createSecretFinder,
  type Disclosed,
  disclosedIn,
  type HiddenSecrets,
  NONE_HIDDEN,
} from "../secrets/find-secrets.ts";
import type { SessionStore } from "./session-view.ts";

export interface Disclosures {
  /** True if `write` would change the copies. */
  find(): Promise<boolean>;
  /** Writes the copies that `find` found. */
  write(): Promise<CloneTree>;
  hidden(): HiddenSecrets;
}

export function createDisclosures(
  dir: string,
  project: Root,
  protectionOf: SessionStore["protectionOf"],
): Disclosures {
  const mask = path.join(dir, "mask");
  fs.mkdirSync(mask, { recursive: true, mode: 0o700 });
  const findSecrets = createSecretFinder(project, protectionOf);
  let found = new Map<string, Disclosed>();
  let written: ReadonlyMap<string, Disclosed> | null = null;
  let hidden = NONE_HIDDEN;
  return {
    async find() {
      const searched = await findSecrets().catch(discloseNothing);
      hidden = searched?.hidden ?? NONE_HIDDEN;
      found = new Map(searched === null ? [] : disclosedIn(searched.secrets));
      if (written === null) return found.size > 0 || fs.readdirSync(mask).length > 0;
      return !haveSame(found, written);
    },
    async write() {
      emptyDirectory(mask);
      const { fd } = openRoot(mask);
      try {
        for (const [at, disclosed] of found) writeAt(fd, at, disclosed);
      } finally {
        fs.closeSync(fd);
      }
      written = found;
      return readTree(mask);
    },
    hidden: () => hidden,
  };
}

/** A directory that the user has closed can't be searched; a command is refused for it where it begins. */
function discloseNothing(error: unknown): null {
  if (error instanceof HotcellError && error.code === "WORKSPACE_UNUSABLE") return null;
  throw error;
}

function haveSame(one: ReadonlyMap<string, Disclosed>, other: ReadonlyMap<string, Disclosed>): boolean {
  return one.size === other.size && [...one].every(([at, file]) => isSameFile(file, other.get(at) ?? null));
}

/** Only hotcell can write there. */
function writeAt(root: number, at: string, disclosed: Disclosed): void {
  for (const above of parentsOf(at)) fs.mkdirSync(childPath(root, above), { recursive: true, mode: 0o700 });
  writeDisclosed(root, at, disclosed);
}
