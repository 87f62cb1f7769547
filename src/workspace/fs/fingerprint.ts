// What stands at a path, kept so that it can be told later whether it still does.
import { hash } from "node:crypto";
import fs from "node:fs";
import { osErrorCode } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import type { Pieces } from "./cooperative.ts";
import { atExactly, pathTo, piecesAtExactly, type Spot, tryOpenAtOnce } from "./no-follow.ts";
import { hashFile, readBytes } from "./open-file.ts";
import { type Owner, ownerOfReplaced } from "./owner.ts";
import { fdPath, openChild, type Root } from "./paths.ts";
import { type FileKind, kindOf } from "./tree.ts";

const { O_RDONLY, O_NONBLOCK, O_NOCTTY } = fs.constants;

/** What a person would call the same: kind, mode and content, whichever file it is. */
export interface Version {
  readonly kind: FileKind;
  /** 0o7777. */
  readonly mode: number;
  /** Of a file's bytes or of a link's target; null for what has neither or can't be read. */
  readonly sha256: string | null;
}

/** Which file it is, and that nobody has written it since. */
export interface Identity {
  readonly size: number;
  readonly mtimeNs: string;
  readonly ino: string;
  readonly dev: string;
}

export interface Fingerprint extends Version, Identity {
  /** Null where it can't be given to what takes its place. */
  readonly owner: Owner | null;
}

/** Where what is seen at a path stands; null where nothing is. */
export type RootOf = (path: string) => Root | null;

/** Null when nothing is there, or no way leads there. */
export function* fingerprintOf(root: Root | null, path: string): Pieces<Fingerprint | null> {
  if (root === null) return null;
  const fd = tryOpenAtOnce(root, path);
  if (fd !== null) return yield* fingerprintOfOpen(fd, path);
  return yield* piecesAtExactly(root, path, function* (spot) {
    return typeof spot === "string" ? null : yield* fingerprintAt(spot);
  });
}

/** A fingerprint but for what is in the file. */
export type FileIdentity = Omit<Fingerprint, "sha256">;

/** Null when nothing is there, or no way leads there. */
export function lookOf(root: Root | null, path: string): FileIdentity | null {
  if (root === null) return null;
  return atExactly(root, path, (spot) => (typeof spot === "string" ? null : lookAt(spot)));
}

export type FingerprintOf = typeof fingerprintOf;

/** Takes each only once, for a piece of work that comes back to the same files. */
export function rememberFingerprints(): FingerprintOf {
  const roots = new Map<Root | null, Map<string, Fingerprint | null>>();
  return function* (root, path) {
    const known = roots.get(root) ?? new Map<string, Fingerprint | null>();
    roots.set(root, known);
    if (!known.has(path)) known.set(path, yield* fingerprintOf(root, path));
    return known.get(path)!;
  };
}

/** Null when nothing is there. */
export function* fingerprintAt(spot: Spot): Pieces<Fingerprint | null> {
  const fd = tryOpen(spot);
  if (fd === null) return null;
  try {
    const stat = statOf(fs.fstatSync(fd, { bigint: true }));
    const sha256 = stat.kind === "file" ? yield* hashIfReadable(fd, stat.size, spot.name) : null;
    return { ...stat, sha256: stat.kind === "symlink" ? linkHash(spot) : sha256 };
  } finally {
    fs.closeSync(fd);
  }
}

/** It is closed then. */
function* fingerprintOfOpen(fd: number, path: string): Pieces<Fingerprint> {
  try {
    const stat = statOf(fs.fstatSync(fd, { bigint: true }));
    return { ...stat, sha256: stat.kind === "file" ? yield* hashOf(fd, stat.size, path) : null };
  } finally {
    fs.closeSync(fd);
  }
}

