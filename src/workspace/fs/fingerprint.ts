// Records the version of an entry, to determine later whether it is still the same.
import { hash } from "node:crypto";
import fs from "node:fs";
import { osErrorCode } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import type { Cooperative } from "./cooperative.ts";
import {
  atExactPath,
  atExactPathCooperatively,
  type EntryRef,
  entryPath,
  tryOpenInOneCall,
} from "./no-follow.ts";
import { hashFile, readBytes } from "./open-file.ts";
import { type Owner, ownerOfReplaced } from "./owner.ts";
import { fdPath, openChild, type Root } from "./paths.ts";
import { type FileKind, kindOf } from "./tree.ts";

const { O_RDONLY, O_NONBLOCK, O_NOCTTY } = fs.constants;

/** Kind, mode and content, whichever inode has them. */
export interface Version {
  readonly kind: FileKind;
  /** 0o7777. */
  readonly mode: number;
  /** The hash of a file's bytes or of a link's target; null for other kinds and for unreadable files. */
  readonly sha256: string | null;
}

/** Identifies a file, and shows whether it was written since. */
export interface FileIdentity {
  readonly size: number;
  readonly mtimeNs: string;
  readonly ino: string;
  readonly dev: string;
}

export interface Fingerprint extends Version, FileIdentity {
  /** Null if hotcell could not give a replacement to this owner. */
  readonly owner: Owner | null;
}

/** The root that has the visible entry of a path; null if there is none. */
export type RootOf = (path: string) => Root | null;

/** Null if the entry does not exist or cannot be reached. */
export function* fingerprintOf(root: Root | null, path: string): Cooperative<Fingerprint | null> {
  if (root === null) return null;
  const fd = tryOpenInOneCall(root, path);
  if (fd !== null) return yield* fingerprintOfOpen(fd, path);
  return yield* atExactPathCooperatively(root, path, function* (ref) {
    return typeof ref === "string" ? null : yield* fingerprintAt(ref);
  });
}

/** A fingerprint without the content. */
export type UnhashedFingerprint = Omit<Fingerprint, "sha256">;

/** Null if the entry does not exist or cannot be reached. */
export function identityAtPath(root: Root | null, path: string): UnhashedFingerprint | null {
  if (root === null) return null;
  return atExactPath(root, path, (ref) => (typeof ref === "string" ? null : identityAt(ref)));
}

export type FingerprintOf = typeof fingerprintOf;

/** A cache for one operation that needs the same fingerprints repeatedly. */
export function createFingerprintCache(): FingerprintOf {
  const roots = new Map<Root | null, Map<string, Fingerprint | null>>();
  return function* (root, path) {
    const known = roots.get(root) ?? new Map<string, Fingerprint | null>();
    roots.set(root, known);
    if (!known.has(path)) known.set(path, yield* fingerprintOf(root, path));
    return known.get(path)!;
  };
}

/** Null if the entry does not exist. */
export function* fingerprintAt(ref: EntryRef): Cooperative<Fingerprint | null> {
  const fd = tryOpen(ref);
  if (fd === null) return null;
  try {
    const stat = statOf(fs.fstatSync(fd, { bigint: true }));
    const sha256 = stat.kind === "file" ? yield* hashIfReadable(fd, stat.size, ref.name) : null;
    return { ...stat, sha256: stat.kind === "symlink" ? linkHash(ref) : sha256 };
  } finally {
    fs.closeSync(fd);
  }
}

/** Closes the descriptor. */
function* fingerprintOfOpen(fd: number, path: string): Cooperative<Fingerprint> {
  try {
    const stat = statOf(fs.fstatSync(fd, { bigint: true }));
    return { ...stat, sha256: stat.kind === "file" ? yield* hashOf(fd, stat.size, path) : null };
  } finally {
    fs.closeSync(fd);
  }
}

/** Two absent entries are equal. Without a content hash, it must be the same inode, unwritten since. */
export function sameVersion(a: Fingerprint | null, b: Fingerprint | null): boolean {
  if (a === null || b === null) return a === b;
  if (a.kind !== b.kind) return false;
  if (a.kind !== "symlink" && a.mode !== b.mode) return false;
  if (a.kind === "directory") return true;
  return a.sha256 === null || b.sha256 === null ? isUnwritten(a, b) : a.sha256 === b.sha256;
}

/** An unreadable entry equals no other. */
export function haveSameContent(a: Fingerprint | null, b: Fingerprint | null): boolean {
  return a !== null && a.sha256 !== null && a.sha256 === b?.sha256;
}

/** Whether the entry still has the expected version. Reads the content only if the identity differs. `found` is the entry's present identity. */
export function* isStillVersion(
  ref: EntryRef,
  expected: Fingerprint,
  found = identityAt(ref),
): Cooperative<boolean> {
  if (found?.kind === expected.kind && found.mode === expected.mode && isUnwritten(found, expected))
    return true;
  return sameVersion(yield* fingerprintAt(ref), expected);
}

/** Whether two names are hard links of one file. */
export function areOneFile(a: EntryRef, b: EntryRef): boolean {
  return isOneFile(identityAt(a), identityAt(b));
}

export function isOneFile(a: UnhashedFingerprint | null, b: UnhashedFingerprint | null): boolean {
  return a !== null && a.ino === b?.ino && a.dev === b.dev;
}

/** Null if the entry does not exist. */
export function identityAt(ref: EntryRef): UnhashedFingerprint | null {
  const stat = fs.lstatSync(entryPath(ref), { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? null : statOf(stat);
}

/** The fingerprint of a version that does not exist on disk yet, or of which only the identity is known besides. */
export function expectedVersion(version: Version & Partial<FileIdentity>): Fingerprint {
  return { size: 0, mtimeNs: "", ino: "", dev: "", ...version, owner: null };
}

export function versionOf({ kind, mode, sha256 }: Version): Version {
  return { kind, mode, sha256 };
}

export function sha256Of(data: Uint8Array): string {
  return hash("sha256", data);
}

/** Opens with O_PATH; null if the entry does not exist. The caller closes the descriptor. */
export function tryOpen({ dir, name }: EntryRef): number | null {
  try {
    return openChild(dir, name);
  } catch (error) {
    if (osErrorCode(error) === "ENOENT") return null;
    throw error;
  }
}

function statOf(stat: fs.BigIntStats): UnhashedFingerprint {
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

function isUnwritten(a: FileIdentity, b: FileIdentity): boolean {
  return a.ino === b.ino && a.dev === b.dev && a.size === b.size && a.mtimeNs === b.mtimeNs;
}

/** Null if the file may not be read. */
function* hashIfReadable(path: number, size: number, name: string): Cooperative<string | null> {
  const fd = tryRead(path);
  if (fd === null) return null;
  try {
    return yield* hashOf(fd, size, name);
  } finally {
    fs.closeSync(fd);
  }
}

/** Small files are read in one call: the chunk buffer for large files would cost more than the read. */
function* hashOf(fd: number, size: number, name: string): Cooperative<string> {
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

/** Null if it is no longer a link; then it equals no expected version. */
function linkHash(ref: EntryRef): string | null {
  try {
    return sha256Of(fs.readlinkSync(entryPath(ref), "buffer"));
  } catch (error) {
    if (["EINVAL", "ENOENT"].includes(osErrorCode(error) ?? "")) return null;
    throw error;
  }
}
