import fs from "node:fs";
import path from "node:path";
import { HotcellError } from "../../core/errors.ts";
import { type SessionRecord, type Strategy, sessionDir, writeRecord } from "../layers/record.ts";
import { openCloneView } from "../overlay/clone-view.ts";
import { openKernelView } from "../overlay/kernel-view.ts";
import { canMountElsewhere } from "../overlay/mount.ts";
import type { SessionStore, SessionView } from "../overlay/session-view.ts";

export interface OpenedView {
  readonly record: SessionRecord;
  readonly view: SessionView;
}

/**
 * Chooses the strategy of a new session. For an unprivileged user overlayfs copies up only files of that user and the
 * user's own group: a project of another user, or of a shared group, could not be changed in it.
 */
export function strategyFor(project: number): Strategy {
  if (process.getuid!() === 0) return "kernel";
  const { uid, gid } = fs.fstatSync(project);
  return uid === process.geteuid!() && gid === process.getegid!() ? "kernel" : "clone";
}

/** A session keeps its strategy. A new one falls back to a copy if the kernel's overlay is not available. */
export async function openView(
  record: SessionRecord,
  store: SessionStore,
  mayChoose: boolean,
): Promise<OpenedView> {
  const dir = sessionDir(store.stateDir, record.id);
  if (record.strategy === "clone") return { record, view: await openClone(record, dir, store) };
  try {
    return { record, view: await openKernelView(dir, record, store.protectionOf) };
  } catch (error) {
    if (!mayChoose || !isNotSupported(error)) throw error;
    if (await canMountElsewhere(dir)) throw cannotHoldLayers(store.stateDir, error);
    const copied: SessionRecord = { ...record, strategy: "clone" };
    writeRecord(dir, copied);
    return { record: copied, view: await openClone(copied, dir, store) };
  }
}

function openClone(record: SessionRecord, dir: string, store: SessionStore): Promise<SessionView> {
  const { workspace, stack } = record;
  return openCloneView({ dir, workspace, stack, ...store });
}

function isNotSupported(error: unknown): error is HotcellError {
  return error instanceof HotcellError && error.code === "NOT_SUPPORTED";
}

function cannotHoldLayers(stateDir: string, { message }: HotcellError): HotcellError {
  return new HotcellError(
    "WORKSPACE_UNUSABLE",
    `Could not keep sessions in "${path.join(stateDir, "sessions")}": overlayfs cannot store changes on its file system. Set HOTCELL_STATE_DIR to a directory on a local disk, or in a container to one on a volume or a tmpfs. (${message})`,
  );
}