/** Nothing is the same as nothing. Where content was not taken, it has to be the very same file, unwritten since. */
export function sameVersion(a: Fingerprint | null, b: Fingerprint | null): boolean {
  if (a === null || b === null) return a === b;
  if (a.kind !== b.kind) return false;
  if (a.kind !== "symlink" && a.mode !== b.mode) return false;
  if (a.kind === "directory") return true;
  return a.sha256 === null || b.sha256 === null ? isUnwritten(a, b) : a.sha256 === b.sha256;
}

/** What could not be read is like nothing else. */
export function haveSameContent(a: Fingerprint | null, b: Fingerprint | null): boolean {
  return a !== null && a.sha256 !== null && a.sha256 === b?.sha256;
}

/** Whether the expected version is there; its content is read only when the file is not as it was. `found` is what a look has just shown. */
export function* stillIs(spot: Spot, expected: Fingerprint, found = lookAt(spot)): Pieces<boolean> {
  if (found?.kind === expected.kind && found.mode === expected.mode && isUnwritten(found, expected))
    return true;
  return sameVersion(yield* fingerprintAt(spot), expected);
}

/** Whether two names are names of one file. */
export function areOneFile(a: Spot, b: Spot): boolean {
  return isOneFile(lookAt(a), lookAt(b));
}

export function isOneFile(a: FileIdentity | null, b: FileIdentity | null): boolean {
  return a !== null && a.ino === b?.ino && a.dev === b.dev;
}

/** Null when nothing is there. */
export function lookAt(spot: Spot): FileIdentity | null {
  const stat = fs.lstatSync(pathTo(spot), { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? null : statOf(stat);
}

/** The fingerprint of something that does not stand anywhere yet, or only its identity is known beside. */
export function expectedVersion(version: Version & Partial<Identity>): Fingerprint {
  return { size: 0, mtimeNs: "", ino: "", dev: "", ...version, owner: null };
}

export function versionOf({ kind, mode, sha256 }: Version): Version {
  return { kind, mode, sha256 };
}

export function sha256Of(data: Uint8Array): string {
  return hash("sha256", data);
}

/** By its name alone; null when nothing is there. The caller closes it. */
export function tryOpen({ dir, name }: Spot): number | null {
  try {
    return openChild(dir, name);
  } catch (error) {
    if (osErrorCode(error) === "ENOENT") return null;
    throw error;
  }
}

function statOf(stat: fs.BigIntStats): FileIdentity {
  return {
    kind: kindOf(stat) ?? "device",
    mode: Number(stat.mode) & 0o7777,
    owner: ownerOfReplaced({ uid: Number(stat.uid), gid: Number(stat.gid) }),
    size: Number(stat.size),
    mtimeNs: String(stat.mtimeNs),
    ino: String(stat.ino),
    dev: String(stat.dev),
  };
}

function isUnwritten(a: Identity, b: Identity): boolean {
  return a.ino === b.ino && a.dev === b.dev && a.size === b.size && a.mtimeNs === b.mtimeNs;
}

/** Null when it may not be read. */
function* hashIfReadable(path: number, size: number, name: string): Pieces<string | null> {
  const fd = tryRead(path);
  if (fd === null) return null;
  try {
    return yield* hashOf(fd, size, name);
  } finally {
    fs.closeSync(fd);
  }
}

/** Small files are read in one go: the buffer for large ones costs more than they do. */
function* hashOf(fd: number, size: number, name: string): Pieces<string> {
  if (size > LIMITS.maxReadBytes) return yield* hashFile(fd, name);
  yield;
  return sha256Of(readBytes(fd, name, size, { size }));
}

function tryRead(path: number): number | null {
  try {
    return fs.openSync(fdPath(path), O_RDONLY | O_NONBLOCK | O_NOCTTY);
  } catch (error) {
    if (osErrorCode(error) === "EACCES") return null;
    throw error;
  }
}

/** Null when it is no link any more: then it is not what anybody expects. */
function linkHash(spot: Spot): string | null {
  try {
    return sha256Of(fs.readlinkSync(pathTo(spot), "buffer"));
  } catch (error) {
    if (["EINVAL", "ENOENT"].includes(osErrorCode(error) ?? "")) return null;
    throw error;
  }
}
