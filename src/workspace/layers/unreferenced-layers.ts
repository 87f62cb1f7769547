// Layers that no session needs any more. A fork needs its parent's, so all sessions are looked at.
import fs from "node:fs";
import path from "node:path";
import { type Layer, readRecord, type SessionRecord, sessionDir } from "./record.ts";
import { emptyDirectory, removeLayer } from "./session-dirs.ts";

/** Layers, the kernel's work directories beside them, and what stands for several layers at once. */
const OF_LAYERS = /^(w\d+|(c-)?\d+(\.new)?)$/;

export function sessionIds(stateDir: string): string[] {
  const sessions = path.join(stateDir, "sessions");
  if (!fs.existsSync(sessions)) return [];
  return fs
    .readdirSync(sessions)
    .filter((name) => fs.existsSync(path.join(sessions, name, "session.json")) && !name.includes("."))
    .sort();
}

/** Removes what belongs to this session and is in nobody's stack. The session's lock is held. */
export function removeUnused(record: SessionRecord, stateDir: string): void {
  const dir = sessionDir(stateDir, record.id);
  for (const name of unusedIn(dir, record, stateDir)) removeLayer(dir, name);
}

/** The same before the record says so, where that has no room on the disk: the layers are there, and have nothing in them. */
export function emptyUnused(record: SessionRecord, stateDir: string): void {
  const dir = sessionDir(stateDir, record.id);
  for (const name of unusedIn(dir, record, stateDir)) emptyDirectory(path.join(dir, name));
}

function unusedIn(dir: string, record: SessionRecord, stateDir: string): string[] {
  const records = sessionIds(stateDir).map((id) =>
    id === record.id ? record : readRecord(sessionDir(stateDir, id)),
  );
  const used = new Set(records.flatMap(({ stack, left }) => [stack, ...left].flat().flatMap(namesOf)));
  used.add(`${record.id}/w${record.stack.at(-1)!.name}`);
  return fs.readdirSync(dir).filter((entry) => OF_LAYERS.test(entry) && !used.has(`${record.id}/${entry}`));
}

function namesOf({ session, name, collapsed }: Layer): string[] {
  return [`${session}/${name}`, `${session}/${collapsed}`];
}
