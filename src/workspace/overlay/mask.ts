// Hides the project's secrets in a session's view. The mask is a layer directly above the project: a whiteout for each
// hidden secret, and a copy of each file that has a secret's name but that commands may see. It has nothing else.
import fs from "node:fs";
import path from "node:path";
import { osErrorCode } from "../../core/errors.ts";
import type { Protection } from "../../policy/protected.ts";
import { createPace, type Pace } from "../fs/cooperative.ts";
import { type Cursor, createCursor } from "../fs/cursor.ts";
import { copyMetadata, kindAt, unlock } from "../fs/metadata.ts";
import { childPath, openRoot, type Root } from "../fs/paths.ts";
import { readNames, tryEnter, walkTree } from "../fs/tree.ts";
import { removeEntry } from "../fs/tree-change.ts";
import { createWhiteouts, type MakeWhiteout } from "../layers/whiteout.ts";
import { readDisclosed, writeDisclosed } from "../secrets/disclosed-copy.ts";
import {
  createSecretFinder,
  type Disclosed,
  type HiddenSecrets,
  NONE_HIDDEN,
  type Secrets,
} from "../secrets/find-secrets.ts";

/** `mask` in the session's directory. */
export interface Mask {
  /** From now on `fit` makes the mask hide all secrets of the project. */
  hide(): void;
  /** Updates the mask to the present project, so that it alters nothing else. True if a view mounted after the previous update is known to show the same. */
  fit(): Promise<boolean>;
  /** Whether a view with this mask would show no secret of the project. Changes nothing. */
  hidesAll(): Promise<boolean>;
  /** The secrets that the last update or check found hidden. */
  hidden(): HiddenSecrets;
}

export function createMask(
  dir: string,
  project: Root,
  protectionOf: (path: string) => Protection | null,
): Mask {
  const find = createSecretFinder(project, protectionOf);
  let hides = false;
  let fits = false;
  let hidden: HiddenSecrets = NONE_HIDDEN;
  const fitSecrets = async (): Promise<boolean> => {
    const didFit = fits;
    fits = false;
    const { secrets, hasChanged, ...found } = await find();
    hidden = found.hidden;
    const isSame = didFit && !hasChanged;
    // After an interrupted update, the content of the mask is unknown.
    if (!isSame) await updateTo(dir, project, () => secrets);
    fits = true;
    return isSame;
  };
  return {
    hide() {
      hides = true;
    },
    async fit() {
      if (hides) return fitSecrets();
      await updateTo(dir, project, readMask);
      return false;
    },
    async hidesAll() {
      const { secrets, ...found } = await find();
      hidden = found.hidden;
      // The search may have found changes that the mask does not have yet.
      fits = false;
      const { fd } = openRoot(path.join(dir, "mask"));
      try {
        return covers(readMask(fd), secrets);
      } finally {
        fs.closeSync(fd);
      }
    },
    hidden: () => hidden,
  };
}

/** True if the mask changed in more than times. */
async function updateTo(dir: string, project: Root, wanted: (mask: number) => Secrets): Promise<boolean> {
  const { fd } = openRoot(path.join(dir, "mask"));
  const mask = createCursor(fd);
  const real = createCursor(project.fd);
  try {
    const fitting = { mask, real, makeWhiteout: createWhiteouts(dir), pace: createPace() };
    return await updateMask(fitting, wanted(fd));
  } finally {
    mask.close();
    real.close();
    fs.closeSync(fd);
  }
}

/** A copy in the mask shows what git tracked when it was made, whatever the file is by now. */
function covers(mask: Secrets, secrets: Secrets): boolean {
  return [...secrets].every(([name, below]) => {
    const hidden = mask.get(name);
    if (hidden === null || isDisclosed(hidden) || isDisclosed(below)) return true;
    return hidden !== undefined && below !== null && covers(hidden, below);
  });
}

