// The project's secrets are not there in a session's view: a layer right above the project has a whiteout for
// each of them, and for nothing else.
import fs from "node:fs";
import path from "node:path";
import { HotcellError, osErrorCode } from "../../core/errors.ts";
import type { Protection } from "../../policy/protected.ts";
import { type Cursor, createCursor } from "../cursor.ts";
import { showName } from "../names.ts";
import { childPath, openRoot, type Root } from "../paths.ts";
import { readNames, tourTree } from "../tree.ts";
import { kindAt, takeOver, unlock } from "./alike.ts";
import { createPace, type Pace } from "./pace.ts";
import { removeSpot } from "./remove-spot.ts";
import { createWhiteouts, type MakeWhiteout } from "./whiteout.ts";

/** Names in a directory: null is a secret, with all below it; others lead to secrets. */
type Secrets = Map<string, Secrets | null>;

/** Judging takes time with the length of a path: what is far above was judged on the way down. */
const MAX_JUDGED_NAMES = 128;

/** Makes `mask` in the session's directory fit the project as it is now; true when views have to be mounted anew for it. */
export async function maskSecrets(
  dir: string,
  project: Root,
  protectionOf: (path: string) => Protection | null,
): Promise<boolean> {
  const secrets = await findSecrets(project, protectionOf);
  const { fd } = openRoot(path.join(dir, "mask"));
  const mask = createCursor(fd);
  const real = createCursor(project.fd);
  try {
    return await fitMask({ mask, real, makeWhiteout: createWhiteouts(dir), pace: createPace() }, secrets);
  } finally {
    mask.close();
    real.close();
    fs.closeSync(fd);
  }
}

async function findSecrets(
  project: Root,
  protectionOf: (path: string) => Protection | null,
): Promise<Secrets> {
  const isSecret = (trail: readonly string[], end: "" | "/") =>
    protectionOf(trail.slice(-MAX_JUDGED_NAMES).join("/") + end)?.read === "refuse";
  const enters = (trail: readonly string[]) => !isSecret(trail, "/");
  const levels: Secrets[] = [new Map()];
  const pace = createPace();
  let here = project.fd;
  const unreadable = (trail: readonly string[]) => refuseOwn(here, trail);
  for (const { step, name, kind, dir, trail } of tourTree(project.fd, { enters, unreadable })) {
    await pace();
    here = dir;
    if (step === "enter") levels.push(new Map());
    if (step === "leave") {
      const below = levels.pop()!;
      if (below.size > 0) levels.at(-1)!.set(name, below);
    }
    if (step === "entry" && (kind === "directory" || isSecret(trail, ""))) levels.at(-1)!.set(name, null);
  }
  return levels[0]!;
}

/** Others' directories stay closed to whatever runs for this user; his own can be opened by it. */
function refuseOwn(dir: number, trail: readonly string[]): void {
  if (fs.fstatSync(dir).uid !== process.geteuid?.()) return;
  const shown = showName(trail.join("/") || ".");
  throw new HotcellError(
    "WORKSPACE_UNUSABLE",
    `Could not look for secrets in "${shown}": it is yours, but you may not read it. Give yourself the right to, with chmod u+rx.`,
    { path: trail.join("/") },
  );
}

interface Fitting {
  readonly mask: Cursor;
  readonly real: Cursor;
  readonly makeWhiteout: MakeWhiteout;
  readonly pace: Pace;
}

interface Level {
  readonly was: fs.Stats;
  /** Directories still to be gone into. */
  readonly below: (readonly [string, Secrets])[];
}

/** Goes through the mask and the project's directories beside it. */
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

/** True when something had to be made or removed. */
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

const GONE = new Set(["ENOENT", "ENOTDIR", "ELOOP"]);

/** A directory that the project has lost meanwhile must not be seen in the mask instead. */
function goInto({ mask, real }: Fitting, name: string): boolean {
  try {
    real.down(name);
  } catch (error) {
    if (!GONE.has(osErrorCode(error) ?? "")) throw error;
    removeSpot({ dir: mask.fd, name });
    return false;
  }
  mask.down(name);
  return true;
}

/** The view takes a directory's attributes from the mask. True when others than times were wrong. */
function fitAttributes({ mask, real }: Fitting, was: fs.Stats): boolean {
  takeOver(mask.fd, fs.fstatSync(real.fd));
  const { mode, uid, gid } = fs.fstatSync(mask.fd);
  return mode !== was.mode || uid !== was.uid || gid !== was.gid;
}
