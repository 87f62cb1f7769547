import fs from "node:fs";
import path from "node:path";
import { HotcellError } from "../../core/errors.ts";
import { type SessionRecord, type Strategy, sessionDir, writeRecord } from "../layers/record.ts";
import { openCloneView } from "../overlay/clone-view.ts";
import { openKernelView } from "../overlay/kernel-view.ts";
import { canMountElsewhere } from "../overlay/mount.ts";
import type { SessionPlace, SessionView } from "../overlay/session-view.ts";

export interface OpenedView {
  readonly record: SessionRecord;
  readonly view: SessionView;
}

/**
 * How a new session of this project is made. For an ordinary user the kernel's overlay copies only what belongs to
 * that user and the user's own group: a project of anybody else, or of a group that is shared, can't be changed in it.
 */
export function strategyFor(project: number): Strategy {
  if (process.getuid!() === 0) return "kernel";
  const { uid, gid } = fs.fstatSync(project);
  return uid === process.geteuid!() && gid === process.getegid!() ? "kernel" : "clone";
}

/** A session keeps its strategy; a new one may take a copy where the kernel's overlay can't be had. */
export async function openView(
  record: SessionRecord,
  place: SessionPlace,
  mayChoose: boolean,
): Promise<OpenedView> {
  const dir = sessionDir(place.stateDir, record.id);
  if (record.strategy === "clone") return { record, view: await openClone(record, dir, place) };
  try {
    return { record, view: await openKernelView(dir, record, place.protectionOf) };
  } catch (error) {
    if (!mayChoose || !isNotSupported(error)) throw error;
    if (await canMountElsewhere(dir)) throw cannotHoldLayers(place.stateDir, error);
    const copied: SessionRecord = { ...record, strategy: "clone" };
    writeRecord(dir, copied);
    return { record: copied, view: await openClone(copied, dir, place) };
  }
}

function openClone(record: SessionRecord, dir: string, place: SessionPlace): Promise<SessionView> {
  const { workspace, stack } = record;
  return openCloneView({ dir, workspace, stack, ...place });
}

function isNotSupported(error: unknown): error is HotcellError {
  return error instanceof HotcellError && error.code === "NOT_SUPPORTED";
}

function cannotHoldLayers(stateDir: string, { message }: HotcellError): HotcellError {
  return new HotcellError(
    "WORKSPACE_UNUSABLE",
    `Could not keep sessions in "${path.join(stateDir, "sessions")}": its file system can't hold the changes of an overlay. Set HOTCELL_STATE_DIR to a directory on a local disk; in a container to one on a volume or a tmpfs. (${message})`,
  );
}