function isDisclosed(entry: Secrets | Disclosed | null | undefined): entry is Disclosed {
  return entry != null && !(entry instanceof Map);
}

/** The secrets that the mask hides at present. */
function readMask(mask: number): Secrets {
  const levels: Secrets[] = [new Map()];
  for (const { step, name, kind, dir } of walkTree(mask, { unlock: true })) {
    if (step === "leave") levels.pop();
    else if (step === "entry") levels.at(-1)!.set(name, kind === "file" ? readDisclosed(dir, name) : null);
    else {
      const below: Secrets = new Map();
      levels.at(-1)!.set(name, below);
      levels.push(below);
    }
  }
  return levels[0]!;
}

interface MaskUpdate {
  readonly mask: Cursor;
  readonly real: Cursor;
  readonly makeWhiteout: MakeWhiteout;
  readonly pace: Pace;
}

interface Level {
  readonly was: fs.Stats;
  /** Directories still to enter. */
  readonly below: (readonly [string, Secrets])[];
}

/** Walks the mask and the project's directories in parallel. True if the mask changed in more than times. */
async function updateMask(fitting: MaskUpdate, secrets: Secrets): Promise<boolean> {
  const { mask, real, pace } = fitting;
  let hasChanged = false;
  const levels: Level[] = [];
  const enter = (wanted: Secrets) => {
    levels.push({ was: unlock(mask.fd), below: directoriesIn(wanted) });
    if (updateNames(fitting, wanted)) hasChanged = true;
  };
  for (enter(secrets); levels.length > 0; await pace()) {
    const { was, below } = levels.at(-1)!;
    const next = below.pop();
    if (next !== undefined) {
      if (goInto(fitting, next[0])) enter(next[1]);
      else hasChanged = true;
      continue;
    }
    if (updateAttributes(fitting, was)) hasChanged = true;
    levels.pop();
    if (levels.length === 0) break;
    mask.up();
    real.up();
  }
  return hasChanged;
}

function directoriesIn(secrets: Secrets): [string, Secrets][] {
  return [...secrets].flatMap(([name, below]) => (below instanceof Map ? [[name, below]] : []));
}

/** True if it created or removed an entry. A copy counts as one: it is made again. */
function updateNames({ mask: { fd: dir }, makeWhiteout }: MaskUpdate, secrets: Secrets): boolean {
  const wrong = readNames(dir).filter(({ name, kind }) => kind !== kindOfMasked(secrets.get(name)));
  for (const { name } of wrong) removeEntry({ dir, name });
  const missing = [...secrets].filter(([name]) => kindAt(dir, name) === null);
  for (const [name, below] of missing) {
    if (below === null) makeWhiteout(dir, name);
    else if (below instanceof Map) fs.mkdirSync(childPath(dir, name));
    else writeDisclosed(dir, name, below);
  }
  return wrong.length + missing.length > 0;
}

/** Null for an entry that has to be removed. */
function kindOfMasked(below: Secrets | Disclosed | null | undefined): "device" | "directory" | null {
  if (below === undefined || isDisclosed(below)) return null;
  return below === null ? "device" : "directory";
}

/** If the project has lost the directory meanwhile, the mask's directory must not appear in its place. Nothing below an unreachable directory is visible. */
function goInto({ mask, real }: MaskUpdate, name: string): boolean {
  try {
    if (!tryEnter(real, name)) {
      removeEntry({ dir: mask.fd, name });
      return false;
    }
  } catch (error) {
    if (osErrorCode(error) === "EACCES") return false;
    throw error;
  }
  mask.down(name);
  return true;
}

/** The view takes a directory's attributes from the mask. True if more than times changed. */
function updateAttributes({ mask, real }: MaskUpdate, was: fs.Stats): boolean {
  copyMetadata(mask.fd, fs.fstatSync(real.fd));
  const { mode, uid, gid } = fs.fstatSync(mask.fd);
  return mode !== was.mode || uid !== was.uid || gid !== was.gid;
}
