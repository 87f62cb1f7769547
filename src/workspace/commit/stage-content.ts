// A step's new entry is made in a staging directory first, with its bytes, mode, owner and time. Later it only gets
// its name.
import fs from "node:fs";
import { HotcellError, osErrorCode } from "../../core/errors.ts";
import { bytesOf } from "../diff/text.ts";
import { createFile, writeAll } from "../fs/atomic-write.ts";
import type { Cooperative } from "../fs/cooperative.ts";
import { copyFile, copyOpen } from "../fs/copy-file.ts";
import { osPath, showName } from "../fs/names.ts";
import { atExactPathCooperatively, type EntryRef, entryPath, tryOpenInOneCall } from "../fs/no-follow.ts";
import { chownNew } from "../fs/owner.ts";
import { openChild, type Root } from "../fs/paths.ts";
import type { CommitStep } from "./plan/commit-step.ts";

export function* stageFromView(view: Root | null, step: CommitStep, to: EntryRef): Cooperative<void> {
  if (step.content === "hunks" || step.content === "merged") stageText(step, to);
  if (step.content === "link") stageLink(step, to);
  if (step.content !== "view") return;
  if (view === null) throw notAsPlanned(step);
  const fd = tryOpenInOneCall(view, step.path);
  if (fd !== null) return yield* stageOpen(fd, step, to);
  yield* atExactPathCooperatively(view, step.path, (ref) => {
    if (typeof ref === "string") throw notAsPlanned(step);
    return stageCopy(ref, step, to);
  });
}

/** Closes the descriptor. */
function* stageOpen(fd: number, step: CommitStep, to: EntryRef): Cooperative<void> {
  try {
    const stat = fs.fstatSync(fd);
    if (!stat.isFile() || (yield* copyOpen({ fd, stat }, to, step)) !== step.sha256) throw notAsPlanned(step);
  } finally {
    fs.closeSync(fd);
  }
}

/** Links the same file, or copies it if a link is not possible. */
export function* stageFromUndo(undo: EntryRef, step: CommitStep, to: EntryRef): Cooperative<void> {
  if (step.content === "link") stageLink(step, to);
  else if (!tryLink(undo, to)) yield* stageCopy(undo, step, to);
}

function tryLink(from: EntryRef, to: EntryRef): boolean {
  try {
    fs.linkSync(entryPath(from), entryPath(to));
    return true;
  } catch (error) {
    if (osErrorCode(error) === "EXDEV") return false;
    throw error;
  }
}

function stageText({ mode, owner, text }: CommitStep, to: EntryRef): void {
  createFile(entryPath(to), { mode, owner }, (fd) => writeAll(fd, bytesOf(text!)));
}

function stageLink({ owner, text }: CommitStep, to: EntryRef): void {
  const began = Date.now();
  fs.symlinkSync(osPath(text!), entryPath(to));
  if (owner !== null) chownNew(to.dir, to.name, owner, began);
}

function* stageCopy(from: EntryRef, step: CommitStep, to: EntryRef): Cooperative<void> {
  const fd = openChild(from.dir, from.name);
  try {
    const stat = fs.fstatSync(fd);
    if (!stat.isFile() || (yield* copyFile({ fd, stat }, to, step)) !== step.sha256) throw notAsPlanned(step);
  } finally {
    fs.closeSync(fd);
  }
}

function notAsPlanned({ path }: CommitStep): HotcellError {
  const message = `Could not commit "${showName(path)}": the session changed since the plan was made. Make the plan again.`;
  return new HotcellError("PRECONDITION_FAILED", message, { path });
}
