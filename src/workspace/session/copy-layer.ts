// A copy of a layer: directories with their attributes, by which the kernel knows that they hide others; files
// as further names where they can have more. Only `cp` can copy attributes, and it goes by paths: what is too
// deep for one is copied from where it is.
import { spawn } from "node:child_process";
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

/** What is called off leaves nothing behind. */
export async function copyLayer(from: string, to: string, signal?: AbortSignal): Promise<void> {
  try {
    await copyWhole(from, to, "--link", signal);
  } catch {
    removeDirectory(to);
    signal?.throwIfAborted();
    await copyFully(from, to, signal);
  }
}

async function copyFully(from: string, to: string, signal: AbortSignal | undefined): Promise<void> {
  try {
    await copyWhole(from, to, "--reflink=auto", signal);
  } catch (error) {
    if (signal?.aborted) removeDirectory(to);
    throw error;
  }
}

async function copyWhole(from: string, to: string, how: How, signal: AbortSignal | undefined): Promise<void> {
  fs.mkdirSync(to);
  const [source, target] = [openRoot(from), openRoot(to)];
  try {
    const said = await copy(source.fd, target.fd, how, signal);
    if (said === null || (await copyRest(source.fd, target.fd, how, signal))) return;
    throw new HotcellError("EXECUTION_ERROR", `Could not copy the layer "${path.basename(from)}": ${said}`);
  } finally {
    for (const { fd } of [source, target]) fs.closeSync(fd);
  }
}

/** More than the first line of what `cp` says is not told. */
const MAX_SAID = 10_000;

/** Copies what is in one open directory to another, with the attributes of both. Gives what was said of what could not be copied. */
async function copy(
  source: number,
  target: number,
  how: How,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  const args = ["--archive", how, "--no-target-directory", "--", "/proc/self/fd/3/.", "/proc/self/fd/4/."];
  const stdio = ["ignore", "ignore", "pipe", source, target] as const;
  const cp = spawn("cp", args, { env: ENVIRONMENT, stdio: [...stdio], ...(signal && { signal }) });
  let said = "";
  cp.stderr!.setEncoding("utf8").on("data", (text: string) => {
    if (said.length < MAX_SAID) said += text;
  });
  cp.on("error", ({ message }) => {
    said ||= message;
  });
  const code = await new Promise<number | null>((resolve) => cp.on("close", resolve));
  signal?.throwIfAborted();
  return code === 0 ? null : said.trim().split("\n")[0]!;
}

/** After what can't be copied `cp` goes on: directories that are missing were too deep. False when anything else is missing. */
async function copyRest(
  source: number,
  copied: number,
  how: How,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const target = createCursor(copied);
  try {
    for (const { step, dir, name } of tourTree(source, { temporary: true })) {
      const isMissing = step !== "leave" && kindAt(target.fd, name) === null;
      if (step === "entry" && isMissing) return false;
      if (step === "leave") target.up();
      if (step !== "enter") continue;
      if (isMissing) makeIn(target.fd, name);
      target.down(name);
      if (isMissing) await copy(dir, target.fd, how, signal);
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
