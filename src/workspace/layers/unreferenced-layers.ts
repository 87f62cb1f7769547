// Layers that no session uses any more. A fork uses its parent's layers, so all sessions are checked.
import fs from "node:fs";
import path from "node:path";
import type { Cooperative } from "../fs/cooperative.ts";
import { type Layer, readRecord, type SessionRecord, sessionDir } from "./record.ts";
import { emptyDirectory, removeLayer } from "./session-dirs.ts";

/** Layers, overlayfs work directories, and collapsed layers. */
const LAYER_NAME = /^(w\d+|(c-)?\d+(\.new)?)$/;

export function sessionIds(stateDir: string): string[] {
  const sessions = path.join(stateDir, "sessions");
  if (!fs.existsSync(sessions)) return [];
  return fs
    .readdirSync(sessions)
    .filter((name) => fs.existsSync(path.join(sessions, name, "session.json")) && !name.includes("."))
    .sort();
}

/** Removes layers of this session that are in no stack. The caller holds the session's lock. */
export function* removeUnused(
  record: SessionRecord,
  stateDir: string,
  used: ReadonlySet<string> = usedLayers(stateDir, record),
): Cooperative<void> {
  const dir = sessionDir(stateDir, record.id);
  for (const name of findUnused(dir, record, used)) yield* removeLayer(dir, name);
}

export function hasUnused(record: SessionRecord, stateDir: string, used: ReadonlySet<string>): boolean {
  return findUnused(sessionDir(stateDir, record.id), record, used).length > 0;
}

/** Empties these layers before the record drops them, if a full disk prevents writing it: the layers stay, without content. */
export function emptyUnused(record: SessionRecord, stateDir: string): void {
  const dir = sessionDir(stateDir, record.id);
  for (const name of findUnused(dir, record, usedLayers(stateDir, record)))
    emptyDirectory(path.join(dir, name));
}

function findUnused(dir: string, { id, stack }: SessionRecord, used: ReadonlySet<string>): string[] {
  const isUsed = (entry: string) => used.has(`${id}/${entry}`) || entry === `w${stack.at(-1)!.name}`;
  return fs.readdirSync(dir).filter((entry) => LAYER_NAME.test(entry) && !isUsed(entry));
}

/** The layers of all sessions as `session/layer`. `instead` is the record that one of them is about to have. */
export function usedLayers(stateDir: string, instead?: SessionRecord): Set<string> {
  const records = sessionIds(stateDir).map((id) =>
    id === instead?.id ? instead : readRecord(sessionDir(stateDir, id)),
  );
  return new Set(records.flatMap(({ stack, left }) => [stack, ...left].flat().flatMap(namesOf)));
}

function namesOf({ session, name, collapsed }: Layer): string[] {
  return [`${session}/${name}`, `${session}/${collapsed}`];
}
