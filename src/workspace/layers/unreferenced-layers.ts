// Layers that no session uses any more. A fork uses its parent's layers, so all sessions are checked.
import fs from "node:fs";
import path from "node:path";
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
export function removeUnused(record: SessionRecord, stateDir: string): void {
  const dir = sessionDir(stateDir, record.id);
  for (const name of findUnused(dir, record, stateDir)) removeLayer(dir, name);
}

/** Empties these layers before the record drops them, if a full disk prevents writing it: the layers stay, without content. */
export function emptyUnused(record: SessionRecord, stateDir: string): void {
  const dir = sessionDir(stateDir, record.id);
  for (const name of findUnused(dir, record, stateDir)) emptyDirectory(path.join(dir, name));
}

function findUnused(dir: string, record: SessionRecord, stateDir: string): string[] {
  const records = sessionIds(stateDir).map((id) =>
    id === record.id ? record : readRecord(sessionDir(stateDir, id)),
  );
  const used = new Set(records.flatMap(({ stack, left }) => [stack, ...left].flat().flatMap(namesOf)));
  used.add(`${record.id}/w${record.stack.at(-1)!.name}`);
  return fs.readdirSync(dir).filter((entry) => LAYER_NAME.test(entry) && !used.has(`${record.id}/${entry}`));
}

function namesOf({ session, name, collapsed }: Layer): string[] {
  return [`${session}/${name}`, `${session}/${collapsed}`];
}
