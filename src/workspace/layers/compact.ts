// The kernel limits the number of layers. For a tall stack one collapsed layer is mounted in place of the lower
// layers. These are kept for rewinds, forks, and the diff of a call.
import fs from "node:fs";
import path from "node:path";
import { osErrorCode } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { layerDir } from "./layer-dirs.ts";
import { mergeLayers, readLayers, writeLayer } from "./layer-tree.ts";
import { type SessionRecord, type Stack, sessionDir } from "./record.ts";
import { removeDirectory } from "./session-dirs.ts";
import { createWhiteouts } from "./whiteout.ts";

/** Returns a record whose stack can be mounted; the same one if the stack is not tall. */
export async function compactIfTall(
  record: SessionRecord,
  stateDir: string,
  limit: number = LIMITS.maxLayers,
): Promise<SessionRecord> {
  const at = record.strategy === "kernel" ? layerToCompact(record, limit) : -1;
  if (at < 0) return record;
  const collapsed = await compactAt(record, at, stateDir);
  return collapsed === null ? record : compactIfTall(collapsed, stateDir, limit);
}

/** The lowest layer that leaves few enough above it; -1 if there are few. It must be the session's own, because the collapsed layer is stored in its directory. */
function layerToCompact({ id, stack }: SessionRecord, limit: number): number {
  const live = stack.length - 1;
  const lowest = stack.findLastIndex((layer) => layer.collapsed !== undefined) + limit;
  if (lowest >= live - 1) return -1;
  return stack.findIndex(({ session }, index) => index >= lowest && index < live && session === id);
}

/** Null if the owner may not read a directory: then the layers are mounted one by one. */
async function compactAt(record: SessionRecord, at: number, stateDir: string): Promise<SessionRecord | null> {
  const collapsed = `c-${record.next}`;
  try {
    await compact(
      record.stack.slice(0, at + 1),
      path.join(sessionDir(stateDir, record.id), collapsed),
      stateDir,
    );
  } catch (error) {
    if (osErrorCode(error) === "EACCES") return null;
    throw error;
  }
  const stack = record.stack.map((layer, index) => (index === at ? { ...layer, collapsed } : layer));
  return { ...record, stack, next: record.next + 1 };
}

async function compact(stack: Stack, to: string, stateDir: string): Promise<void> {
  const shown = stack.slice(Math.max(findCompacted(stack), 0)).reverse();
  const dirs = shown.map(({ session, name, collapsed = name }) =>
    layerDir(stateDir, { session, name: collapsed }),
  );
  // No record has used this number yet, so nobody uses what may exist there.
  for (const leftover of [to, `${to}.new`]) removeDirectory(leftover);
  const united = mergeLayers(await readLayers(dirs, "kernel"));
  await writeLayer(`${to}.new`, united, "kernel", createWhiteouts(path.dirname(to)));
  fs.renameSync(`${to}.new`, to);
}

/** The index of the topmost layer with a collapsed layer; -1 if there is none. */
export function findCompacted(stack: Stack): number {
  return stack.findLastIndex((layer) => layer.collapsed !== undefined);
}
