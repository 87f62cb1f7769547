// A copy of a layer: directories with their attributes, by which the kernel knows that they hide others; files
// as further names where they can have more. Only `cp` can copy attributes, and it goes by paths: what is too
// deep for one is copied from where it is.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { HotcellError } from "../../core/errors.ts";
import { createCursor } from "../cursor.ts";
import { kindAt, makeAlike, unlock } from "../overlay/alike.ts";
import { ENVIRONMENT } from "../overlay/room.ts";
import { openRoot } from "../paths.ts";
import { tourTree } from "../tree.ts";
import { makeDirectory } from "../tree-change.ts";
import { removeDirectory } from "./make-session.ts";

type How = "--link" | "--reflink=auto";

export function copyLayer(from: string, to: string): void {
  try {
    copyWhole(from, to, "--link");
  } catch {
    removeDirectory(to);
    copyWhole(from, to, "--reflink=auto");
  }
}

function copyWhole(from: string, to: string, how: How): void {
  fs.mkdirSync(to);
  const [source, target] = [openRoot(from), openRoot(to)];
  try {
    const said = copy(source.fd, target.fd, how);
    if (said === null || copyRest(source.fd, target.fd, how)) return;
    throw new HotcellError("EXECUTION_ERROR", `Could not copy the layer "${path.basename(from)}": ${said}`);
  } finally {
    for (const { fd } of [source, target]) fs.closeSync(fd);
  }
}

/** Copies what is in one open directory to another, with the attributes of both. Gives what was said of what could not be copied. */
function copy(source: number, target: number, how: How): string | null {
  const args = ["--archive", how, "--no-target-directory", "--", "/proc/self/fd/3/.", "/proc/self/fd/4/."];
  try {
    execFileSync("cp", args, { env: ENVIRONMENT, stdio: ["ignore", "ignore", "pipe", source, target] });
    return null;
  } catch (error) {
    const said = String((error as { stderr?: Buffer }).stderr ?? error);
    return said.trim().split("\n")[0]!;
  }
}

/** After what can't be copied `cp` goes on: directories that are missing were too deep. False when anything else is missing. */
function copyRest(source: number, copied: number, how: How): boolean {
  const target = createCursor(copied);
  try {
    for (const { step, dir, name } of tourTree(source, { temporary: true })) {
      const isMissing = step !== "leave" && kindAt(target.fd, name) === null;
      if (step === "entry" && isMissing) return false;
      if (step === "leave") target.up();
      if (step !== "enter") continue;
      if (isMissing) makeIn(target.fd, name);
      target.down(name);
      if (isMissing) copy(dir, target.fd, how);
    }
    return true;
  } finally {
    target.close();
  }
}

function makeIn(dir: number, name: string): void {
  const was = unlock(dir);
  makeDirectory(dir, name, null);
  makeAlike(dir, was);
}
