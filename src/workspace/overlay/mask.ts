// Hides the project's secrets in a session's view. The mask is a layer directly above the project, with a whiteout
// for each secret and for nothing else.
import fs from "node:fs";
import path from "node:path";
import { osErrorCode } from "../../core/errors.ts";
import type { Protection } from "../../policy/protected.ts";
import { createPace, type Pace } from "../fs/cooperative.ts";
import { type Cursor, createCursor } from "../fs/cursor.ts";
import { kindAt, takeOver, unlock } from "../fs/metadata.ts";
import { childPath, openRoot, type Root } from "../fs/paths.ts";
import { readNames, tourTree, tryDown } from "../fs/tree.ts";
import { removeSpot } from "../fs/tree-change.ts";
import { createWhiteouts, type MakeWhiteout } from "../layers/whiteout.ts";
import { createSecretSearch, type Secrets } from "./secret-search.ts";

/** `mask` in the session's directory. */
export interface Mask {
  /** From now on `fit` makes the mask hide all secrets of the project. */
  hide(): void;
  /** Updates the mask to the present project, so that it alters nothing else. True if a view mounted after the previous update is known to show the same. */
  fit(): Promise<boolean>;
  /** Whether a view with this mask would show no secret of the project. Changes nothing. */
  hidesAll(): Promise<boolean>;
}

export function createMask(
  dir: string,
  project: Root,
  protectionOf: (path: string) => Protection | null,
): Mask {
  const search = createSecretSearch(project, protectionOf);
  let hides = false;
  let fits = false;
  const fitSecrets = async (): Promise<boolean> => {
    const didFit = fits;
    fits = false;
    const { secrets, hasChanged } = await search();
    const isSame = didFit && !hasChanged;
    // After an interrupted update, the content of the mask is unknown.
    if (!isSame) await fitTo(dir, project, () => secrets);
    fits = true;
    return isSame;
  };
  return {
    hide() {
      hides = true;
    },
    async fit() {
      if (hides) return fitSecrets();
      await fitTo(dir, project, readMask);
      return false;
    },
    async hidesAll() {
      const { secrets } = await search();
      // The search may have found changes that the mask does not have yet.
      fits = false;
      const { fd } = openRoot(path.join(dir, "mask"));
      try {
        return covers(readMask(fd), secrets);
      } finally {
        fs.closeSync(fd);
      }
    },
  };
}

/** True if the mask changed in more than times. */
async function fitTo(dir: string, project: Root, wanted: (mask: number) => Secrets): Promise<boolean> {
  const { fd } = openRoot(path.join(dir, "mask"));
  const mask = createCursor(fd);
  const real = createCursor(project.fd);
  try {
    const fitting = { mask, real, makeWhiteout: createWhiteouts(dir), pace: createPace() };
    return await fitMask(fitting, wanted(fd));
  } finally {
    mask.close();
    real.close();
    fs.closeSync(fd);
  }
}

function covers(mask: Secrets, secrets: Secrets): boolean {
  return [...secrets].every(([name, below]) => {
    const hidden = mask.get(name);
    if (hidden === undefined || hidden === null || below === null) return hidden === null;
    return covers(hidden, below);
  });
}

/** The secrets that the mask hides at present. */
function readMask(mask: number): Secrets {
  const levels: Secrets[] = [new Map()];
  for (const { step, name } of tourTree(mask, { unlock: true })) {
    const below: Secrets | null = step === "entry" ? null : new Map();
    if (step === "leave") levels.pop();
    else levels.at(-1)!.set(name, below);
    if (step === "enter") levels.push(below!);
  }
  return levels[0]!;
}

interface Fitting {
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
async function fitMask(fitting: Fitting, secrets: Secrets): Promise<boolean> {
  const { mask, real, pace } = fitting;
  let hasChanged = false;
  const levels: Level[] = [];
  const enter = (wanted: Secrets) => {
    levels.push({ was: unlock(mask.fd), below: directoriesIn(wanted) });
    if (fitNames(fitting, wanted)) hasChanged = true;
  };
  for (enter(secrets); levels.length > 0; await pace()) {
    const { was, below } = levels.at(-1)!;
    const next = below.pop();
    if (next !== undefined) {
      if (goInto(fitting, next[0])) enter(next[1]);
      else hasChanged = true;
      continue;
    }
    if (fitAttributes(fitting, was)) hasChanged = true;
    levels.pop();
    if (levels.length === 0) break;
    mask.up();
    real.up();
  }
  return hasChanged;
}

function directoriesIn(secrets: Secrets): [string, Secrets][] {
  return [...secrets].flatMap(([name, below]) => (below === null ? [] : [[name, below]]));
}

/** True if it created or removed an entry. */
function fitNames({ mask: { fd: dir }, makeWhiteout }: Fitting, secrets: Secrets): boolean {
  const wrong = readNames(dir).filter(({ name, kind }) => kind !== kindOfMasked(secrets.get(name)));
  for (const { name } of wrong) removeSpot({ dir, name });
  const missing = [...secrets].filter(([name]) => kindAt(dir, name) === null);
  for (const [name, below] of missing) {
    if (below === null) makeWhiteout(dir, name);
    else fs.mkdirSync(childPath(dir, name));
  }
  return wrong.length + missing.length > 0;
}

function kindOfMasked(below: Secrets | null | undefined): "device" | "directory" | null {
  if (below === undefined) return null;
  return below === null ? "device" : "directory";
}

/** If the project has lost the directory meanwhile, the mask's directory must not appear in its place. Nothing below an unreachable directory is visible. */
function goInto({ mask, real }: Fitting, name: string): boolean {
  try {
    if (!tryDown(real, name)) {
      removeSpot({ dir: mask.fd, name });
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
function fitAttributes({ mask, real }: Fitting, was: fs.Stats): boolean {
  takeOver(mask.fd, fs.fstatSync(real.fd));
  const { mode, uid, gid } = fs.fstatSync(mask.fd);
  return mode !== was.mode || uid !== was.uid || gid !== was.gid;
}
