// The kernel takes only so many layers. Where a stack has become tall, one directory is made that stands for
// its lower layers. They stay as they are, for rewinds, forks, and the diff of a call.
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { osErrorCode } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { TEMP_PREFIX } from "../paths.ts";
import { removeDirectory } from "../session/make-session.ts";
import { type SessionRecord, sessionDir } from "../session/record.ts";
import { layerNames, MERGED } from "./kernel-view.ts";
import { mountOverlay } from "./mount.ts";
import { makeMarkers, uniteLayers } from "./unite.ts";
import { createWhiteouts } from "./whiteout.ts";

/** Gives the record that the stack is to be shown by; the same one where it is not tall. */
export async function collapsedIfTall(
  record: SessionRecord,
  stateDir: string,
  limit: number = LIMITS.maxLayers,
): Promise<SessionRecord> {
  const at = record.strategy === "kernel" ? layerToCollapse(record, limit) : -1;
  if (at < 0) return record;
  const collapsed = await collapseAt(record, at, stateDir);
  return collapsed === null ? record : collapsedIfTall(collapsed, stateDir, limit);
}

/** The lowest that leaves few enough above it; -1 when they are few. It must be the session's own, as what stands for it and those below is kept where it is. */
function layerToCollapse({ id, stack }: SessionRecord, limit: number): number {
  const live = stack.length - 1;
  const lowest = stack.findLastIndex((layer) => layer.collapsed !== undefined) + limit;
  if (lowest >= live - 1) return -1;
  return stack.findIndex(({ session }, index) => index >= lowest && index < live && session === id);
}

/** Null when somebody took from the owner the right to read a directory: then the layers are mounted one by one. */
async function collapseAt(
  record: SessionRecord,
  at: number,
  stateDir: string,
): Promise<SessionRecord | null> {
  const dir = sessionDir(stateDir, record.id);
  const collapsed = `c-${record.next}`;
  try {
    await collapse(dir, layerNames(dir, record.stack.slice(0, at + 1)), collapsed);
  } catch (error) {
    if (osErrorCode(error) === "EACCES") return null;
    throw error;
  }
  const stack = record.stack.map((layer, index) => (index === at ? { ...layer, collapsed } : layer));
  return { ...record, stack, next: record.next + 1 };
}

/** What a kill leaves under these names is removed by the next one. */
const UNFINISHED = "c.new";
const MARKERS = "c.markers";

async function collapse(dir: string, layers: readonly string[], name: string): Promise<void> {
  const at = (file: string) => path.join(dir, file);
  // The number in the name has not been in a record yet, so nobody uses what may be there.
  for (const leftover of [UNFINISHED, MARKERS, name]) removeDirectory(at(leftover));
  const marker = `${TEMP_PREFIX}${randomBytes(8).toString("hex")}`;
  await makeMarkers(layers.map(at), at(MARKERS), marker);
  const mount = await mountOverlay({ dir, lowers: [...layers, MARKERS], upper: null, merged: MERGED });
  try {
    await uniteLayers(layers.map(at), at(UNFINISHED), { fd: mount.fd, marker }, createWhiteouts(dir));
  } finally {
    mount.close();
  }
  removeDirectory(at(MARKERS));
  fs.renameSync(at(UNFINISHED), at(name));
}
